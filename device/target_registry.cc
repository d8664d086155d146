// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/target_registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

namespace opbyop::device {

void TargetRegistry::Add(std::string kind, TargetFactory factory) {
  factories_.insert_or_assign(std::move(kind), std::move(factory));
}

TargetCreation TargetRegistry::Create(const Target& target) const {
  const auto found = factories_.find(target.device.kind);
  if (found != factories_.end()) return found->second(target);
  std::vector<std::string> kinds;
  for (const auto& [kind, factory] : factories_) kinds.push_back(kind);
  return Error{ExitCode::kBadInput, fmt::format("{}: device kind '{}' is unknown to this worker; expected one of: {}",
                                                target.path.string(), target.device.kind, fmt::join(kinds, ", "))};
}

}  // namespace opbyop::device
