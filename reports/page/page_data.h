// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The data of index.html as compact JSON, `opbyop-page/4`; reports/web/src/data.ts reads it. Both sides' tests hold to
// reports/web/src/testdata/page.json.
//
//   statuses, stages, models, ops   lists; elsewhere their members go by index. -1: no stage
//   strings     every text that repeats, by index (-1: none); "{id}" in a text stands for the case id
//   columns     the names of the fields of what there are many of (page_columns.h): cases, rows and what they hold
//   cases       null for a case of which the run chose no row. What neither a line nor the search needs is JSON as
//               text in `detail`: of 100,000 cases the page parses those that are looked at
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

// The same of these cases alone, with their rows, in the order of `cases` (indices into the manifest's), and without
// causes and gaps: what a page of many runs says of a case.
void PageDataOf(const View& view, const std::vector<size_t>& cases, const TextSink& out);

// What stands beside the page.
struct PageFiles {
  ProfileLinks profiles = {};
  ProgramTexts programs = {};
  std::string score_card = {};  // its name without an ending; empty: there is none
  RunsBefore before = {};
};

// The data as it is written, from its beginning to its end, row by row of the view: for who comes by the records
// anyway.
class PageDataWriter {
 public:
  // `view` and `files` must live as long.
  PageDataWriter(const View& view, const PageFiles& files, TextSink out);
  ~PageDataWriter();

  void Begin();
  // Each row in its order, with the record of its case, null where the results lack it.
  void Add(const RowResult& row, const CaseRecord* record);
  void End();

 private:
  struct State;
  std::unique_ptr<State> state_;
  size_t last_case_ = SIZE_MAX;
};

// The whole of it. Holds no "<", so it may stand in a <script> element as it is.
void PageData(const View& view, const PageFiles& files, const TextSink& out);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_PAGE_DATA_H_
