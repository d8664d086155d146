// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a StableHLO module as a portable artifact, for consumers of any age.
//
//   Expected<std::string> bytes = SerializePortableArtifact(module, {1, 0, 0});
//
// In this example every consumer of VHLO 1.0.0 or newer can read the bytes, whatever MLIR it is built with. If a
// version cannot express a part of the module, the error names the op and the version that it needs.
#ifndef OPBYOP_IR_VHLO_WRITE_ARTIFACT_H_
#define OPBYOP_IR_VHLO_WRITE_ARTIFACT_H_

#include <string>
#include <vector>

#include "ir/artifact_info.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop {

// Parses "1.0.0". Returns kUsage if the text is not a version, and kUnsupported if the version is newer than this
// project supports or older than 0.9.0.
Expected<VhloVersion> ParseVhloVersion(std::string_view text);

// Returns every version that can be written, oldest first: 0.9.0 to 0.20.0, then 1.0.0 to the newest.
std::vector<VhloVersion> VhloVersions();

// Does not change the module. The patch number of `target` is taken as 0.
Expected<std::string> SerializePortableArtifact(mlir::ModuleOp module, VhloVersion target);

}  // namespace opbyop

#endif  // OPBYOP_IR_VHLO_WRITE_ARTIFACT_H_
