// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the page of a history: a folder with an index.html that answers every question of
// history/questions/questions.h, and with data that the page loads on demand: the rows of the newest runs, the changes
// of each run, and the runs, stages and comparisons of every case. The page works from file:// and without a network.
//
//   Expected<PageReport> made = WritePage(*db, {.out = "out/history"});
//   std::cout << made->index.string();
//
// If the folder that a newest run was imported from still holds that run, cases that do not pass or that changed also
// show what the run recorded: inputs, worst elements, log, program, and, if they were kept, the IR of each stage and
// the errors of all elements.
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
  std::string series;          // only that series; empty: all
  int64_t runs = 30;           // newest runs of each series that a case is shown in
  std::filesystem::path kept;  // where --keep wrote the cases' folders; empty: RUN/kept
};

struct PageReport {
  std::filesystem::path index;
  int64_t runs = 0;
  int64_t rows = 0;  // of the newest runs
  int64_t cases = 0;
  int64_t recorded = 0;  // number of cases with records of their run
  int64_t files = 0;
  int64_t bytes = 0;
};

// Returns kNothingToDo if the history has no run.
Expected<PageReport> WritePage(Database& db, const PageOptions& options);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_PAGE_PAGE_H_
