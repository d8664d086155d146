// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the programs of a run's cases for the page with its rows. The page contains small programs, and names the files
// of the others.
//
//   ProgramTexts programs = FindPrograms(view, "out/nightly");
//   programs.of[case_index].text    // "module {...}"; empty if it is too large for the page
//   programs.href                   // "../run", the manifest's folder as the page's folder sees it
//
// If a page becomes too large, the programs of passing rows are left out first.
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
  std::string href;                            // "." if the page is in the manifest's folder
  std::unordered_map<size_t, ProgramText> of;  // by case index; of cases whose file exists
};

struct ProgramLimits {
  int64_t of_case = int64_t{8} << 10;  // bytes
  int64_t of_page = int64_t{4} << 20;
};

ProgramTexts FindPrograms(const View& view, const std::filesystem::path& folder, const ProgramLimits& limits = {});

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_PROGRAM_TEXTS_H_
