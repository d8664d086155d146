// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Asks a plugin whether it runs an executable that another build of it may have made, by the extension AbiVersion
// (version 0.114 of the interface and later).
//
//   Result<std::string> made_by = VersionOfExecutable(api, executable);   // when it is compiled
//   Result<void> runs = MayRun(api, client, *made_by);                    // where it is loaded
//
// Both are `absent` if the plugin has no such extension.
#ifndef OPBYOP_DEVICE_PJRT_ABI_VERSION_H_
#define OPBYOP_DEVICE_PJRT_ABI_VERSION_H_

#include <string>
#include <string_view>

#include "device/pjrt/api.h"
#include "device/pjrt/client.h"
#include "device/pjrt/executable.h"

namespace opbyop::pjrt {

// Whether the plugin can be asked.
bool KnowsAbiVersions(const Api& api);

// The plugin's own description of what its executable needs, as bytes.
Result<std::string> VersionOfExecutable(const Api& api, const Executable& executable);

// The error holds the plugin's reason why it does not run an executable of this version.
Result<void> MayRun(const Api& api, const Client& client, std::string_view version);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_ABI_VERSION_H_
