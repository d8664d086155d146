// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes the data in index.html itself: the runs, the answers, and the counts of each cause.
//
//   Expected<std::vector<PageRun>> runs = RunsOf(*db, "host");
//   Expected<nlohmann::ordered_json> overview = Overview(*db, "host", *runs, files);
#ifndef OPBYOP_HISTORY_PAGE_PAGE_OVERVIEW_H_
#define OPBYOP_HISTORY_PAGE_PAGE_OVERVIEW_H_

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "history/database/database.h"
#include "history/page/page_files.h"
#include "support/expected.h"

namespace opbyop::history {

struct PageRun {
  int64_t id = 0;  // in the database
  std::string name, series, source;
  int64_t age = 0;               // in its series, 1: the newest; 0: a run of chosen rows, which is compared with none
  int64_t details = 0;           // runs.details
  bool latest = false;           // whether the questions about newest runs include it
  nlohmann::ordered_json facts;  // in the form of the page
};

// All runs, newest first.
Expected<std::vector<PageRun>> RunsOf(Database& db, const std::string& series);

// Whether the folder `run` was imported from still holds it.
bool SourceHasRun(const PageRun& run);

// The page's data without that of its files; answers with too many lines are written to files of their own. `out` is
// the page's folder, for links to the pages of runs.
Expected<nlohmann::ordered_json> Overview(Database& db, const std::string& series, const std::vector<PageRun>& runs,
                                          const std::filesystem::path& out, PageFiles& files);

// Returns the value as compact text, with U+FFFD for invalid UTF-8.
std::string CompactJson(const nlohmann::ordered_json& json);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_PAGE_PAGE_OVERVIEW_H_
