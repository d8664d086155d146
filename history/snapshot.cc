// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/snapshot.h"

#include <fmt/format.h>

#include "reports/cause.h"
#include "reports/op_label.h"
#include "reports/page_number.h"
#include "support/timestamp.h"

namespace opbyop::history {
namespace {

std::string HostFact(const RunHeader& header, const char* key) {
  const auto found = header.host.find(key);
  return found == header.host.end() ? "" : found->second;
}

// The names of cases are asked for once per case: they are most of what a server sends.
Expected<void> LoadRows(Database& db, Snapshot& snapshot) {
  std::unordered_map<int64_t, size_t> index;
  Expected<void> done = db.Query(
      R"sql(
      SELECT c.id, c.name, c.op, c.signature, t.n, t.median_us, t.min_us, t.bound_ratio
      FROM timings t JOIN cases c ON c.id = t.case_id WHERE t.run_id = $1)sql",
      {snapshot.key}, [&](const Record& record) {
        SnapshotCase c;
        c.key = record.Integer(0);
        c.id = record.Text(1);
        c.op = record.Text(2);
        c.signature = record.Text(3);
        c.n = record.Integer(4);
        c.median_us = record.Real(5);
        c.min_us = record.Real(6);
        c.bound_ratio = record.IsNull(7) ? -1 : record.Real(7);
        index.emplace(c.key, snapshot.cases.size());
        snapshot.cases.push_back(std::move(c));
      });
  if (!done) return done;
  std::unordered_map<int64_t, std::string> models, labels, causes;
  const auto names = [&](const char* statement, std::unordered_map<int64_t, std::string>& into) {
    return db.Query(statement, {}, [&](const Record& r) { into.emplace(r.Integer(0), std::string(r.Text(1))); });
  };
  if (done = names("SELECT id, name FROM models", models); !done) return done;
  if (done = names("SELECT id, name FROM labels", labels); !done) return done;
  if (done = names("SELECT id, name FROM causes", causes); !done) return done;
  bool all_named = true;  // else they are missing in the run, or its details were pruned
  done = db.Query(
      R"sql(
      SELECT m.case_id, m.model_id, r.status_id, r.stage_id, r.cause_id, r.ops, r.row_id, r.up_to_machine
      FROM results r JOIN model_rows m ON m.id = r.row_id WHERE r.run_id = $1)sql",
      {snapshot.key}, [&](const Record& record) {
        SnapshotRow row;
        const auto [at, is_new] = index.try_emplace(record.Integer(0), snapshot.cases.size());
        if (is_new) {
          snapshot.cases.emplace_back().key = record.Integer(0);
          all_named = false;
        }
        row.case_index = at->second;
        row.model = models[record.Integer(1)];
        row.status = static_cast<Status>(record.Integer(2));
        row.stage = labels[record.Integer(3)];
        if (!record.IsNull(4)) row.cause = causes[record.Integer(4)];
        row.ops = record.Integer(5);
        row.key = record.Integer(6);
        row.up_to_machine = record.Integer(7) != 0;
        snapshot.rows.push_back(std::move(row));
      });
  if (done && !all_named) {
    done = db.Query(
        R"sql(
      SELECT DISTINCT c.id, c.name, c.op, c.signature
      FROM results r JOIN model_rows m ON m.id = r.row_id JOIN cases c ON c.id = m.case_id
      LEFT JOIN timings t ON t.run_id = r.run_id AND t.case_id = c.id
      WHERE r.run_id = $1 AND t.case_id IS NULL)sql",
        {snapshot.key}, [&](const Record& record) {
          const auto found = index.find(record.Integer(0));
          if (found == index.end()) return;
          SnapshotCase& c = snapshot.cases[found->second];
          c.id = record.Text(1);
          c.op = record.Text(2);
          c.signature = record.Text(3);
        });
  }
  if (!done) return done;
  return db.Query(
      R"sql(
      SELECT ca.name, ca.diagnostic, e.reason, e.issue, e.owner
      FROM run_causes rc JOIN causes ca ON ca.id = rc.cause_id
      LEFT JOIN (SELECT cause_id, min(expectation_id) AS expectation_id FROM results WHERE run_id = $1 AND
        expectation_id IS NOT NULL GROUP BY cause_id) x ON x.cause_id = rc.cause_id
      LEFT JOIN expectations e ON e.id = x.expectation_id WHERE rc.run_id = $1)sql",
      {snapshot.key}, [&](const Record& r) {
        snapshot.causes[std::string(r.Text(0))] = {std::string(r.Text(1)), std::string(r.Text(2)),
                                                   std::string(r.Text(3)), std::string(r.Text(4))};
      });
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
  for (const reports::RowResult& row : view.rows) {
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

namespace {

Expected<Snapshot> Load(Database& db, const std::string& column, const Value& value, const std::string& name) {
  Snapshot snapshot;
  int64_t details = -1;
  Expected<void> done = db.Query(fmt::format(R"sql(
      SELECT id, name, target, toolchain, series, machine, decides, started, started_us, complete, partial, details
      FROM runs WHERE {} = $1)sql",
                                             column),
                                 {value}, [&](const Record& r) {
                                   snapshot.key = r.Integer(0);
                                   snapshot.run_id = r.Text(1);
                                   snapshot.target = r.Text(2);
                                   snapshot.toolchain = r.Text(3);
                                   snapshot.series = r.Text(4);
                                   snapshot.machine = r.Text(5);
                                   snapshot.decides = r.Text(6);
                                   snapshot.started = r.Text(7);
                                   snapshot.started_us = r.Integer(8);
                                   snapshot.complete = r.Integer(9) != 0;
                                   snapshot.partial = r.Integer(10) != 0;
                                   details = r.Integer(11);
                                 });
  if (!done) return Unexpected(done.error());
  if (details < 0) return MakeError(ExitCode::kNoInput, fmt::format("the history has no run {}", name));
  if (details == 0) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("run {}: the history has its counts alone: its results were pruned", name));
  }
  if (done = LoadRows(db, snapshot); !done) return Unexpected(done.error());
  return snapshot;
}

}  // namespace

Expected<Snapshot> LoadSnapshot(Database& db, const std::string& run_id) { return Load(db, "name", run_id, run_id); }

Expected<Snapshot> LoadSnapshotByKey(Database& db, int64_t key) { return Load(db, "id", key, std::to_string(key)); }

}  // namespace opbyop::history
