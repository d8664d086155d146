// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A vendor's shared library that exports GetPjrtApi, opened and initialized.
//
//   Expected<Plugin> plugin = Plugin::Open("/path/xla_cpu_pjrt.so");
//   plugin->api();
//   plugin->attributes();   // xla_version, stablehlo_minimum_version, ...
//
// A plugin may carry its own LLVM and MLIR, so it is opened with RTLD_LOCAL in a process that links neither
// (program.h). It stays open: few plugins survive dlclose.
#ifndef OPBYOP_DEVICE_PJRT_PLUGIN_H_
#define OPBYOP_DEVICE_PJRT_PLUGIN_H_

#include <filesystem>

#include "device/pjrt/api.h"
#include "device/pjrt/named_value.h"
#include "support/expected.h"

namespace opbyop::pjrt {

class Plugin {
 public:
  // Returns kNoInput if the file, or a library that it needs, is missing. Returns kBadInput if it is no plugin, has
  // another major version, or does not initialize.
  static Expected<Plugin> Open(const std::filesystem::path& file);

  // The same for a table in memory, of a plugin that is not initialized yet.
  static Expected<Plugin> Initialize(const PJRT_Api* table);

  const Api& api() const { return api_; }
  const NamedValues& attributes() const { return attributes_; }

 private:
  Plugin(Api api, NamedValues attributes) : api_(api), attributes_(std::move(attributes)) {}

  Api api_;
  NamedValues attributes_;  // empty if the plugin reports none
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_PLUGIN_H_
