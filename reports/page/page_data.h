// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The data of index.html as compact JSON, `opbyop-page/5`, which reports/web/src/data.ts reads. Both sides are tested
// with reports/web/src/testdata/page.json.
//
//   statuses, stages, models, ops   lists; elsewhere their members go by index. -1: no stage
//   strings     every text that repeats, by index (-1: none); "{id}" in a text stands for the case id
//   columns     the names of the fields of packed items (page_columns.h): cases, rows and their parts
//   cases       null for a case of which the run chose no row. What neither the row nor the search needs is JSON as
//               text in `detail`: of 100,000 cases the page parses only those that are opened
#ifndef OPBYOP_REPORTS_PAGE_PAGE_DATA_H_
#define OPBYOP_REPORTS_PAGE_PAGE_DATA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reports/page/profile_links.h"
#include "reports/page/program_texts.h"
#include "reports/page/runs_before.h"
#include "reports/page/web_page.h"
#include "reports/view/rows.h"

namespace opbyop::reports {

// The same for these cases only, with their rows, in the order of `cases` (indices into the manifest's), and without
// causes and gaps. The page of many runs shows a case with it.
void PageDataOf(const View& view, const std::vector<size_t>& cases, const TextSink& out);

// The files next to the page.
struct PageFiles {
  ProfileLinks profiles = {};
  ProgramTexts programs = {};
  std::string score_card = {};  // its name without the ending; empty: there is none
  std::string tree = {};        // the page of the models as trees; empty: there is none
  RunsBefore before = {};
};

// Writes the data from beginning to end, row by row of the view, for a caller that reads the records anyway.
class PageDataWriter {
 public:
  // `view` and `files` must outlive it.
  PageDataWriter(const View& view, const PageFiles& files, TextSink out);
  ~PageDataWriter();

  void Begin();
  // Adds each row in its order, with the record of its case, which is null if the results lack it.
  void Add(const RowResult& row, const CaseRecord* record);
  void End();

 private:
  struct State;
  std::unique_ptr<State> state_;
  size_t last_case_ = SIZE_MAX;
};

// The whole data. Contains no "<", and so can be put into a <script> element.
void PageData(const View& view, const PageFiles& files, const TextSink& out);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_PAGE_DATA_H_
