// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/abi_version.h"

namespace opbyop::pjrt {
namespace {

// The type of the extension; pjrt_c_api.h does not number it.
constexpr int kAbiVersion = 20;

using Extension = PJRT_AbiVersion_Extension;

const Extension* Find(const Api& api) {
  const PJRT_Extension_Base* base = api.FindExtension(kAbiVersion);
  // An earlier form of the extension could not read a version back from its bytes.
  if (base == nullptr || base->struct_size < PJRT_AbiVersion_Extension_STRUCT_SIZE) return nullptr;
  return reinterpret_cast<const Extension*>(base);
}

CallError NoExtension() {
  return {.function = "PJRT_AbiVersion_Extension",
          .code = PJRT_Error_Code_UNIMPLEMENTED,
          .message = "the plugin has no extension of versions of executables",
          .absent = true};
}

// A version that the plugin made; `destroy` is the function of its kind.
template <typename DestroyArgs>
class Version {
 public:
  Version(const Api& api, std::string_view destroy_name, void* destroy, void* version)
      : api_(api), destroy_name_(destroy_name), destroy_(destroy), version_(version) {}
  Version(const Version&) = delete;
  Version& operator=(const Version&) = delete;
  ~Version() {
    DestroyArgs args = {.struct_size = sizeof(DestroyArgs), .abi_version = version_};
    (void)api_.CallExtension(destroy_name_, destroy_, args);
  }

 private:
  const Api& api_;
  std::string_view destroy_name_;
  void* destroy_;
  void* version_;
};

}  // namespace

bool KnowsAbiVersions(const Api& api) { return Find(api) != nullptr; }

Result<std::string> VersionOfExecutable(const Api& api, const Executable& executable) {
  const Extension* extension = Find(api);
  if (extension == nullptr) return tl::unexpected(NoExtension());
  PJRT_Executable_GetAbiVersion_Args of = {.struct_size = sizeof(of), .executable = executable.get()};
  Result<void> called = api.CallExtension("PJRT_Executable_GetAbiVersion", extension->executable_get_abi_version, of);
  if (!called) return tl::unexpected(called.error());
  const Version<PJRT_ExecutableAbiVersion_Destroy_Args> version(
      api, "PJRT_ExecutableAbiVersion_Destroy", extension->executable_abi_version_destroy, of.abi_version);
  PJRT_ExecutableAbiVersion_ToProto_Args to = {.struct_size = sizeof(to), .abi_version = of.abi_version};
  called = api.CallExtension("PJRT_ExecutableAbiVersion_ToProto", extension->executable_abi_version_to_proto, to);
  if (!called) return tl::unexpected(called.error());
  std::string bytes(TextOf(static_cast<const char*>(to.serialized_proto), to.serialized_proto_size));
  if (to.serialized_proto_deleter != nullptr) {
    reinterpret_cast<void (*)(void*)>(to.serialized_proto_deleter)(to.serialized_proto_holder);
  }
  return bytes;
}

Result<void> MayRun(const Api& api, const Client& client, std::string_view version) {
  const Extension* extension = Find(api);
  if (extension == nullptr) return tl::unexpected(NoExtension());
  PJRT_ExecutableAbiVersion_FromProto_Args from = {.struct_size = sizeof(from),
                                                   .serialized_proto = const_cast<char*>(version.data()),
                                                   .serialized_proto_size = version.size()};
  Result<void> called =
      api.CallExtension("PJRT_ExecutableAbiVersion_FromProto", extension->executable_abi_version_from_proto, from);
  if (!called) return called;
  const Version<PJRT_ExecutableAbiVersion_Destroy_Args> needed(
      api, "PJRT_ExecutableAbiVersion_Destroy", extension->executable_abi_version_destroy, from.abi_version);
  PJRT_Client_RuntimeAbiVersion_Args here = {.struct_size = sizeof(here), .client = client.get()};
  called = api.CallExtension("PJRT_Client_RuntimeAbiVersion", extension->client_runtime_abi_version, here);
  if (!called) return called;
  const Version<PJRT_RuntimeAbiVersion_Destroy_Args> runtime(api, "PJRT_RuntimeAbiVersion_Destroy",
                                                             extension->runtime_abi_version_destroy, here.abi_version);
  PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args ask = {
      .struct_size = sizeof(ask), .abi_version = here.abi_version, .executable_abi_version = from.abi_version};
  return api.CallExtension("PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable",
                           extension->runtime_abi_version_is_compatible_with_executable, ask);
}

}  // namespace opbyop::pjrt
