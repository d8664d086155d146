// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The list of cases of a version of a suite. It is committed (cases.lock next to suite.yaml): cases that differ from it
// need a new version, and the page of changes says what is new in it.
//
//   Expected<SuiteLock> old = ParseLock(text, file);
//   const SuiteLock now = LockOf(*suite, *cases, pairs->result.manifest);
//   if (old->cases != now.cases) WriteFile(page, WithChanges(*ReadFile(page), now, CompareLocks(*old, now)));
#ifndef OPBYOP_GENERATOR_SUITE_LOCK_H_
#define OPBYOP_GENERATOR_SUITE_LOCK_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/suite/coverage.h"
#include "generator/suite/recipe.h"
#include "support/expected.h"

namespace opbyop::generator {

inline constexpr std::string_view kLockFile = "cases.lock";  // in the folder of the suite

struct SuiteLock {
  std::string name;
  std::string version;
  std::map<std::string, std::string> digests;  // by level
  std::map<std::string, std::string>
      cases;  // id -> the initials of its levels: "sf"; "p" for those of pairs alone, "m" of a mesh
};

// `pairs` are those of level smoke. The digest of pairs covers their members too, which may be cases of another level.
SuiteLock LockOf(const Suite& suite, const SuiteCases& cases, const Manifest& pairs);

std::string LockText(const SuiteLock& lock);

// Returns kBadInput with file and line.
Expected<SuiteLock> ParseLock(std::string_view text, const std::filesystem::path& file);

// The differences between two versions. A case whose id has the same stem and another hash has changed.
struct SuiteChanges {
  struct Changed {
    std::string from;
    std::string to;
  };
  std::vector<std::string> added;
  std::vector<std::string> removed;
  std::vector<Changed> changed;
  std::vector<std::string> moved;  // cases that are now in other levels

  bool empty() const { return added.empty() && removed.empty() && changed.empty() && moved.empty(); }
  std::string Summary() const;  // "3 cases added, 1 removed, 2 changed"
};

SuiteChanges CompareLocks(const SuiteLock& from, const SuiteLock& to);

// Adds the changes of a new version at the top of the page. `page` is the page so far; empty: there is none.
std::string WithChanges(const std::string& page, const SuiteLock& to, const SuiteChanges& changes);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_LOCK_H_
