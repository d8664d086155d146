// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Since which version a type or attribute can be part of a portable artifact.
//
//   std::optional<VhloVersion> since = SinceVersion(tensor_of_i2);  // 1.2.0
#ifndef OPBYOP_IR_VHLO_VERSIONS_H_
#define OPBYOP_IR_VHLO_VERSIONS_H_

#include <optional>

#include "ir/artifact_info.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace opbyop::vhlo {

// Nothing where no version can hold it.
std::optional<VhloVersion> SinceVersion(mlir::Type type);
std::optional<VhloVersion> SinceVersion(mlir::Attribute attribute);

// The MLIR bytecode version that artifacts of `version` are written in.
int BytecodeVersion(const VhloVersion& version);

}  // namespace opbyop::vhlo

#endif  // OPBYOP_IR_VHLO_VERSIONS_H_
