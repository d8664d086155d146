// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/log_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "support/text/safe_text.h"

namespace opbyop {
namespace {

// The number of frames of a stack dump that are shown, from the top.
constexpr size_t kShownFrames = 3;

std::string Cut(std::string_view line) { return SafeLine(line, LogTail::kMaxLineBytes); }

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// A stack frame as LLVM prints it, with and without symbols: " #12 0x00005581 f(int) (/bin/opt+0x5581)", "12 opt
// 0x00005581".
bool IsFrame(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.starts_with('#')) line.remove_prefix(1);
  size_t digits = 0;
  while (digits < line.size() && IsDigit(line[digits])) ++digits;
  return digits > 0 && line.substr(digits).starts_with(' ') && line.find(" 0x", digits) != std::string_view::npos;
}

// Whether the line is a message by itself, rather than part of a compiler's diagnostic, which is followed by the source
// line and a caret.
bool IsMessage(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.empty() || std::isalpha(static_cast<unsigned char>(line.front())) == 0 || line.back() == '{') return false;
  constexpr std::array<std::string_view, 3> kOthers = {"warning: ", "note: ", "remark: "};
  return std::ranges::none_of(kOthers, [&](std::string_view mark) { return line.find(mark) != line.npos; });
}

// Only the text before "UNREACHABLE executed at" distinguishes one cause from another.
bool HasReasonBefore(std::string_view mark) { return mark == "Assertion " || mark == "UNREACHABLE executed"; }

// The part of absl's fatal lines that is the same in every run, which starts at the file: "F0000
// 00:00:1795435396.249426   18434 buffer.cc:12] Check failed: x". Empty for any other line.
std::string_view FatalText(std::string_view line) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  constexpr size_t kDigits = 4;
  const size_t end = line.find("] ");
  if (line.size() < kDigits + 1 || line[0] != 'F' || end == std::string_view::npos) return {};
  if (!std::all_of(line.begin() + 1, line.begin() + 1 + kDigits, is_digit)) return {};
  const size_t place = line.rfind(' ', end);
  return place == std::string_view::npos ? std::string_view() : line.substr(place + 1);
}

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
  std::vector<std::string> lines;
  size_t frames = 0;  // number of frames before this line
  const auto end_frames = [&] {
    if (frames > kShownFrames) lines.push_back(fmt::format("... {} more stack frames", frames - kShownFrames));
    frames = 0;
  };
  for (const std::string_view line : SplitLines(text())) {
    if (IsFrame(line)) {
      if (++frames <= kShownFrames) lines.push_back(Cut(line));
      continue;
    }
    end_frames();
    lines.push_back(Cut(line));
  }
  end_frames();
  lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(std::min(count, lines.size())));
  return lines;
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
  for (const std::string_view line : lines) {
    if (const std::string_view text = FatalText(line); !text.empty()) return Cut(text);
  }
  for (const std::string_view mark : kMarks) {
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find(mark) == std::string_view::npos) continue;
      const bool has_reason = i > 0 && HasReasonBefore(mark) && IsMessage(lines[i - 1]);
      return has_reason ? fmt::format("{} ({})", Cut(lines[i - 1]), Cut(lines[i])) : Cut(lines[i]);
    }
  }
  // LLVM prints llvm_unreachable's bare message right before this request.
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].starts_with("PLEASE submit a bug report") && !lines[i - 1].empty()) return Cut(lines[i - 1]);
  }
  return "";
}

}  // namespace opbyop
