// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Returns the first version of portable artifacts that can contain a type or attribute.
//
//   std::optional<VhloVersion> since = SinceVersion(tensor_of_i2);  // 1.2.0
#ifndef OPBYOP_IR_VHLO_VERSIONS_H_
#define OPBYOP_IR_VHLO_VERSIONS_H_

#include <optional>

#include "ir/artifact_info.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace opbyop::vhlo {

// Return nullopt if no version can contain it.
std::optional<VhloVersion> SinceVersion(mlir::Type type);
std::optional<VhloVersion> SinceVersion(mlir::Attribute attribute);

// Returns the MLIR bytecode version in which artifacts of `version` are written.
int BytecodeVersion(const VhloVersion& version);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_VERSIONS_H_
