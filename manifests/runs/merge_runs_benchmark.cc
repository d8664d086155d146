// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the cost of merging (budget: ten shards of 100,000 rows in 10 s, with constant memory).
//
//   build/bin/merge_runs_benchmark [SHARDS] [ROWS OF EACH]
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "manifests/cases/row_ranges.h"
#include "manifests/runs/merge_runs.h"
#include "support/files/output_file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

double Seconds(const std::chrono::steady_clock::time_point& since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

int64_t PeakRssMb() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// A record with four input sets, as in a nightly run.
std::string Record(const std::string& id) {
  CaseRecord record{.id = id, .status = Status::kPass, .stage = "compare"};
  for (const char* stage :
       {"parse", "stablehlo-to-linalg", "linalg-to-llvm", "codegen", "load", "execute", "compare"}) {
    record.stages.push_back({stage, Status::kPass, 1.25, ""});
  }
  for (const char* policy : {"domain", "sparse", "edge", "sweep"}) {
    Comparison comparison{.dtype = "f32", .elements = 4096, .rule = "accumulation c=1 n=768 u=2^-24", .policy = policy};
    record.comparisons.push_back(std::move(comparison));
    record.sets.push_back({policy, 1234567890123456789, Status::kPass, "compare", "", 0});
  }
  record.start = "2026-11-21T10:15:00.123456+00:00";
  record.repro = "opbyop repro bert__" + id + " --run=out/nightly --target=host";
  return ToJsonLine(record) + "\n";
}

int Main(uint64_t shards, uint64_t rows) {
  const TestFolder folder;
  int64_t bytes = 0;
  for (uint64_t shard = 0; shard < shards; ++shard) {
    RunHeader header;
    header.run_id = fmt::format("run{}", shard);
    header.target = "host";
    header.start = "2026-11-21T10:15:00.000000+00:00";
    header.manifest_rows = shards * rows;
    header.shard = shard + 1;
    header.shards = shards;
    std::vector<size_t> numbers;
    for (uint64_t row = 0; row < rows; ++row) numbers.push_back(row * shards + shard);
    header.selected = FormatRows(numbers);
    auto file = OutputFile::Create(folder.path() / ResultsName(shard + 1, shards));
    if (!file) return 1;
    (*file)->Write(ToJsonLine(header) + "\n");
    for (const size_t row : numbers) {
      const std::string line = Record(fmt::format("add_1024x768_f32_{:08x}", row));
      bytes += static_cast<int64_t>(line.size());
      (*file)->Write(line);
    }
    (*file)->Write(ToJsonLine(RunFooter{{}, 60, "end"}) + "\n");
    if (!(*file)->Close()) return 1;
  }
  const int64_t before = PeakRssMb();
  const auto begin = std::chrono::steady_clock::now();
  const auto merged = MergeRuns({{folder.path()}, folder.path() / "merged/results.jsonl", {}, false});
  if (!merged) {
    fmt::print(stderr, "{}\n", merged.error().message);
    return 1;
  }
  fmt::print("{} shards of {} rows, {} MB: {:.1f} s, peak {} MB ({} MB before)\n", shards, rows, bytes >> 20,
             Seconds(begin), PeakRssMb(), before);
  return 0;
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) {
  return opbyop::Main(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10,
                      argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100'000);
}
