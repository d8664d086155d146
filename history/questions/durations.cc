// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/questions/durations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "manifests/results/result.h"
#include "support/text/count_text.h"

namespace opbyop::history {
namespace {

// Older runs may have used another toolchain.
constexpr int64_t kMostRuns = 10;

double Median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

Expected<std::string> DurationsText(Database& db, const std::string& target, const std::string& mode) {
  std::vector<int64_t> runs;
  RunHeader header;
  Expected<void> done = db.Query(
      R"sql(
      SELECT id, name
      FROM runs WHERE target = $1 AND mode = $2 AND details = 2
      ORDER BY started_us DESC, name DESC LIMIT $3)sql",
      {target, mode, kMostRuns}, [&](const Record& record) {
        if (runs.empty()) header.run_id = record.Text(1);
        runs.push_back(record.Integer(0));
      });
  if (!done) return Unexpected(done.error());
  if (runs.empty()) {
    return MakeError(
        ExitCode::kNoInput,
        fmt::format("the history has no run of {} ({}) that keeps its times: use --balance cost, which needs no times",
                    target, mode));
  }
  header.run_id += fmt::format(" and {} before it", CountText(runs.size() - 1, "run"));
  header.target = target;
  header.mode = mode;
  std::map<std::string, std::vector<double>> times;
  for (const int64_t run : runs) {
    done = db.Query(
        R"sql(
      SELECT c.name, t.wall_ms
      FROM timings t JOIN cases c ON c.id = t.case_id WHERE t.run_id = $1 AND t.wall_ms > 0)sql",
        {run}, [&](const Record& record) { times[std::string(record.Text(0))].push_back(record.Real(1)); });
    if (!done) return Unexpected(done.error());
  }
  std::string text = ToJsonLine(header) + "\n";
  for (auto& [id, each] : times) {
    CaseRecord record;
    record.id = id;
    record.wall_ms = Median(each);
    text += ToJsonLine(record) + "\n";
  }
  return text + ToJsonLine(RunFooter{}) + "\n";
}

}  // namespace opbyop::history
