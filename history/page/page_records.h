// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a run's records of its cases for the page of a history, from the folder that the run was imported from: the
// data of the run's own page (reports/page/page_data.h) for these cases, their programs, and, if they were kept, the IR
// of each stage and the errors of all elements.
//
//   Expected<RecordedCases> recorded = WriteRecords(run, "record-0", cases, changed, kept, files);
//   recorded->files.at("add_4_f32_1a2b3c4d");   // "record-0-3"
#ifndef OPBYOP_HISTORY_PAGE_PAGE_RECORDS_H_
#define OPBYOP_HISTORY_PAGE_PAGE_RECORDS_H_

#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>

#include "history/page/page_cases.h"
#include "history/page/page_files.h"
#include "history/page/page_overview.h"
#include "support/expected.h"

namespace opbyop::history {

struct RecordedCases {
  std::unordered_map<std::string, std::string> files;  // by case
  std::string absent;                                  // why there are none; empty if the folder holds the run
};

// Writes the records of cases that do not pass and of those in `changed`. `kept` is where --keep wrote the folders of
// cases; if it is empty, that is RUN/kept.
Expected<RecordedCases> WriteRecords(const PageRun& run, const std::string& prefix, const PageCases& cases,
                                     const std::set<std::string>& changed, const std::filesystem::path& kept,
                                     PageFiles& files);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_PAGE_PAGE_RECORDS_H_
