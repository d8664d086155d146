// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a StableHLO module as a portable artifact, for consumers of any age.
//
//   Expected<std::string> bytes = SerializePortableArtifact(module, {1, 0, 0});
//
// A consumer of VHLO 1.0.0 or newer reads them, whatever MLIR it is built with. What a version cannot express is an
// error that names the op and the version it needs.
#ifndef OPBYOP_IR_VHLO_WRITE_ARTIFACT_H_
#define OPBYOP_IR_VHLO_WRITE_ARTIFACT_H_

#include <string>
#include <vector>

#include "ir/artifact_info.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop {

// "1.0.0". kUsage where it is no version, kUnsupported where it is newer than this project or older than 0.9.0.
Expected<VhloVersion> ParseVhloVersion(std::string_view text);

// Every version that can be written, oldest first: 0.9.0 to 0.20.0, then 1.0.0 to the newest.
std::vector<VhloVersion> VhloVersions();

// The module is left as it is. The patch number of `target` is taken as 0.
Expected<std::string> SerializePortableArtifact(mlir::ModuleOp module, VhloVersion target);

}  // namespace opbyop

#endif  // OPBYOP_IR_VHLO_WRITE_ARTIFACT_H_
