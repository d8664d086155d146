// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/questions/runs_before.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "history/difference/snapshot.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"

namespace opbyop::history {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostRunsBefore = 30;

constexpr const char* kRuns = R"sql(
    SELECT r.name, r.started, t.rows_count, t.passed, r.source, r.details
    FROM runs r JOIN trend t ON t.run = r.name
    WHERE r.series = $1 AND r.partial = 0 AND r.complete = 1 AND r.started_us < $2 AND r.name <> $3
    ORDER BY r.started_us DESC, r.name DESC LIMIT $4)sql";

// The page next to the results of a run; empty if those results are of another run now.
std::string PageOf(const fs::path& source, const std::string& id, const fs::path& out) {
  std::error_code error;
  const bool is_folder = fs::is_directory(source, error);
  const Expected<RunHeader> header = LoadRunHeader(is_folder ? source / "results.jsonl" : source);
  const fs::path page = (is_folder ? source : source.parent_path()) / "index.html";
  if (!header || header->run_id != id || !fs::exists(page, error)) return "";
  return fs::proximate(page, out, error).generic_string();
}

}  // namespace

Expected<reports::RunsBefore> FindRunsBefore(Database& db, const reports::View& view, const fs::path& out) {
  const Snapshot head = SnapshotHead(view);
  reports::RunsBefore before;
  bool has_rows = false;
  const Expected<void> runs =
      db.Query(kRuns, {head.series, head.started_us, head.run_id, kMostRunsBefore}, [&](const Record& record) {
        if (before.runs.empty()) has_rows = record.Integer(5) > 0;
        const std::string id(record.Text(0));
        before.runs.push_back({id, std::string(record.Text(1)), record.Integer(2), record.Integer(3),
                               PageOf(fs::path(record.Text(4)), id, out)});
      });
  if (!runs) return Unexpected(runs.error());
  if (has_rows) {
    std::vector<std::string> red;
    const Expected<void> rows = db.Query(
        "SELECT model, case_name FROM run_results WHERE run = $1 AND red = 1", {before.runs.front().id},
        [&](const Record& record) { red.push_back(std::string(record.Text(0)) + "__" + std::string(record.Text(1))); });
    if (!rows) return Unexpected(rows.error());
    std::ranges::sort(red);
    before.red = std::move(red);
  }
  std::ranges::reverse(before.runs);
  return before;
}

}  // namespace opbyop::history
