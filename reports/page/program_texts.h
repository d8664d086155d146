// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The programs of a run's cases, for the page that shows its rows: small ones go into the page, of the others it says
// where they lie.
//
//   ProgramTexts programs = FindPrograms(view, "out/nightly");
//   programs.of[case_index].text    // "module {...}"; empty where it is too large for the page
//   programs.href                   // "../run", the manifest's folder as the page's folder sees it
//
// What is wrong comes first: where a page is full, it is the programs of passing rows that are left out.
#ifndef OPBYOP_REPORTS_PAGE_PROGRAM_TEXTS_H_
#define OPBYOP_REPORTS_PAGE_PROGRAM_TEXTS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>

#include "reports/view/rows.h"

namespace opbyop::reports {

struct ProgramText {
  int64_t bytes = 0;  // of the file
  std::string text;
};

struct ProgramTexts {
  std::string href;                            // "." where the page lies in the manifest's folder
  std::unordered_map<size_t, ProgramText> of;  // by case index, of cases whose file is there
};

struct ProgramLimits {
  int64_t of_case = int64_t{8} << 10;  // bytes
  int64_t of_page = int64_t{4} << 20;
};

ProgramTexts FindPrograms(const View& view, const std::filesystem::path& folder, const ProgramLimits& limits = {});

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_PROGRAM_TEXTS_H_
