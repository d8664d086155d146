// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/snapshot.h"

#include <fmt/format.h>

#include "reports/view/cause.h"
#include "reports/view/op_label.h"
#include "reports/view/page_number.h"
#include "support/text/timestamp.h"

namespace opbyop::history {
namespace {

std::string HostFact(const RunHeader& header, const char* key) {
  const auto found = header.host.find(key);
  return found == header.host.end() ? "" : found->second;
}

}  // namespace

std::string SeriesOf(const RunHeader& header, const Manifest& manifest) {
  std::string series = header.target;
  if (manifest.is_whole()) {
    series += " whole";
  } else if (!header.mode.empty() && header.mode != "isolated") {
    series += " " + header.mode;
  }
  if (manifest.suite) {
    series += fmt::format(" suite {} {} {}", manifest.suite->name, manifest.suite->version, manifest.suite->level);
  }
  return series;
}

std::string MachineOf(const RunHeader& header) {
  return fmt::format("{}, {} cores", HostFact(header, "cpu"), HostFact(header, "cores"));
}

Snapshot SnapshotHead(const reports::View& view) {
  const RunHeader& header = view.run->header;
  Snapshot snapshot;
  snapshot.run_id = header.run_id;
  snapshot.target = header.target;
  snapshot.toolchain = header.toolchain;
  snapshot.series = SeriesOf(header, *view.manifest);
  snapshot.machine = MachineOf(header);
  snapshot.decides = header.digest;
  snapshot.started = header.start;
  snapshot.started_us = ParseTimestamp(header.start).value_or(0);
  snapshot.complete = view.run->complete;
  snapshot.partial = !header.selected.empty() && view.rows.size() < Rows(*view.manifest).size();
  return snapshot;
}

bool IsUpToMachine(const reports::RowResult& row) {
  return row.expectation && row.expectation->may_pass &&
         (row.status == Status::kExpectedFail || row.status == Status::kInconclusive);
}

SnapshotCase MakeSnapshotCase(const Case& c, const CaseNumbers& numbers) {
  SnapshotCase made{numbers};
  made.id = c.id;
  made.op = reports::OpLabel(c);
  made.signature = reports::SignatureText(c);
  return made;
}

Snapshot SnapshotOf(const reports::View& view) {
  Snapshot snapshot = SnapshotHead(view);
  std::unordered_map<size_t, size_t> index;
  std::map<reports::Cause, std::string> ids;
  for (const reports::RowResult& each : view.rows) {
    const reports::RowResult& row = reports::OfFixedDraws(each);
    const auto [at, is_new] = index.try_emplace(row.case_index, snapshot.cases.size());
    if (is_new) {
      const CaseRecord* record = view.RecordOf(row);
      snapshot.cases.push_back(MakeSnapshotCase(*row.c, record ? NumbersOf(*record) : CaseNumbers()));
    }
    SnapshotRow out{at->second, row.model, row.status, row.stage, "", row.ops, 0, IsUpToMachine(row)};
    if (row.status != Status::kPass) {
      reports::Cause cause = reports::CauseOf(row);
      auto known = ids.find(cause);
      if (known == ids.end()) {
        std::string id = reports::CauseId(cause);
        known = ids.emplace(std::move(cause), std::move(id)).first;
      }
      out.cause = known->second;
      SnapshotCause& described = snapshot.causes[out.cause];
      if (described.diagnostic.empty()) described.diagnostic = row.diagnostic;
      if (row.expectation && described.reason.empty()) {
        described.reason = row.expectation->reason;
        described.issue = row.expectation->issue;
        described.owner = row.expectation->owner;
      }
    }
    snapshot.rows.push_back(std::move(out));
  }
  return snapshot;
}

}  // namespace opbyop::history
