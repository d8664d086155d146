// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/faults/promise.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "manifests/formats/glob.h"
#include "manifests/formats/yaml.h"

namespace opbyop {
namespace {

bool MatchesAny(const std::vector<std::string>& globs, std::string_view text) {
  return std::ranges::any_of(globs, [&](const std::string& glob) { return GlobMatches(glob, text); });
}

}  // namespace

Expected<Promise> Promise::Load(const std::filesystem::path& file) {
  Expected<YamlMap> top = LoadYaml(file);
  if (!top) return Unexpected(top.error());
  top->Schema("opbyop-promise/1");
  Promise promise;
  for (YamlMap& map : top->Maps("entries")) {
    Entry entry{.faults = map.Strings("faults"),
                .cases = map.Strings("cases"),
                .proof = map.Required("proof"),
                .line = map.line()};
    if (entry.faults.empty()) map.Fail(ExitCode::kBadInput, "an entry needs `faults`");
    if (entry.cases.empty()) map.Fail(ExitCode::kBadInput, "an entry needs `cases`");
    map.Finish();
    promise.entries_.push_back(std::move(entry));
  }
  if (const std::optional<Error> error = top->Finish()) return Unexpected(*error);
  return promise;
}

const Promise::Entry* Promise::Find(std::string_view fault, std::string_view id) const {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return MatchesAny(entry.faults, fault) && MatchesAny(entry.cases, id); });
  if (found == entries_.end()) return nullptr;
  ++found->used;
  return &*found;
}

std::vector<const Promise::Entry*> Promise::Unused() const {
  std::vector<const Entry*> unused;
  for (const Entry& entry : entries_) {
    if (entry.used == 0) unused.push_back(&entry);
  }
  return unused;
}

}  // namespace opbyop
