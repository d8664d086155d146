// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures a history of 10^7 rows: 100 runs of 100,000 rows, 25 nights on each of four targets, with all details. Each
// night is imported by one command and each question is asked on its own connection, as the command line does.
// history/test/postgres_benchmark.py does the same on a server. Needs some 7 GB in the folder for temporary files.
//
//   history_benchmark [NIGHTS] [ROWS OF EACH RUN] [WHERE, in place of a file for the time of the benchmark]
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "history/database/database.h"
#include "history/database/history_place.h"
#include "history/difference/compared_runs.h"
#include "history/import/benchmark_nights.h"
#include "history/import/importer.h"
#include "history/import/retention.h"
#include "history/page/page.h"
#include "history/questions/questions.h"
#include "support/test_folder.h"

namespace opbyop::history {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kBaselines = "baselines";
constexpr int64_t kImportedRows = 1'000'000;

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// The CPU time of this process, which other processes do not distort. A server's time is not included.
double CpuSeconds() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

class Watch {
 public:
  void Add(const Watch& other) {
    wall_ += other.wall_;
    cpu_ += other.cpu_;
  }
  void Stop() {
    wall_ = std::chrono::duration<double>(Clock::now() - begin_).count();
    cpu_ = CpuSeconds() - cpu_begin_;
  }
  double wall() const { return wall_; }
  double cpu() const { return cpu_; }

 private:
  Clock::time_point begin_ = Clock::now();
  double cpu_begin_ = CpuSeconds();
  double wall_ = 0, cpu_ = 0;
};

void Print(const std::string& what, const Watch& took, const std::string& budget, const std::string& more = "") {
  std::printf("%-44s %8.3f s  cpu %8.3f s   budget %-6s %s\n", what.c_str(), took.wall(), took.cpu(), budget.c_str(),
              more.c_str());
  std::fflush(stdout);
}

int Failed(const Error& error) {
  fmt::print(stderr, "{}\n", error.message);
  return 1;
}

// Imports the runs of one night, as one command does.
Expected<int64_t> ImportNight(const std::string& where, const BenchmarkNights& nights, size_t night,
                              const fs::path& folder, Watch& took) {
  std::vector<fs::path> runs;
  for (size_t target = 0; target < nights.targets(); ++target) {
    runs.push_back(folder / BenchmarkNights::RunId(night, target));
    const Expected<void> written = nights.Write(runs.back(), night, target);
    if (!written) return Unexpected(written.error());
  }
  int64_t rows = 0;
  Watch watch;
  const auto db = OpenDatabase(where, Access::kWrite);
  if (!db) return Unexpected(db.error());
  Importer importer(**db, {.baseline = folder / kBaselines, .difference = {}});
  const Expected<void> done = importer.ImportEach(runs, [&](const ImportReport& report) { rows += report.rows; });
  if (!done) return Unexpected(done.error());
  if (const Expected<void> done = (*db)->Analyze(); !done) return Unexpected(done.error());
  watch.Stop();
  took.Add(watch);
  for (const fs::path& run : runs) fs::remove_all(run);
  return rows;
}

// Answers one question as the command line does.
Expected<std::string> Asked(Database& db, const Question& question) {
  const Expected<Answer> answer = Ask(db, question, {});
  if (!answer) return Unexpected(answer.error());
  const auto shown = static_cast<int64_t>(answer->table.body.size());
  return fmt::format("{} lines", shown + answer->left_out);
}

Expected<std::string> Differed(Database& db, const std::string& where, size_t night) {
  const auto beside = OpenDatabase(where, Access::kRead);
  if (!beside) return Unexpected(beside.error());
  const auto found = CompareStored({.db = db, .beside = **beside}, BenchmarkNights::RunId(night - 1, 0),
                                   BenchmarkNights::RunId(night, 0), {});
  if (!found) return Unexpected(found.error());
  return fmt::format("{} changes", found->difference.changes.size());
}

// Counts the lines of a view for dashboards.
Expected<std::string> CountText(Database& db, const std::string& statement) {
  int64_t lines = 0;
  const Expected<void> done = db.Query(statement, {}, [&](const Record&) { ++lines; });
  if (!done) return Unexpected(done.error());
  return fmt::format("{} lines", lines);
}

int AskAll(const std::string& where, size_t nights) {
  const std::string budget = IsPostgres(where) ? "1 s" : "2 s";
  const auto measure = [&](const std::string& what, const std::function<Expected<std::string>(Database&)>& ask) {
    Watch watch;
    const auto db = OpenDatabase(where, Access::kRead);
    if (!db) return Failed(db.error());
    const Expected<std::string> said = ask(**db);
    if (!said) return Failed(said.error());
    watch.Stop();
    Print(what, watch, budget, *said);
    return 0;
  };
  int failed = 0;
  for (const Question& question : Questions()) {
    failed += measure(std::string(question.verb), [&](Database& db) { return Asked(db, question); });
  }
  failed += measure("list", [](Database& db) -> Expected<std::string> {
    const auto runs = ListRuns(db, "");
    if (!runs) return Unexpected(runs.error());
    return fmt::format("{} lines", runs->size());
  });
  if (nights > 1) failed += measure("diff", [&](Database& db) { return Differed(db, where, nights - 1); });
  const std::string run = BenchmarkNights::RunId(nights - 1, 0);
  for (const auto& [name, statement] : std::initializer_list<std::pair<std::string, std::string>>{
           {"view op_stages", "SELECT * FROM op_stages"},
           {"view numerics, by op and type",
            "SELECT op, dtype, count(*), max(bound_ratio) FROM numerics WHERE series = 'host' GROUP BY op, dtype"},
           {"view run_results, a run by op",
            fmt::format("SELECT op, status, count(*) FROM run_results WHERE run = '{}' GROUP BY op, status", run)},
           {"view case_history, a case",
            "SELECT * FROM case_history WHERE case_name = (SELECT name FROM cases WHERE id = 77)"}}) {
    failed += measure(name, [&](Database& db) { return CountText(db, statement); });
  }
  return failed;
}

int Main(size_t nights, size_t rows, const std::string& elsewhere) {
  const TestFolder folder;
  const std::string where = elsewhere.empty() ? (folder.path() / "history.db").string() : elsewhere;
  const BenchmarkNights made(rows, {"host", "iree", "xla", "tpu-v5e"});
  for (size_t target = 0; target < made.targets(); ++target) {
    const auto written = made.WriteBaseline(folder.path() / kBaselines, target);
    if (!written) return Failed(written.error());
  }
  int64_t imported = 0;
  Watch took;
  took.Stop();
  bool reported = false;
  for (size_t night = 0; night < nights; ++night) {
    const Expected<int64_t> added = ImportNight(where, made, night, folder.path(), took);
    if (!added) return Failed(added.error());
    imported += *added;
    if (!reported && imported >= kImportedRows) {
      Print(fmt::format("{} rows imported", imported), took, "60 s", "of 10^6 rows");
      reported = true;
    }
  }
  Print(fmt::format("{} rows imported", imported), took,
        fmt::format("{:.0f} s", 60.0 * static_cast<double>(imported) / kImportedRows));
  std::error_code error;
  if (elsewhere.empty()) fmt::print("{} MB\n", fs::file_size(where, error) >> 20);
  if (const int failed = AskAll(where, nights); failed > 0) return 1;
  Watch watch;
  const auto db = OpenDatabase(where, Access::kRead);
  if (!db) return Failed(db.error());
  const auto page = WritePage(**db, {.out = folder.path() / "page", .series = "host", .runs = 30, .kept = ""});
  if (!page) return Failed(page.error());
  watch.Stop();
  Print(fmt::format("the page, {} rows of the newest run", page->rows), watch, "none",
        fmt::format("{} files, {} MB", page->files, page->bytes >> 20));
  return 0;
}

}  // namespace
}  // namespace opbyop::history

int main(int argc, char** argv) {
  return opbyop::history::Main(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 25,
                               argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100'000, argc > 3 ? argv[3] : "");
}
