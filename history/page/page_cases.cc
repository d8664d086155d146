// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/page/page_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/page/page_strings.h"
#include "reports/view/page_number.h"

namespace opbyop::history {
namespace {

using Json = nlohmann::ordered_json;
using reports::PageNumber;
using reports::PageStrings;

Json NumberOrNull(const Record& record, int at) { return record.IsNull(at) ? Json() : PageNumber(record.Real(at)); }

Json ListOrEmpty(std::string_view text) {
  Json list = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return list.is_array() ? list : Json::array();
}

// Columns of one table, filled line by line.
class Columns {
 public:
  explicit Columns(std::vector<std::string> names) : names_(std::move(names)), values_(names_.size(), Json::array()) {}

  void Add(std::vector<Json> line) {
    for (size_t i = 0; i < line.size(); ++i) values_[i].push_back(std::move(line[i]));
  }

  Json Take() {
    Json json = Json::object();
    for (size_t i = 0; i < names_.size(); ++i) json[names_[i]] = std::move(values_[i]);
    return json;
  }

 private:
  std::vector<std::string> names_;
  std::vector<Json> values_;
};

}  // namespace

Expected<void> PageCases::WriteCases() {
  Columns columns({"name", "op", "kind", "dtype", "signature", "flops", "bytes"});
  PageStrings strings;
  const Expected<void> done = db_.Query(
      "SELECT id, name, op, kind, dtype, signature, flops, bytes FROM cases ORDER BY id", {}, [&](const Record& r) {
        places_.emplace(r.Integer(0), ids_.size());
        by_name_.emplace(r.Text(1), ids_.size());
        ids_.push_back(r.Integer(0));
        names_.emplace_back(r.Text(1));
        columns.Add({std::string(r.Text(1)), strings.Intern(r.Text(2)), strings.Intern(r.Text(3)),
                     strings.Intern(r.Text(4)), strings.Intern(r.Text(5)), r.Integer(6), r.Integer(7)});
      });
  if (!done) return Unexpected(done.error());
  Json json = columns.Take();
  json["strings"] = strings.Take();
  return files_.Write("cases", CompactJson(json));
}

int64_t PageCases::ChunkOf(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? -1 : static_cast<int64_t>(found->second / kChunk);
}

Expected<int64_t> PageCases::WriteRows(const PageRun& run, const std::string& file) {
  Columns columns({"case", "model", "status", "stage", "cause", "ops", "reason", "issue", "owner", "us", "compile_ms",
                   "wall_ms", "bound"});
  PageStrings strings;
  int64_t rows = 0;
  const Expected<void> done = db_.Query(
      R"sql(
      SELECT m.case_id, o.name, x.status_id, l.name, g.name, x.ops, e.reason, e.issue, e.owner, t.median_us,
        t.compile_ms, t.wall_ms, t.bound_ratio
      FROM results x JOIN model_rows m ON m.id = x.row_id JOIN models o ON o.id = m.model_id
      JOIN labels l ON l.id = x.stage_id LEFT JOIN causes g ON g.id = x.cause_id
      LEFT JOIN expectations e ON e.id = x.expectation_id
      LEFT JOIN timings t ON t.run_id = x.run_id AND t.case_id = m.case_id WHERE x.run_id = $1
      ORDER BY m.case_id, o.name)sql",
      {run.id}, [&](const Record& r) {
        const auto place = places_.find(r.Integer(0));
        if (place == places_.end()) return;  // imported since the cases were read
        ++rows;
        columns.Add({place->second, strings.Intern(r.Text(1)), r.Integer(2), strings.Intern(r.Text(3)),
                     strings.Intern(r.Text(4)), r.Integer(5), strings.Intern(r.Text(6)), strings.Intern(r.Text(7)),
                     strings.Intern(r.Text(8)), NumberOrNull(r, 9), NumberOrNull(r, 10), NumberOrNull(r, 11),
                     NumberOrNull(r, 12)});
      });
  if (!done) return Unexpected(done.error());
  Json json = columns.Take();
  json["strings"] = strings.Take();
  const Expected<void> written = files_.Write(file, CompactJson(json));
  if (!written) return Unexpected(written.error());
  return rows;
}

Expected<std::string> PageCases::Chunk(size_t first, size_t last, const std::vector<size_t>& shown,
                                       const std::function<std::vector<std::string>(const std::string&)>& recorded) {
  PageStrings strings;
  std::vector<Json> cases(last - first);
  for (size_t i = first; i < last; ++i) {
    cases[i - first] = {{"runs", Json::array()},
                        {"stages", Json::array()},
                        {"comparisons", Json::array()},
                        {"origins", Json::array()},
                        {"recorded", recorded(names_[i])}};
  }
  const auto add = [&](const Record& r, const char* list, Json line) {
    const auto place = places_.find(r.Integer(0));
    if (place != places_.end() && place->second >= first && place->second < last) {
      cases[place->second - first][list].push_back(std::move(line));
    }
  };
  const int64_t from = ids_[first], to = ids_[last - 1];
  Expected<void> done;
  for (const size_t run : shown) {
    const Values parameters = {runs_[run].id, from, to};
    // CROSS JOIN makes SQLite start with the few cases, not with all results of the run.
    done = db_.Query(
        R"sql(
      SELECT m.case_id, x.status_id, l.name, g.name, count(*), t.median_us, t.compile_ms, t.wall_ms, t.bound_ratio
      FROM model_rows m CROSS JOIN results x JOIN labels l ON l.id = x.stage_id
      LEFT JOIN causes g ON g.id = x.cause_id LEFT JOIN timings t ON t.run_id = $1 AND t.case_id = m.case_id
      WHERE x.run_id = $1 AND x.row_id = m.id AND m.case_id BETWEEN $2 AND $3
      GROUP BY m.case_id, x.status_id, l.name, g.name, t.median_us, t.compile_ms, t.wall_ms, t.bound_ratio
      ORDER BY m.case_id, x.status_id)sql",
        parameters, [&](const Record& r) {
          add(r, "runs",
              {run, r.Integer(1), strings.Intern(r.Text(2)), strings.Intern(r.Text(3)), r.Integer(4),
               NumberOrNull(r, 5), NumberOrNull(r, 6), NumberOrNull(r, 7), NumberOrNull(r, 8)});
        });
    if (!done) return Unexpected(done.error());
    if (!runs_[run].latest) continue;
    done = db_.Query(
        R"sql(
      SELECT st.case_id, l.name, st.status_id, st.ms
      FROM stages st JOIN labels l ON l.id = st.stage_id WHERE st.run_id = $1 AND st.case_id BETWEEN $2 AND $3
      ORDER BY st.case_id, st.position)sql",
        parameters, [&](const Record& r) {
          add(r, "stages", {run, strings.Intern(r.Text(1)), r.Integer(2), PageNumber(r.Real(3))});
        });
    if (!done) return Unexpected(done.error());
    done = db_.Query(
        R"sql(
      SELECT q.case_id, p.name, u.name, q.output, q.elements, q.mismatches, q.accepted, q.max_abs, q.max_rel,
        q.max_ulp, q.pcc, q.bound_ratio
      FROM comparisons q JOIN labels p ON p.id = q.policy_id JOIN labels u ON u.id = q.rule_id
      WHERE q.run_id = $1 AND q.case_id BETWEEN $2 AND $3
      ORDER BY q.case_id, q.position)sql",
        parameters, [&](const Record& r) {
          Json line = {run,
                       strings.Intern(r.Text(1)),
                       strings.Intern(r.Text(2)),
                       r.Integer(3),
                       r.Integer(4),
                       r.Integer(5),
                       r.Integer(6)};
          for (int at = 7; at < 12; ++at) line.push_back(NumberOrNull(r, at));
          add(r, "comparisons", std::move(line));
        });
    if (!done) return Unexpected(done.error());
  }
  done = db_.Query(
      R"sql(
      SELECT m.case_id, o.name, n.ops, n.framework_op, n.module_path, n.locations
      FROM model_rows m JOIN origins n ON n.row_id = m.id JOIN models o ON o.id = m.model_id
      WHERE m.case_id BETWEEN $1 AND $2
      ORDER BY m.case_id, o.name, n.position)sql",
      {from, to}, [&](const Record& r) {
        add(r, "origins",
            {strings.Intern(r.Text(1)), r.Integer(2), strings.Intern(r.Text(3)), ListOrEmpty(r.Text(4)),
             ListOrEmpty(r.Text(5))});
      });
  if (!done) return Unexpected(done.error());
  Json json = {{"first", first}, {"cases", std::move(cases)}};
  json["strings"] = strings.Take();
  return CompactJson(json);
}

Expected<void> PageCases::WriteChunks(const std::vector<size_t>& shown,
                                      const std::function<std::vector<std::string>(const std::string&)>& recorded) {
  for (size_t first = 0; first < ids_.size(); first += kChunk) {
    const Expected<std::string> chunk = Chunk(first, std::min(first + kChunk, ids_.size()), shown, recorded);
    if (!chunk) return Unexpected(chunk.error());
    const Expected<void> written = files_.Write(fmt::format("case-{}", first / kChunk), *chunk);
    if (!written) return written;
  }
  return {};
}

}  // namespace opbyop::history
