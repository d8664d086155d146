// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/span.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

namespace opbyop::protocol {
namespace {

constexpr std::string_view kBytes = "bytes", kClock = "clock", kSlack = "slack", kProcess = "process";
constexpr std::string_view kDevice = "device", kHost = "host";

// Thirty-six years: the end of a span never overflows.
constexpr int64_t kMostNs = int64_t{1} << 60;

// Removes from `text` the part up to the next `separator`, and the separator; returns the part.
std::string_view Next(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

bool ReadCount(std::string_view text, int64_t& count) {
  const auto [end, error] = std::from_chars(text.begin(), text.end(), count);
  return error == std::errc() && end == text.end() && count >= 0 && count <= kMostNs;
}

// Leaves `device` as it is if the text is no clock.
bool ReadClock(std::string_view text, bool& device) {
  if (text != kDevice && text != kHost) return false;
  device = text == kDevice;
  return true;
}

// A field of a newer worker is ignored.
bool ReadNamed(std::string_view name, std::string_view value, Span& span) {
  if (name == kBytes) return ReadCount(value, span.bytes);
  if (name == kClock) return ReadClock(value, span.device_clock);
  if (name == kSlack) return ReadCount(value, span.slack_ns);
  if (name == kProcess) return ReadCount(value, span.process);
  return true;
}

std::optional<Span> SpanOf(std::string_view line) {
  Span span = {.kind = std::string(Next(line, ' '))};
  int64_t* const needed[] = {&span.index, &span.start_ns, &span.dur_ns};
  for (int64_t* number : needed) {
    if (!ReadCount(Next(line, ' '), *number)) return std::nullopt;
  }
  // Fields without names are bytes, clock and slack, in this order.
  bool past_bytes = false;
  while (!line.empty()) {
    std::string_view word = Next(line, ' ');
    bool good = true;
    if (word.find('=') != std::string_view::npos) {
      const std::string_view name = Next(word, '=');
      good = ReadNamed(name, word, span);
    } else if (!word.empty() && !ReadClock(word, span.device_clock)) {
      good = ReadCount(word, past_bytes ? span.slack_ns : span.bytes);
    }
    if (!good) return std::nullopt;
    past_bytes = true;
  }
  return span;
}

}  // namespace

std::string SpanLines(const std::vector<Span>& spans) {
  std::string lines;
  const auto out = std::back_inserter(lines);
  for (const Span& span : spans) {
    fmt::format_to(out, "{} {} {} {}", span.kind, span.index, span.start_ns, span.dur_ns);
    if (span.bytes > 0) fmt::format_to(out, " {}={}", kBytes, span.bytes);
    if (span.device_clock) fmt::format_to(out, " {}={}", kClock, kDevice);
    if (span.slack_ns > 0) fmt::format_to(out, " {}={}", kSlack, span.slack_ns);
    if (span.process >= 0) fmt::format_to(out, " {}={}", kProcess, span.process);
    lines += '\n';
  }
  return lines;
}

std::vector<Span> ParseSpans(std::string_view lines) {
  std::vector<Span> spans;
  while (!lines.empty()) {
    if (std::optional<Span> span = SpanOf(Next(lines, '\n'))) spans.push_back(std::move(*span));
  }
  return spans;
}

}  // namespace opbyop::protocol
