// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/diagnosis.h"

#include <algorithm>
#include <array>

#include "support/process/log_tail.h"
#include "support/text/pattern.h"

namespace opbyop::command {
namespace {

constexpr size_t kMaxQuote = 400;

std::string_view Trim(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

std::string_view FirstWith(const std::vector<std::string_view>& lines, std::string_view mark) {
  const auto found = std::ranges::find_if(lines, [&](std::string_view line) { return line.find(mark) != line.npos; });
  return found == lines.end() ? std::string_view() : *found;
}

// Finds "ValueError: bad shape" at the start of a line, as a Python traceback ends.
std::string_view PythonException(const std::vector<std::string_view>& lines) {
  static const Pattern pattern = *Pattern::Compile(R"(^[A-Za-z_][\w.]*(Error|Exception|Exit|Interrupt)(:|$))");
  const auto found =
      std::find_if(lines.rbegin(), lines.rend(), [](std::string_view line) { return pattern.IsFoundIn(line); });
  return found == lines.rend() ? std::string_view() : *found;
}

std::string_view LastPlainLine(const std::vector<std::string_view>& lines) {
  static const Pattern noise = *Pattern::Compile(
      R"(^\s*$|^\s*#?\d+\.?\s|^\s*\^|warning:|note:|^Stack dump|^PLEASE submit|^ *\S+(\.so|/\S+)\S*\(\S*\+0x)");
  const auto found =
      std::find_if(lines.rbegin(), lines.rend(), [](std::string_view line) { return !noise.IsFoundIn(line); });
  return found == lines.rend() ? (lines.empty() ? std::string_view() : lines.back()) : *found;
}

void ReplaceAll(std::string& text, const std::string& what, std::string_view by) {
  if (what.empty()) return;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// Replaces control characters and bytes that are not ASCII by '?', so that a record is valid JSON whatever a tool
// prints.
std::string Printable(std::string_view line) {
  std::string text(line.substr(0, kMaxQuote));
  for (char& character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte == '\t') character = ' ';
    if (byte != '\t' && (byte < 0x20 || byte >= 0x7f)) character = '?';
  }
  return text;
}

}  // namespace

std::string WithoutPaths(std::string line, const LogPaths& paths) {
  ReplaceAll(line, paths.file.string(), paths.file_name);
  if (!paths.scratch.empty()) ReplaceAll(line, paths.scratch.string() + "/", "");
  return line;
}

std::string QuoteDiagnostic(std::string_view log, const std::vector<std::string>& patterns, const LogPaths& paths) {
  const std::vector<std::string_view> lines = SplitLines(log);
  std::string_view quoted;
  for (const std::string& text : patterns) {
    const Expected<Pattern> pattern = Pattern::Compile(text);
    if (!pattern) continue;
    const auto found = std::ranges::find_if(lines, [&](std::string_view line) { return pattern->IsFoundIn(line); });
    if (found != lines.end() && quoted.empty()) quoted = *found;
  }
  if (quoted.empty()) quoted = FirstWith(lines, "error: ");
  std::string cause;
  if (quoted.empty()) quoted = cause = CauseOfDeath(log);
  if (quoted.empty()) quoted = PythonException(lines);
  if (quoted.empty()) quoted = LastPlainLine(lines);
  return Printable(WithoutPaths(std::string(Trim(quoted)), paths));
}

std::optional<std::string> FindMeaning(std::string_view text, const std::vector<Meaning>& meanings) {
  const std::vector<std::string_view> lines = SplitLines(text);
  for (const Meaning& meaning : meanings) {
    const Expected<Pattern> pattern = Pattern::Compile(meaning.match);
    if (!pattern) continue;
    for (const std::string_view line : lines) {
      if (pattern->IsFoundIn(line)) return meaning.reason.empty() ? Printable(Trim(line)) : meaning.reason;
    }
  }
  return std::nullopt;
}

}  // namespace opbyop::command
