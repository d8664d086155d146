// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/stored_snapshot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <future>
#include <unordered_map>
#include <utility>
#include <vector>

namespace opbyop::history {
namespace {

using Texts = std::unordered_map<int64_t, std::string>;

// What the keys in the numbers of some runs stand for. A server spends most of its time on sending these.
struct Names {
  struct OfCase {
    std::string id, op, signature;
  };
  struct OfRow {
    int64_t case_key = 0, model_key = 0;
  };

  Texts models, labels, causes;
  std::unordered_map<int64_t, OfCase> cases;
  std::unordered_map<int64_t, OfRow> rows;
};

// Of one run, as its tables have them.
struct Numbers {
  struct OfCase {
    int64_t key = 0;
    CaseNumbers numbers;
  };
  struct OfRow {
    int64_t key = 0, stage = 0, cause = 0, ops = 0;
    Status status = Status::kMissing;
    bool up_to_machine = false;
  };

  std::vector<OfCase> cases;
  std::vector<OfRow> rows;
};

Expected<Names> LoadNames(Database& db, const std::vector<int64_t>& runs) {
  Names names;
  const auto texts = [&](const char* statement, Texts& into) {
    return db.Query(statement, {}, [&](const Record& r) { into.emplace(r.Integer(0), r.Text(1)); });
  };
  Expected<void> done = texts("SELECT id, name FROM models", names.models);
  if (done) done = texts("SELECT id, name FROM labels", names.labels);
  if (done) done = texts("SELECT id, name FROM causes", names.causes);
  if (!done) return Unexpected(done.error());
  // Of runs that have a good part of all rows, whole tables are read faster than what is theirs is looked for.
  constexpr int64_t kGoodPart = 10;
  const std::string runs_text = fmt::format("{}", fmt::join(runs, ", "));
  const Expected<int64_t> rows = QueryInteger(
      db, fmt::format("SELECT CAST(sum(rows_count) AS BIGINT) FROM run_counts WHERE run_id IN ({})", runs_text), {});
  if (!rows) return Unexpected(rows.error());
  const Expected<int64_t> all = QueryInteger(db, "SELECT max(id) FROM model_rows", {});
  if (!all) return Unexpected(all.error());
  const bool whole = *rows >= *all / kGoodPart;
  const std::string of_runs =
      whole ? "" : fmt::format(" WHERE m.id IN (SELECT row_id FROM results WHERE run_id IN ({}))", runs_text);
  const std::string of_rows = whole ? "" : " WHERE c.id IN (SELECT m.case_id FROM model_rows m" + of_runs + ")";
  done = db.Query("SELECT m.id, m.case_id, m.model_id FROM model_rows m" + of_runs, {},
                  [&](const Record& r) { names.rows.emplace(r.Integer(0), Names::OfRow{r.Integer(1), r.Integer(2)}); });
  if (done) {
    done = db.Query("SELECT c.id, c.name, c.op, c.signature FROM cases c" + of_rows, {}, [&](const Record& r) {
      names.cases.emplace(r.Integer(0),
                          Names::OfCase{std::string(r.Text(1)), std::string(r.Text(2)), std::string(r.Text(3))});
    });
  }
  if (!done) return Unexpected(done.error());
  return names;
}

Expected<Numbers> LoadNumbers(Database& db, int64_t run) {
  Numbers numbers;
  Expected<void> done = db.Query(
      "SELECT case_id, n, median_us, min_us, bound_ratio FROM timings WHERE run_id = $1", {run}, [&](const Record& r) {
        numbers.cases.push_back({r.Integer(0), {r.Integer(1), r.Real(2), r.Real(3), r.IsNull(4) ? -1 : r.Real(4)}});
      });
  if (done) {
    done = db.Query("SELECT row_id, stage_id, cause_id, ops, status_id, up_to_machine FROM results WHERE run_id = $1",
                    {run}, [&](const Record& r) {
                      numbers.rows.push_back({r.Integer(0), r.Integer(1), r.Integer(2), r.Integer(3),
                                              static_cast<Status>(r.Integer(4)), r.Integer(5) != 0});
                    });
  }
  if (!done) return Unexpected(done.error());
  return numbers;
}

SnapshotCase NamedCase(int64_t key, const CaseNumbers& numbers, const Names& names) {
  SnapshotCase c{numbers};
  c.key = key;
  if (const auto found = names.cases.find(key); found != names.cases.end()) {
    c.id = found->second.id;
    c.op = found->second.op;
    c.signature = found->second.signature;
  }
  return c;
}

void AddRows(const Numbers& numbers, const Names& names, Snapshot& snapshot) {
  std::unordered_map<int64_t, size_t> places;
  places.reserve(numbers.cases.size());
  snapshot.cases.reserve(numbers.cases.size());
  snapshot.rows.reserve(numbers.rows.size());
  for (const Numbers::OfCase& each : numbers.cases) {
    places.emplace(each.key, snapshot.cases.size());
    snapshot.cases.push_back(NamedCase(each.key, each.numbers, names));
  }
  const auto text = [](const Texts& texts, int64_t key) {
    const auto found = texts.find(key);
    return found == texts.end() ? std::string() : found->second;
  };
  for (const Numbers::OfRow& each : numbers.rows) {
    const auto row = names.rows.find(each.key);
    if (row == names.rows.end()) continue;  // imported since the names were read
    const int64_t case_key = row->second.case_key;
    // A case without numbers is missing in the run, or its details were pruned.
    const auto [place, is_new] = places.try_emplace(case_key, snapshot.cases.size());
    if (is_new) snapshot.cases.push_back(NamedCase(case_key, {}, names));
    snapshot.rows.push_back({.case_index = place->second,
                             .model = text(names.models, row->second.model_key),
                             .status = each.status,
                             .stage = text(names.labels, each.stage),
                             .cause = text(names.causes, each.cause),
                             .ops = each.ops,
                             .key = each.key,
                             .up_to_machine = each.up_to_machine});
  }
}

Expected<void> LoadCauses(Database& db, Snapshot& snapshot) {
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

// All but its rows and cases.
Expected<Snapshot> LoadHead(Database& db, const std::string& column, const Value& value, const std::string& name) {
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
  if (done = LoadCauses(db, snapshot); !done) return Unexpected(done.error());
  return snapshot;
}

Expected<Snapshot> Load(Database& db, Expected<Snapshot> head) {
  if (!head) return head;
  const Expected<Names> names = LoadNames(db, {head->key});
  if (!names) return Unexpected(names.error());
  const Expected<Numbers> numbers = LoadNumbers(db, head->key);
  if (!numbers) return Unexpected(numbers.error());
  AddRows(*numbers, *names, *head);
  return head;
}

}  // namespace

Expected<Snapshot> LoadSnapshot(Database& db, const std::string& run_id) {
  return Load(db, LoadHead(db, "name", run_id, run_id));
}

Expected<Snapshot> LoadSnapshotByKey(Database& db, int64_t key) {
  return Load(db, LoadHead(db, "id", key, std::to_string(key)));
}

Expected<SnapshotPair> LoadSnapshots(Connections connections, const std::string& before, const std::string& after) {
  SnapshotPair pair;
  for (const auto& [name, snapshot] : {std::pair(&before, &pair.before), std::pair(&after, &pair.after)}) {
    Expected<Snapshot> head = LoadHead(connections.db, "name", *name, *name);
    if (!head) return Unexpected(head.error());
    *snapshot = std::move(*head);
  }
  // Where the system gives no thread, get() reads them.
  auto naming = std::async([&] { return LoadNames(connections.beside, {pair.before.key, pair.after.key}); });
  const Expected<Numbers> first = LoadNumbers(connections.db, pair.before.key);
  const Expected<Numbers> second = LoadNumbers(connections.db, pair.after.key);
  const Expected<Names> names = naming.get();
  if (!first) return Unexpected(first.error());
  if (!second) return Unexpected(second.error());
  if (!names) return Unexpected(names.error());
  auto adding = std::async([&] { AddRows(*first, *names, pair.before); });
  AddRows(*second, *names, pair.after);
  adding.get();
  return pair;
}

}  // namespace opbyop::history
