// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/stored_snapshot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <future>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

namespace opbyop::history {
namespace {

using Texts = std::unordered_map<int64_t, std::string>;

// The names that the keys of all runs refer to.
struct Names {
  Texts models, labels, causes;
};

// The numbers of one run, as its tables have them.
struct Numbers {
  struct OfRow {
    int64_t case_key = 0, model_key = 0;
    SnapshotRow row;  // without texts
    int64_t stage = 0, cause = 0;
  };

  std::vector<SnapshotCase> cases;  // without names
  std::vector<OfRow> rows;
};

Expected<Names> LoadNames(Database& db) {
  Names names;
  const auto texts = [&](const char* statement, Texts& into) {
    return db.Query(statement, {}, [&](const Record& r) { into.emplace(r.Integer(0), r.Text(1)); });
  };
  Expected<void> done = texts("SELECT id, name FROM models", names.models);
  if (done) done = texts("SELECT id, name FROM labels", names.labels);
  if (done) done = texts("SELECT id, name FROM causes", names.causes);
  if (!done) return Unexpected(done.error());
  return names;
}

// A number that only a later version knows is read as results with an unknown status are.
Status StatusOf(int64_t number) {
  return number >= 0 && std::cmp_less(number, kAllStatuses.size()) ? kAllStatuses.at(number) : Status::kMissing;
}

Expected<Numbers> LoadNumbers(Database& db, int64_t run) {
  Numbers numbers;
  Expected<void> done = db.Query("SELECT case_id, n, median_us, min_us, bound_ratio FROM timings WHERE run_id = $1",
                                 {run}, [&](const Record& r) {
                                   SnapshotCase c{{r.Integer(1), r.Real(2), r.Real(3), r.IsNull(4) ? -1 : r.Real(4)}};
                                   c.key = r.Integer(0);
                                   numbers.cases.push_back(std::move(c));
                                 });
  if (done) {
    done = db.Query(
        R"sql(
      SELECT m.case_id, m.model_id, r.row_id, r.stage_id, r.cause_id, r.ops, r.status_id, r.up_to_machine
      FROM results r JOIN model_rows m ON m.id = r.row_id WHERE r.run_id = $1)sql",
        {run}, [&](const Record& r) {
          SnapshotRow row;
          row.key = r.Integer(2);
          row.ops = r.Integer(5);
          row.status = StatusOf(r.Integer(6));
          row.up_to_machine = r.Integer(7) != 0;
          numbers.rows.push_back({r.Integer(0), r.Integer(1), std::move(row), r.Integer(3), r.Integer(4)});
        });
  }
  if (!done) return Unexpected(done.error());
  // A server returns them in any order.
  std::ranges::sort(numbers.cases, {}, &SnapshotCase::key);
  std::ranges::sort(numbers.rows, {}, [](const Numbers::OfRow& each) { return each.row.key; });
  return numbers;
}

void AddRows(Numbers numbers, const Names& names, Snapshot& snapshot) {
  snapshot.cases = std::move(numbers.cases);
  std::unordered_map<int64_t, size_t> places;
  places.reserve(snapshot.cases.size());
  for (size_t i = 0; i < snapshot.cases.size(); ++i) places.emplace(snapshot.cases[i].key, i);
  const auto text = [](const Texts& texts, int64_t key) {
    const auto found = texts.find(key);
    return found == texts.end() ? std::string() : found->second;
  };
  snapshot.rows.reserve(numbers.rows.size());
  for (Numbers::OfRow& each : numbers.rows) {
    // A case without numbers is missing in the run, or its details were pruned.
    const auto [place, is_new] = places.try_emplace(each.case_key, snapshot.cases.size());
    if (is_new) snapshot.cases.emplace_back().key = each.case_key;
    each.row.case_index = place->second;
    each.row.model = text(names.models, each.model_key);
    each.row.stage = text(names.labels, each.stage);
    each.row.cause = text(names.causes, each.cause);
    snapshot.rows.push_back(std::move(each.row));
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

// Loads all but the rows and cases of a run.
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
  if (details < 0) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("the history has no run {}; `opbyop history list` names those that it has", name));
  }
  if (details == 0) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("run {}: the history has only its counts: its results were pruned", name));
  }
  if (done = LoadCauses(db, snapshot); !done) return Unexpected(done.error());
  return snapshot;
}

Expected<Snapshot> Load(Database& db, Expected<Snapshot> head) {
  if (!head) return head;
  Expected<Numbers> numbers = LoadNumbers(db, head->key);
  if (!numbers) return Unexpected(numbers.error());
  const Expected<Names> names = LoadNames(db);
  if (!names) return Unexpected(names.error());
  AddRows(std::move(*numbers), *names, *head);
  return head;
}

}  // namespace

Expected<Snapshot> LoadSnapshot(Database& db, const std::string& run_id) {
  Expected<Snapshot> snapshot = Load(db, LoadHead(db, "name", run_id, run_id));
  if (!snapshot) return snapshot;
  std::vector<size_t> all(snapshot->cases.size());
  std::iota(all.begin(), all.end(), 0);
  if (const Expected<void> done = NameCases(db, all, *snapshot); !done) return Unexpected(done.error());
  return snapshot;
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
  // If the system gives no thread, get() reads them.
  auto beside = std::async([&] { return LoadNumbers(connections.beside, pair.before.key); });
  Expected<Numbers> second = LoadNumbers(connections.db, pair.after.key);
  Expected<Numbers> first = beside.get();
  if (!first) return Unexpected(first.error());
  if (!second) return Unexpected(second.error());
  // Names are read last, so that every key in the numbers has a name.
  const Expected<Names> names = LoadNames(connections.db);
  if (!names) return Unexpected(names.error());
  auto adding = std::async([&] { AddRows(std::move(*first), *names, pair.before); });
  AddRows(std::move(*second), *names, pair.after);
  adding.get();
  return pair;
}

Expected<void> NameCases(Database& db, const std::vector<size_t>& cases, Snapshot& snapshot) {
  if (cases.empty()) return {};
  std::unordered_map<int64_t, size_t> places;
  std::vector<int64_t> keys;
  for (const size_t c : cases) {
    keys.push_back(snapshot.cases[c].key);
    places.emplace(keys.back(), c);
  }
  // Many cases are found faster by a range from the least to the greatest key.
  constexpr size_t kMany = 5'000;
  const auto [least, greatest] = std::ranges::minmax(keys);
  const std::string among = keys.size() < kMany ? fmt::format("id IN ({})", fmt::join(keys, ","))
                                                : fmt::format("id BETWEEN {} AND {}", least, greatest);
  return db.Query("SELECT id, name, op, signature FROM cases WHERE " + among, {}, [&](const Record& r) {
    const auto place = places.find(r.Integer(0));
    if (place == places.end()) return;
    SnapshotCase& c = snapshot.cases[place->second];
    c.id = r.Text(1);
    c.op = r.Text(2);
    c.signature = r.Text(3);
  });
}

}  // namespace opbyop::history
