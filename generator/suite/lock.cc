// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "support/text/count_text.h"

namespace opbyop::generator {
namespace {

constexpr std::string_view kFirstLine =
    "# Written by `opbyop suite stablehlo --lock`: the cases of the suite and their levels.";
constexpr std::string_view kPageHead =
    "# Changes of the suite\n\n"
    "Written by `opbyop suite stablehlo --lock`. Runs of one version are comparable; of two versions the cases that "
    "both "
    "have are.\n";

// The most ids of a kind that a section of the page names.
constexpr size_t kMostNamed = 200;

// "add_3x5_f32_1a2b3c4d" -> "add_3x5_f32": the part that stays if only the contents change.
std::string StemOf(const std::string& id) { return id.substr(0, id.rfind('_')); }

std::string Section(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = fmt::format("\n{}:\n\n", title);
  for (size_t i = 0; i < std::min(lines.size(), kMostNamed); ++i) text += fmt::format("- {}\n", lines[i]);
  if (lines.size() > kMostNamed) {
    text += fmt::format("- and {} more: the history of cases.lock has them all\n", lines.size() - kMostNamed);
  }
  return text;
}

// Counts ids by their first part: "slice 34".
std::vector<std::string> CountsByStart(const std::vector<std::string>& ids) {
  std::map<std::string, size_t> counts;
  for (const std::string& id : ids) ++counts[id.substr(0, id.find_first_of("0123456789"))];
  std::vector<std::string> lines;
  for (const auto& [start, count] : counts) lines.push_back(fmt::format("`{}…`: {}", start, count));
  return lines;
}

}  // namespace

SuiteLock LockOf(const Suite& suite, const SuiteCases& cases, const Manifest& pairs) {
  SuiteLock lock{.name = suite.name, .version = suite.version};
  for (const Manifest* manifest : {&cases.smoke, &cases.full, &cases.refused}) {
    if (!manifest->suite) continue;
    lock.digests[manifest->suite->level] = manifest->suite->digest;
    for (const Case& c : manifest->cases) lock.cases[c.id] += manifest->suite->level.front();
  }
  for (const Manifest* manifest : {&pairs, &cases.mesh}) {
    if (!manifest->suite) continue;
    lock.digests[manifest->suite->level] = manifest->suite->digest;
    for (const Case& c : manifest->cases) lock.cases.emplace(c.id, manifest->suite->level.substr(0, 1));
  }
  return lock;
}

std::string LockText(const SuiteLock& lock) {
  std::string text = fmt::format("{}\nsuite {} {}\n", kFirstLine, lock.name, lock.version);
  for (const auto& [level, digest] : lock.digests) text += fmt::format("digest {} {}\n", level, digest);
  for (const auto& [id, levels] : lock.cases) text += fmt::format("{} {}\n", id, levels);
  return text;
}

Expected<SuiteLock> ParseLock(std::string_view text, const std::filesystem::path& file) {
  SuiteLock lock;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::vector<std::string> parts;
    for (std::string word; words >> word;) parts.push_back(std::move(word));
    if (parts.size() == 3 && parts[0] == "suite" && lock.name.empty()) {
      lock.name = parts[1];
      lock.version = parts[2];
    } else if (parts.size() == 3 && parts[0] == "digest") {
      lock.digests[parts[1]] = parts[2];
    } else if (parts.size() != 2 || !lock.cases.emplace(parts[0], parts[1]).second) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("{}:{}: `{}` is no case with its levels, or is there twice: was it edited by hand?",
                                   file.string(), number, line));
    }
  }
  if (lock.name.empty()) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}: no line `suite NAME VERSION`", file.string()));
  }
  return lock;
}

std::string SuiteChanges::Summary() const {
  return fmt::format("{} added, {} removed, {} changed, {} in other levels", CountText(added.size(), "case"),
                     removed.size(), changed.size(), moved.size());
}

SuiteChanges CompareLocks(const SuiteLock& from, const SuiteLock& to) {
  SuiteChanges changes;
  std::map<std::string, std::vector<std::string>> gone;  // removed cases by stem
  for (const auto& [id, levels] : from.cases) {
    const auto now = to.cases.find(id);
    if (now == to.cases.end()) {
      gone[StemOf(id)].push_back(id);
    } else if (now->second != levels) {
      changes.moved.push_back(id);
    }
  }
  for (const auto& [id, levels] : to.cases) {
    if (from.cases.contains(id)) continue;
    const auto same_stem = gone.find(StemOf(id));
    if (same_stem == gone.end() || same_stem->second.empty()) {
      changes.added.push_back(id);
    } else {
      changes.changed.push_back({same_stem->second.front(), id});
      same_stem->second.erase(same_stem->second.begin());
    }
  }
  for (const auto& [stem, ids] : gone) changes.removed.insert(changes.removed.end(), ids.begin(), ids.end());
  return changes;
}

std::string WithChanges(const std::string& page, const SuiteLock& to, const SuiteChanges& changes) {
  std::string section = fmt::format("\n## {} {}\n\n{}. In all:", to.name, to.version, changes.Summary());
  std::map<char, size_t> levels;
  for (const auto& [id, letters] : to.cases) {
    for (const char letter : letters) ++levels[letter];
  }
  std::vector<std::string> totals;
  for (const auto& [level, digest] : to.digests) {
    totals.push_back(fmt::format("{} {} (digest {})", levels[level.front()], level, digest.substr(0, 12)));
  }
  section += fmt::format(" {}.\n", fmt::join(totals, ", "));
  const bool many = changes.added.size() > kMostNamed;
  section += Section(many ? "Added, by how they begin" : "Added", many ? CountsByStart(changes.added) : changes.added);
  section += Section("Removed", changes.removed);
  std::vector<std::string> changed;
  for (const SuiteChanges::Changed& pair : changes.changed)
    changed.push_back(fmt::format("{} -> {}", pair.from, pair.to));
  section += Section("Changed", changed);
  section += Section("In other levels", changes.moved);
  const std::string rest = page.starts_with(kPageHead) ? page.substr(kPageHead.size()) : "";
  return std::string(kPageHead) + section + rest;
}

}  // namespace opbyop::generator
