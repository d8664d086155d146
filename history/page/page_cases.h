// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the data about rows and cases that the page of a history loads:
//
//   cases        the name, op, type and signature of every case; its index is its number on the page
//   rows-N       the rows of the newest run of the page's N-th series, column by column
//   case-N       the runs of kChunk cases, and the stages and comparisons of the newest ones
#ifndef OPBYOP_HISTORY_PAGE_PAGE_CASES_H_
#define OPBYOP_HISTORY_PAGE_PAGE_CASES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "history/database/database.h"
#include "history/page/page_files.h"
#include "history/page/page_overview.h"
#include "support/expected.h"

namespace opbyop::history {

class PageCases {
 public:
  static constexpr size_t kChunk = 250;  // cases in one file

  PageCases(Database& db, const std::vector<PageRun>& runs, PageFiles& files) : db_(db), runs_(runs), files_(files) {}

  // Collects the cases of the newest runs and those that changed. Writes `cases`.
  Expected<void> WriteCases();

  // Writes the rows of a newest run; returns their number.
  Expected<int64_t> WriteRows(const PageRun& run, const std::string& file);

  // Writes the chunks. `shown` are the runs that a case is shown in. `recorded` returns the files with the records of
  // the case with this name.
  Expected<void> WriteChunks(const std::vector<size_t>& shown,
                             const std::function<std::vector<std::string>(const std::string&)>& recorded);

  int64_t count() const { return static_cast<int64_t>(ids_.size()); }

  // The chunk with the case; -1 if the history does not know the case.
  int64_t ChunkOf(const std::string& name) const;

 private:
  Expected<std::string> Chunk(size_t first, size_t last, const std::vector<size_t>& shown,
                              const std::function<std::vector<std::string>(const std::string&)>& recorded);

  Database& db_;
  const std::vector<PageRun>& runs_;
  PageFiles& files_;
  std::vector<int64_t> ids_;  // in ascending order
  std::vector<std::string> names_;
  std::unordered_map<int64_t, size_t> places_;
  std::unordered_map<std::string, size_t> by_name_;
};

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_PAGE_PAGE_CASES_H_
