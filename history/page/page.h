// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The page of a history: a folder with index.html, which has the answer to every question of
// history/questions/questions.h, and with data that it loads when it is looked at: the rows of the newest runs, what
// each run changed, and of every case its runs, stages and comparisons. Works from file://, asks the network for
// nothing.
//
//   Expected<PageReport> made = WritePage(*db, {.out = "out/history"});
//   std::cout << made->index.string();
//
// Where the folder that a newest run was imported from still holds that run, cases that do not pass or that changed
// also have what that run recorded of them: inputs, worst elements, log, program, and the IR of each stage and the
// errors of all elements where they were kept.
#ifndef OPBYOP_HISTORY_PAGE_PAGE_H_
#define OPBYOP_HISTORY_PAGE_PAGE_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "history/database/database.h"
#include "support/expected.h"

namespace opbyop::history {

struct PageOptions {
  std::filesystem::path out;
  std::string series;          // that series alone; empty: all
  int64_t runs = 30;           // newest of each series that a case is shown in
  std::filesystem::path kept;  // where --keep left the cases' folders; empty: RUN/kept
};

struct PageReport {
  std::filesystem::path index;
  int64_t runs = 0;
  int64_t rows = 0;  // of the newest runs
  int64_t cases = 0;
  int64_t recorded = 0;  // cases with what their run recorded
  int64_t files = 0;
  int64_t bytes = 0;
};

// kNothingToDo where the history has no run.
Expected<PageReport> WritePage(Database& db, const PageOptions& options);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_PAGE_PAGE_H_
