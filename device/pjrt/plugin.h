// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A vendor's shared library that exports GetPjrtApi, opened and initialized.
//
//   Expected<Plugin> plugin = Plugin::Open("/path/xla_cpu_pjrt.so");
//   plugin->api();
//   plugin->attributes();   // xla_version, stablehlo_minimum_version, ...
//
// A plugin may carry an LLVM and an MLIR of its own, so it is opened with RTLD_LOCAL in a process that has none
// (program.h). It stays open: few survive dlclose.
#ifndef OPBYOP_DEVICE_PJRT_PLUGIN_H_
#define OPBYOP_DEVICE_PJRT_PLUGIN_H_

#include <filesystem>

#include "device/pjrt/api.h"
#include "device/pjrt/named_value.h"
#include "support/expected.h"

namespace opbyop::pjrt {

class Plugin {
 public:
  // kNoInput where there is no such file, or a library that it needs is missing; kBadInput where it is no plugin, one
  // of another major version, or does not initialize.
  static Expected<Plugin> Open(const std::filesystem::path& file);

  // The same for a table at hand, of a plugin that is not initialized yet.
  static Expected<Plugin> Initialize(const PJRT_Api* table);

  const Api& api() const { return api_; }
  const NamedValues& attributes() const { return attributes_; }

 private:
  Plugin(Api api, NamedValues attributes) : api_(api), attributes_(std::move(attributes)) {}

  Api api_;
  NamedValues attributes_;  // empty where the plugin tells none
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_PLUGIN_H_
