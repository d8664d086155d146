// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/import/run_summaries.h"

#include <algorithm>
#include <memory>

namespace opbyop::history {
namespace {

constexpr size_t kMostSlowest = 50;
constexpr int64_t kDevice = 0;  // the key that is used for the device instead of a stage

Expected<void> WriteAll(Database& db, const std::string& table, size_t columns, const std::vector<Values>& rows) {
  Expected<std::unique_ptr<RowWriter>> writer = db.Write(table, columns);
  if (!writer) return Unexpected(writer.error());
  for (const Values& row : rows) {
    if (const Expected<void> added = (*writer)->Add(row); !added) return added;
  }
  return (*writer)->Finish();
}

}  // namespace

void RunSummaries::AddStage(const Stage& stage) {
  StageCount& count = stages_[{stage.op, stage.stage_key, stage.status}];
  ++count.cases;
  count.ms += stage.ms;
  times_[stage.stage_key].emplace_back(1000 * stage.ms, stage.case_key);
}

void RunSummaries::AddDevice(double median_us, int64_t case_key) { times_[kDevice].emplace_back(median_us, case_key); }

void RunSummaries::AddFirstCall(int64_t label_key, double us, int64_t case_key) {
  times_[label_key].emplace_back(us, case_key);
}

void RunSummaries::AddRow(const std::string& op, const std::string& dtype, Status status, int64_t ops) {
  RowCount& count = types_[{op, dtype, status}];
  ++count.rows;
  count.ops += ops;
}

Expected<void> RunSummaries::Write(Database& db, int64_t run) {
  std::vector<Values> stages, slowest, types;
  for (const auto& [key, count] : stages_) {
    const auto& [op, stage, status] = key;
    stages.push_back({run, op, stage, static_cast<int64_t>(status), count.cases, count.ms});
  }
  for (auto& [stage, times] : times_) {
    double sum = 0;
    for (const auto& [us, case_key] : times) sum += us;
    const size_t kept = std::min(times.size(), kMostSlowest);
    std::ranges::partial_sort(
        times, times.begin() + static_cast<std::ptrdiff_t>(kept),
        [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    for (size_t i = 0; i < kept; ++i) {
      const auto& [us, case_key] = times[i];
      slowest.push_back({run, stage, static_cast<int64_t>(i + 1), case_key, us, sum > 0 ? Value(us / sum) : Value()});
    }
  }
  for (const auto& [key, count] : types_) {
    const auto& [op, dtype, status] = key;
    types.push_back({run, op, dtype, static_cast<int64_t>(status), count.rows, count.ops});
  }
  Expected<void> done = WriteAll(db, "run_op_stages", 6, stages);
  if (done) done = WriteAll(db, "run_slowest", 6, slowest);
  if (done) done = WriteAll(db, "run_op_types", 6, types);
  return done;
}

}  // namespace opbyop::history
