// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "device/pjrt/missing_libraries.h"

namespace opbyop::pjrt {

namespace fs = std::filesystem;

Expected<Plugin> Plugin::Open(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: no such plugin", file.string()));
  }
  // The path must contain a slash, or dlopen would search its own folders.
  void* library = ::dlopen(fs::absolute(file, error).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = ::dlerror();
    const std::string missing = DescribeMissing(MissingLibraries(file));
    return MakeError(ExitCode::kNoInput,
                     fmt::format("the plugin cannot be opened: {}{}{}", why, missing.empty() ? "" : "; ", missing));
  }
  using GetApi = const PJRT_Api*();
  auto* get_api = reinterpret_cast<GetApi*>(::dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: not a PJRT plugin, because it exports no GetPjrtApi", file.string()));
  }
  Expected<Plugin> plugin = Initialize(get_api());
  if (!plugin) plugin.error().message = fmt::format("{}: {}", file.string(), plugin.error().message);
  return plugin;
}

Expected<Plugin> Plugin::Initialize(const PJRT_Api* table) {
  const Expected<Api> api = Api::Of(table);
  if (!api) return Unexpected(api.error());
  // Plugins older than this function need no initialization.
  auto initialize = Arguments<PJRT_Plugin_Initialize_Args>();
  if (Result<void> called = api->Call(initialize); !called && !called.error().absent) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the plugin does not initialize: {}", ToError(called.error()).message));
  }
  auto attributes = Arguments<PJRT_Plugin_Attributes_Args>();
  if (!api->Call(attributes)) return Plugin(*api, {});
  return Plugin(*api, ReadNamedValues(attributes.attributes, attributes.num_attributes));
}

}  // namespace opbyop::pjrt
