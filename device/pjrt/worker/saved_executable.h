// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An executable as a file: first the facts that the worker needs, then the plugin's own bytes.
//
//   std::string file = EncodeExecutable({.donated = {0}, .bytes = *facts.Serialize()});
//  Expected<SavedExecutable> saved = DecodeExecutable(file);   // kBadInput if it is truncated or modified
#ifndef OPBYOP_DEVICE_PJRT_WORKER_SAVED_EXECUTABLE_H_
#define OPBYOP_DEVICE_PJRT_WORKER_SAVED_EXECUTABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop::pjrt {

struct SavedExecutable {
  std::vector<int64_t> donated;
  std::string bytes;
  std::string abi_version;  // the plugin's own description of it (abi_version.h); empty: it gives none
};

std::string EncodeExecutable(const SavedExecutable& executable);
Expected<SavedExecutable> DecodeExecutable(std::string_view file);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_SAVED_EXECUTABLE_H_
