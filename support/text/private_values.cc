// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/private_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include "support/text/count_text.h"
#include "support/text/replace_all.h"
#include "support/text/safe_text.h"

extern char** environ;

namespace opbyop {
namespace {

constexpr size_t kFewestCharacters = 8;

// The most bytes of spellings in one regular expression.
constexpr size_t kMostPatternBytes = 32 << 10;

// Only whole names: a prefix such as TF_ would also show Terraform's TF_VAR_password.
constexpr std::array<std::string_view, 36> kShown = {"ARCH_NAME",
                                                     "CUDA_VISIBLE_DEVICES",
                                                     "HIP_VISIBLE_DEVICES",
                                                     "JAX_ENABLE_X64",
                                                     "JAX_PLATFORMS",
                                                     "LANG",
                                                     "LANGUAGE",
                                                     "LC_ALL",
                                                     "LC_CTYPE",
                                                     "LC_NUMERIC",
                                                     "LD_LIBRARY_PATH",
                                                     "LD_PRELOAD",
                                                     "LIBTPU_INIT_ARGS",
                                                     "MALLOC_ARENA_MAX",
                                                     "MKL_NUM_THREADS",
                                                     "NEURON_CC_FLAGS",
                                                     "NEURON_RT_VISIBLE_CORES",
                                                     "OMP_NUM_THREADS",
                                                     "OMP_PROC_BIND",
                                                     "OPENBLAS_NUM_THREADS",
                                                     "PATH",
                                                     "PYTHONHASHSEED",
                                                     "PYTHONPATH",
                                                     "ROCR_VISIBLE_DEVICES",
                                                     "TF_CPP_MIN_LOG_LEVEL",
                                                     "TF_XLA_FLAGS",
                                                     "TTMLIR_TOOLCHAIN_DIR",
                                                     "TTRT_LOGGER_LEVEL",
                                                     "TT_LOGGER_LEVEL",
                                                     "TT_METAL_HOME",
                                                     "TT_METAL_RUNTIME_ROOT",
                                                     "TT_VISIBLE_DEVICES",
                                                     "TZ",
                                                     "VIRTUAL_ENV",
                                                     "XLA_FLAGS",
                                                     "ZE_AFFINITY_MASK"};

// Variables that describe this machine and user. Scripts of bundles leave them out, but their values occur in every
// path and are not replaced.
constexpr std::array<std::string_view, 16> kEverywhere = {
    "COLORTERM", "DISPLAY", "EDITOR", "HOME", "HOSTNAME", "HOSTTYPE", "LOGNAME", "MACHTYPE",
    "OLDPWD",    "OSTYPE",  "PAGER",  "PWD",  "SHELL",    "TERM",     "TMPDIR",  "USER"};

bool NamesFiles(std::string_view value) {
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::path(value), error)) return true;
  bool any = false;
  for (size_t at = 0; at <= value.size();) {
    const size_t end = std::min(value.find(':', at), value.size());
    const std::string_view part = value.substr(at, end - at);
    if (!part.empty() && part.front() != '/') return false;
    any = any || (!part.empty() && std::filesystem::exists(std::filesystem::path(part), error));
    at = end + 1;
  }
  return any;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// "secret" in postgres://user:secret@host/name; empty if there is none.
std::string_view PasswordOf(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return "";
  const size_t begin = scheme + 3;
  const std::string_view authority = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  const size_t at = authority.rfind('@');
  const size_t colon = authority.find(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) return "";
  return authority.substr(colon + 1, at - colon - 1);
}

// Escapes with backslashes, with which JSON, C and Python write characters in quoted texts.
struct Escapes {
  std::string_view quotes;   // quotes that are escaped
  std::string_view control;  // format of other control characters
};
constexpr Escapes kJson = {"\"", "\\u{:04x}"};
constexpr Escapes kPython = {"'", "\\x{:02x}"};
constexpr Escapes kPythonDouble = {"", "\\x{:02x}"};

std::string Escaped(std::string_view text, const Escapes& escapes) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || escapes.quotes.find(c) != std::string_view::npos) {
      out += fmt::format("\\{}", c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < ' ' || byte == 0x7f) {
      out += fmt::format(fmt::runtime(escapes.control), byte);
    } else {
      out += c;
    }
  }
  return out;
}

// Escapes characters beyond ASCII as JSON does, if the text is UTF-8.
std::string InAscii(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length == 1 || i + length > text.size()) {
      out += text[i++];
      continue;
    }
    uint32_t code = lead & (0x7FU >> length);
    for (size_t k = 1; k < length; ++k) code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    i += length;
    if (code < 0x10000) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      code -= 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF));
    }
  }
  return out;
}

std::string InXml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string InUrl(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-._~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// Escapes the text for the quoted part of a shell word.
std::string InShell(std::string_view text) { return ReplaceAll(std::string(text), "'", R"('\'')"); }

std::vector<std::string> SpellingsOf(std::string_view value) {
  const std::string line = SafeLine(value, value.size());
  const std::string json = Escaped(value, kJson);
  return {std::string(value), line,         json,           InAscii(json),           InXml(value),
          InXml(json),        InUrl(value), InShell(value), Escaped(value, kPython), Escaped(value, kPythonDouble)};
}

// The value and its parts.
std::vector<std::string_view> PartsOf(std::string_view value) {
  std::vector<std::string_view> parts = {value, Trimmed(value), PasswordOf(value)};
  for (size_t at = 0; at < value.size();) {
    const size_t end = std::min(value.find('\n', at), value.size());
    parts.push_back(Trimmed(value.substr(at, end - at)));
    at = end + 1;
  }
  return parts;
}

// A number is found only as a whole word: inside a longer number it would be another number.
std::string PatternOf(std::string_view spelling) {
  const std::string quoted = RE2::QuoteMeta(std::string(spelling));  // newer RE2 takes no std::string_view
  const bool number = std::ranges::all_of(spelling, [](unsigned char c) { return std::isdigit(c) != 0; });
  return number ? fmt::format(R"(\b{}\b)", quoted) : quoted;
}

// A variable may have any name, but its mark must be a word.
std::string MarkOf(std::string_view name) {
  std::string mark(name);
  std::ranges::replace_if(mark, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
  return fmt::format("<{}>", mark);
}

}  // namespace

bool IsShown(std::string_view variable) { return std::ranges::find(kShown, variable) != kShown.end(); }

std::map<std::string, std::string> EnvironmentOfThisProgram() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

PrivateValues::PrivateValues(const std::map<std::string, std::string>& environment,
                             const std::set<std::string>& shown) {
  const auto is_private = [&](const std::string& name) {
    return !IsShown(name) && std::ranges::find(kEverywhere, name) == kEverywhere.end() && !shown.contains(name);
  };
  std::set<std::string_view> public_values;
  for (const auto& [name, value] : environment) {
    if (!is_private(name)) public_values.insert(value);
  }
  for (const auto& [name, value] : environment) {
    if (!is_private(name) || public_values.contains(value) || NamesFiles(value)) continue;
    for (const std::string_view part : PartsOf(value)) {
      if (part.size() < kFewestCharacters) continue;
      for (std::string& spelling : SpellingsOf(part)) names_.emplace(std::move(spelling), name);
    }
  }
  Compile();
}

PrivateValues PrivateValues::OfThisProgram(const std::set<std::string>& shown) {
  return {EnvironmentOfThisProgram(), shown};
}

template <typename Visit>
void PrivateValues::FindBy(const RE2& pattern, const std::string& text, Visit visit) const {
  re2::StringPiece found;
  for (size_t at = 0; pattern.Match(text, at, text.size(), RE2::UNANCHORED, &found, 1);) {
    const auto begin = static_cast<size_t>(found.data() - text.data());
    at = begin + found.size();
    visit(begin, *names_.find(std::string_view(found.data(), found.size())));
  }
}

void PrivateValues::AllowNamesIn(const std::string& names) {
  // A value may be part of a longer one, which is found first.
  while (true) {
    std::set<std::string> found;
    for (const std::shared_ptr<const RE2>& pattern : patterns_) {
      FindBy(*pattern, names, [&](size_t, const Spelling& spelling) { found.insert(spelling.first); });
    }
    if (found.empty()) return;
    for (const std::string& spelling : found) names_.erase(spelling);
    Compile();
  }
}

void PrivateValues::Compile() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_longest_match(true);
  options.set_log_errors(false);
  options.set_max_mem(int64_t{256} << 20);
  patterns_.clear();
  std::string text;
  const auto add = [&] {
    if (!text.empty()) patterns_.push_back(std::make_shared<const RE2>(text, options));
    text.clear();
  };
  for (const auto& [spelling, name] : names_) {
    text += (text.empty() ? "" : "|") + PatternOf(spelling);
    if (text.size() > kMostPatternBytes) add();
  }
  add();
}

bool PrivateValues::Replace(std::string& text, std::map<std::string, int64_t>& counts) const {
  bool replaced = false;
  for (const std::shared_ptr<const RE2>& pattern : patterns_) {
    std::string out;
    size_t done = 0;
    FindBy(*pattern, text, [&](size_t at, const Spelling& spelling) {
      out.append(text, done, at - done).append(MarkOf(spelling.second));
      ++counts[spelling.second];
      done = at + spelling.first.size();
    });
    if (done == 0) continue;
    out.append(text, done);
    text = std::move(out);
    replaced = true;
  }
  return replaced;
}

// The text before the mark of a cut may be the beginning of a value.
bool PrivateValues::ReplaceCut(std::string& text, std::map<std::string, int64_t>& counts) const {
  bool replaced = false;
  for (size_t mark = text.find(kEllipsis); mark != std::string::npos; mark = text.find(kEllipsis, mark + 1)) {
    size_t longest = 0;
    const std::string* variable = nullptr;
    const std::string_view before(text.data(), mark);
    for (const auto& [spelling, name] : names_) {
      for (size_t size = std::min(spelling.size() - 1, before.size()); size >= kFewestCharacters && size > longest;
           --size) {
        if (!before.ends_with(std::string_view(spelling).substr(0, size))) continue;
        longest = size;
        variable = &name;
      }
    }
    if (variable == nullptr) continue;
    const std::string hidden = MarkOf(*variable);
    text.replace(mark - longest, longest, hidden);
    mark = mark - longest + hidden.size();
    ++counts[*variable];
    replaced = true;
  }
  return replaced;
}

void PrivateValues::HideUncountedIn(std::string& text) const {
  if (text.size() < kFewestCharacters || patterns_.empty()) return;
  std::map<std::string, int64_t> unused;
  Replace(text, unused);
  ReplaceCut(text, unused);
}

void PrivateValues::HideIn(std::string& text) const {
  if (text.size() < kFewestCharacters || patterns_.empty()) return;
  std::map<std::string, int64_t> counts;
  const bool whole = Replace(text, counts);
  if (const bool cut = ReplaceCut(text, counts); !whole && !cut) return;
  const std::lock_guard guard(counts_->mutex);
  for (const auto& [name, count] : counts) counts_->of[name] += count;
}

void PrivateValues::HideEndAtTheBeginningOf(std::string& text) const {
  if (text.size() < kFewestCharacters) return;
  size_t longest = 0;
  const std::string* variable = nullptr;
  for (const auto& [spelling, name] : names_) {
    for (size_t size = std::min(spelling.size() - 1, text.size()); size >= kFewestCharacters && size > longest;
         --size) {
      if (text[0] != spelling[spelling.size() - size] || !spelling.ends_with(std::string_view(text).substr(0, size)))
        continue;
      longest = size;
      variable = &name;
    }
  }
  if (variable == nullptr) return;
  text.replace(0, longest, MarkOf(*variable));
  const std::lock_guard guard(counts_->mutex);
  ++counts_->of[*variable];
}

std::string PrivateValues::Hide(std::string text) const {
  HideIn(text);
  return text;
}

void PrivateValues::CountMarksIn(std::string_view text) const {
  std::set<std::string_view> variables;
  for (const auto& [spelling, name] : names_) variables.insert(name);
  for (const std::string_view variable : variables) {
    const std::string mark = MarkOf(variable);
    int64_t count = 0;
    for (size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + mark.size())) ++count;
    const std::lock_guard guard(counts_->mutex);
    if (count > 0) counts_->of[std::string(variable)] += count;
  }
}

std::map<std::string, int64_t> PrivateValues::counts() const {
  const std::lock_guard guard(counts_->mutex);
  return counts_->of;
}

std::string PrivateValues::Sentence() const {
  int64_t values = 0;
  std::vector<std::string> names;
  for (const auto& [name, count] : counts()) {
    values += count;
    names.push_back(SafeLine(name, name.size()));
  }
  if (names.empty()) return "";
  return fmt::format("replaced {} of {}: {}", CountText(values, "value"),
                     CountText(names.size(), "environment variable"), fmt::join(names, ", "));
}

}  // namespace opbyop
