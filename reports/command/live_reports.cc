// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/command/live_reports.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "reports/command/report_command.h"
#include "reports/ingestion/junit.h"
#include "reports/ingestion/optest.h"
#include "support/text/timestamp.h"

namespace opbyop::reports {

LiveReports::LiveReports(Source source) : source_(std::move(source)) {
  run_.header = source_.header;
  view_.manifest = source_.manifest;
  view_.run = &run_;
  for (const Model& model : source_.manifest->models) {
    models_.emplace(model.name, &model);
    if (!model.error.empty() && run_.header.filter.empty()) view_.unsplit.push_back(&model);
  }
}

Expected<std::unique_ptr<LiveReports>> LiveReports::Open(Source source) {
  const std::string shard = ShardSuffix(source.results);
  const std::filesystem::path folder = source.results.parent_path();
  const int64_t job_id = source.job_id.value_or(ChooseJobId(source.header.run_id, &std::getenv));
  RemoveReports(folder, shard);
  std::unique_ptr<LiveReports> live(new LiveReports(std::move(source)));
  const auto open = [&](const std::string& name, std::unique_ptr<RowReport> report) -> Expected<void> {
    auto file = GrowingFile::Create(folder / name, report->Head(live->view_), report->Tail(live->view_));
    if (!file) return Unexpected(file.error());
    live->documents_.push_back({std::move(report), std::move(*file)});
    return {};
  };
  if (const auto opened = open("optest" + shard + ".json", std::make_unique<OpTestReport>(job_id)); !opened) {
    return Unexpected(opened.error());
  }
  if (const auto opened = open("junit" + shard + ".xml", std::make_unique<JunitReport>()); !opened) {
    return Unexpected(opened.error());
  }
  return live;
}

Expected<void> LiveReports::Add(const Case& c, const std::string& model, const CaseRecord* record) {
  const auto known = models_.find(model);
  if (known == models_.end()) return {};
  const RowResult row = MakeRowResult(c, model, record, source_.baseline, false);
  // Rows of one case started together, but readers join on the start: each row gets its own microsecond.
  const std::vector<std::string> models = ModelsOf(c);
  const int64_t start = row.start_us.value_or(ParseTimestamp(run_.header.start).value_or(0)) +
                        std::distance(models.begin(), std::ranges::find(models, model));
  const OpTest test = MakeOpTest(row, record, *known->second, start);
  const bool first = view_.totals.rows == 0;
  view_.totals.Add(row.status);
  for (Document& document : documents_) document.file->Append(document.report->Row(test, view_, first));
  changed_ = true;
  return PublishIfDue();
}

Expected<void> LiveReports::PublishIfDue() {
  if (!changed_ || !publish_throttle_.due()) return {};
  return Publish();
}

Expected<void> LiveReports::Publish() {
  for (Document& document : documents_) {
    if (const auto done = document.file->Publish(document.report->Head(view_)); !done) return done;
  }
  publish_throttle_.Restart();
  changed_ = false;
  return {};
}

}  // namespace opbyop::reports
