// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows the progress of a long command: on one line of a terminal that is updated, or as a line every few seconds in a
// log.
//
//   ProgressLine progress(stderr, ProgressLine::StyleOf(stderr));
//   for (size_t i = 0; i < cases.size(); ++i) {
//     if (progress.due()) progress.Show(ShareText(i, cases.size()) + " compiled");   // "[   3/1200]   0 % compiled"
//     ...
//   }
//   progress.Clear();   // before anything else is printed
#ifndef OPBYOP_SUPPORT_TEXT_PROGRESS_LINE_H_
#define OPBYOP_SUPPORT_TEXT_PROGRESS_LINE_H_

#include <cstddef>
#include <cstdio>
#include <string>

#include "support/throttle.h"

namespace opbyop {

class ProgressLine {
 public:
  enum class Style { kTty, kPlain, kQuiet };

  // Returns kTty if `stream` is a terminal, else kPlain.
  static Style StyleOf(std::FILE* stream);

  // The first line is due after an interval: a quick command prints nothing.
  ProgressLine(std::FILE* stream, Style style);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { Clear(); }

  bool due() const { return style_ != Style::kQuiet && throttle_.due(); }
  void Show(const std::string& line);
  void Clear();

 private:
  std::FILE* const stream_;
  const Style style_;
  Throttle throttle_;
  bool on_screen_ = false;
};

// "[   120/4500]   3 %". The share is rounded, but 100 % means that all is done, and 0 % that nothing is.
std::string ShareText(size_t done, size_t total);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_PROGRESS_LINE_H_
