// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/status/status.h"

namespace opbyop {

std::string_view ToString(Status status) { return kStatusTable.at(static_cast<size_t>(status)).name; }

std::optional<Status> ParseStatus(std::string_view text) {
  for (const Status status : kAllStatuses) {
    if (ToString(status) == text) return status;
  }
  if (text == "mistrusted") return Status::kInconclusive;  // old name, in older files
  return std::nullopt;
}

}  // namespace opbyop
