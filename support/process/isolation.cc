// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/isolation.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "support/process/cgroup.h"
#include "support/process/landlock.h"
#include "support/process/network_filter.h"
#include "support/process/read_only.h"

namespace opbyop {
namespace {

bool MayUse(std::string_view means) {
  const char* allowed = std::getenv("OPBYOP_ISOLATION");
  return allowed == nullptr || fmt::format(",{},", allowed).find(fmt::format(",{},", means)) != std::string::npos;
}

}  // namespace

bool MayUseCgroups() { return MayUse("cgroup"); }

int UsableLandlockAbi() { return MayUse("landlock") ? LandlockAbi() : 0; }

bool MayFilterCalls() { return MayUse("seccomp") && HasNetworkFilter(); }

bool MayMakeReadOnly(const std::vector<std::filesystem::path>& writable) {
  return MayUse("mounts") && CanMakeReadOnly(writable);
}

std::string DescribeIsolation() {
  const std::optional<Cgroup> group = MayUseCgroups() ? Cgroup::Make() : std::nullopt;
  std::string text = group && group->Works() ? "cgroup" : "subreaper";
  if (const int abi = UsableLandlockAbi(); abi > 0) text += fmt::format("+landlock({})", abi);
  if (MayFilterCalls()) text += "+seccomp";
  if (MayMakeReadOnly()) text += "+mounts";
  return text;
}

}  // namespace opbyop
