#include "validation/faults/promise.h"

#include <algorithm>

#include "manifests/glob.h"
#include "manifests/yaml.h"

namespace opbyop {

Expected<Promise> Promise::Load(const std::filesystem::path& file) {
  Expected<YamlMap> top = LoadYaml(file);
  if (!top) return Unexpected(top.error());
  top->Schema("opbyop-promise/1");
  Promise promise;
  for (YamlMap& map : top->Maps("entries")) {
    promise.entries_.push_back({.fault = map.Required("fault"),
                                .cases = map.String("cases", "*"),
                                .proof = map.Required("proof"),
                                .line = map.line()});
    map.Finish();
  }
  if (const std::optional<Error> error = top->Finish()) return Unexpected(*error);
  return promise;
}

const Promise::Entry* Promise::Find(std::string_view fault, std::string_view id) const {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return GlobMatches(entry.fault, fault) && GlobMatches(entry.cases, id); });
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
