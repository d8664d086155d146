// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/log_tail.h"

#include <algorithm>
#include <array>

#include "support/safe_text.h"

namespace opbyop {
namespace {

std::string Cut(std::string_view line) { return SafeLine(line, LogTail::kMaxLineBytes); }

}  // namespace

void LogTail::Append(std::string_view bytes) {
  if (bytes.size() >= limit_) {
    buffer_.assign(bytes.substr(bytes.size() - limit_));
    return;
  }
  if (buffer_.size() + bytes.size() > 2 * limit_) buffer_.erase(0, buffer_.size() - (limit_ - bytes.size()));
  buffer_.append(bytes);
}

void LogTail::Clear() { buffer_.clear(); }

std::string_view LogTail::text() const {
  const std::string_view all = buffer_;
  return all.size() > limit_ ? all.substr(all.size() - limit_) : all;
}

std::vector<std::string> LogTail::Lines(size_t count) const {
  const std::vector<std::string_view> lines = SplitLines(text());
  std::vector<std::string> last;
  for (size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i) last.push_back(Cut(lines[i]));
  return last;
}

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

std::string CauseOfDeath(std::string_view log) {
  constexpr std::array<std::string_view, 9> kMarks = {
      "Assertion ",        "UNREACHABLE executed", "LLVM ERROR",       "what():",     "Check failed",
      "AddressSanitizer:", "runtime error:",       "terminate called", "fatal error:"};
  const std::vector<std::string_view> lines = SplitLines(log);
  for (const std::string_view mark : kMarks) {
    for (const std::string_view line : lines) {
      if (line.find(mark) != std::string_view::npos) return Cut(line);
    }
  }
  // LLVM prints llvm_unreachable's bare message right before this request.
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].starts_with("PLEASE submit a bug report") && !lines[i - 1].empty()) return Cut(lines[i - 1]);
  }
  return "";
}

}  // namespace opbyop
