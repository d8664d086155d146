// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/host_target.h"

#include "device/host/host_compiler.h"
#include "device/host/host_device.h"

namespace opbyop::host {

device::TargetCreation CreateHostTarget(const Target& target) {
  auto compiler = HostCompiler::Create(target);
  if (!compiler) return compiler.error();
  auto device = HostDevice::Create();
  if (!device) return device.error();
  auto spare = HostDevice::Create();
  if (!spare) return spare.error();
  return device::TargetParts{std::move(*compiler), std::move(*device), nullptr, std::move(*spare)};
}

}  // namespace opbyop::host
