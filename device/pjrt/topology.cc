// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/topology.h"

#include "device/pjrt/mlir_program.h"

namespace opbyop::pjrt {

Result<Topology> Topology::Create(const Api& api, std::string_view name, const NamedValues& options) {
  const NamedValueList list(options);
  auto args = Arguments<PJRT_TopologyDescription_Create_Args>();
  args.topology_name = name.data();
  args.topology_name_size = name.size();
  args.create_options = list.data();
  args.num_options = list.size();
  if (Result<void> called = api.Call(args); !called) return tl::unexpected(called.error());
  if (args.topology == nullptr)
    return tl::unexpected(MissingResultError("PJRT_TopologyDescription_Create", "topology"));
  return Topology(api, args.topology);
}

Result<std::string> Topology::PlatformName() const {
  auto args = Arguments<PJRT_TopologyDescription_PlatformName_Args>();
  args.topology = topology_.get();
  return api_.Call(args).map([&] { return std::string(TextOf(args.platform_name, args.platform_name_size)); });
}

Result<std::string> Topology::PlatformVersion() const {
  auto args = Arguments<PJRT_TopologyDescription_PlatformVersion_Args>();
  args.topology = topology_.get();
  return api_.Call(args).map([&] { return std::string(TextOf(args.platform_version, args.platform_version_size)); });
}

Result<std::vector<DeviceDescription>> Topology::Devices() const {
  auto args = Arguments<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  args.topology = topology_.get();
  if (Result<void> called = api_.Call(args); !called) return tl::unexpected(called.error());
  std::vector<DeviceDescription> devices;
  for (size_t i = 0; args.descriptions != nullptr && i < args.num_descriptions; ++i) {
    if (args.descriptions[i] != nullptr) devices.emplace_back(api_, args.descriptions[i]);
  }
  return devices;
}

Result<Executable> Topology::Compile(std::string_view program, std::string_view options) const {
  ArgumentBlock<PJRT_Program> code = MlirProgram(api_, program);
  auto args = Arguments<PJRT_Compile_Args>();
  args.topology = topology_.get();
  args.program = code.get();
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  if (Result<void> called = api_.Call(args, code); !called) return tl::unexpected(called.error());
  if (args.executable == nullptr) return tl::unexpected(MissingResultError("PJRT_Compile", "executable"));
  return Executable(api_, args.executable);
}

}  // namespace opbyop::pjrt
