// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "support/text/safe_text.h"

namespace opbyop {

ProgressLine::Style ProgressLine::StyleOf(std::FILE* stream) {
  return ::isatty(::fileno(stream)) != 0 ? Style::kTty : Style::kPlain;
}

ProgressLine::ProgressLine(std::FILE* stream, Style style)
    : stream_(stream), style_(style), throttle_(std::chrono::milliseconds(style == Style::kTty ? 100 : 5000)) {
  throttle_.Restart();
}

void ProgressLine::Show(const std::string& line) {
  if (style_ == Style::kQuiet) return;
  throttle_.Restart();
  on_screen_ = style_ == Style::kTty;
  std::fprintf(stream_, on_screen_ ? "\r\x1b[K%s" : "%s\n", SafeText(line).c_str());
  std::fflush(stream_);
}

void ProgressLine::Clear() {
  if (!on_screen_) return;
  std::fprintf(stream_, "\r\x1b[K");
  std::fflush(stream_);
  on_screen_ = false;
}

std::string ShareText(size_t done, size_t total) {
  int64_t percent = 100;
  if (done < total) {
    percent = std::llround(100.0 * static_cast<double>(done) / static_cast<double>(total));
    percent = std::clamp<int64_t>(percent, done == 0 ? 0 : 1, 99);
  }
  return fmt::format("[{:>6}/{}] {:>3} %", done, total, percent);
}

}  // namespace opbyop
