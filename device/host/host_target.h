// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The factory of the host target, for a TargetRegistry.
#ifndef OPBYOP_DEVICE_HOST_HOST_TARGET_H_
#define OPBYOP_DEVICE_HOST_HOST_TARGET_H_

#include "device/target_registry.h"

namespace opbyop::host {

device::TargetCreation CreateHostTarget(const Target& target);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_HOST_TARGET_H_
