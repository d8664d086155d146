// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums up a run's results by op, stage and type, for the tables of schema/0003_summaries.sql. Questions about the
// newest runs read these instead of millions of rows.
//
//   RunSummaries summaries;
//   summaries.AddStage({.op = "stablehlo.add", .stage_key = 3, .status = Status::kPass, .ms = 1.5, .case_key = 77});
//   summaries.Write(*db, run_key);
#ifndef OPBYOP_HISTORY_IMPORT_RUN_SUMMARIES_H_
#define OPBYOP_HISTORY_IMPORT_RUN_SUMMARIES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "history/database/database.h"
#include "manifests/status/status.h"
#include "support/expected.h"

namespace opbyop::history {

// Used instead of a stage for a case that ran only once.
inline constexpr std::string_view kFirstCall = "first call";

class RunSummaries {
 public:
  struct Stage {
    const std::string& op;  // as `cases` has it
    int64_t stage_key = 0;
    Status status = Status::kPass;
    double ms = 0;
    int64_t case_key = 0;
  };
  void AddStage(const Stage& stage);

  // Adds the time of one execution of the case on the device.
  void AddDevice(double median_us, int64_t case_key);
  // Adds the time of a case that ran only once. `label_key` is the key of kFirstCall, which is used instead of a stage.
  void AddFirstCall(int64_t label_key, double us, int64_t case_key);

  void AddRow(const std::string& op, const std::string& dtype, Status status, int64_t ops);

  Expected<void> Write(Database& db, int64_t run);

 private:
  // A time in microseconds, and the case that took it.
  using Times = std::vector<std::pair<double, int64_t>>;
  struct StageCount {
    int64_t cases = 0;
    double ms = 0;
  };
  struct RowCount {
    int64_t rows = 0, ops = 0;
  };

  std::map<std::tuple<std::string, int64_t, Status>, StageCount> stages_;
  std::map<int64_t, Times> times_;  // by stage; 0: on the device
  std::map<std::tuple<std::string, std::string, Status>, RowCount> types_;
};

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_IMPORT_RUN_SUMMARIES_H_
