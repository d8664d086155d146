// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tells by content what a file of a model is, without reading its ops.
//
//   Expected<ArtifactInfo> info = InspectArtifact(bytes);
//   if (info && info->kind == ArtifactKind::kPortableArtifact) print(info->producer, ToString(*info->version));
#ifndef OPBYOP_IR_ARTIFACT_INFO_H_
#define OPBYOP_IR_ARTIFACT_INFO_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop {

enum class ArtifactKind {
  kText,              // MLIR text, pretty or generic
  kBytecode,          // MLIR bytecode of any producer
  kPortableArtifact,  // MLIR bytecode by StableHLO_vX.Y.Z: versioned ops
};

// "text", "bytecode", "portable artifact".
std::string_view ToString(ArtifactKind kind);

struct VhloVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  auto operator<=>(const VhloVersion&) const = default;
};

// "1.13.7".
std::string ToString(const VhloVersion& version);

// The newest version whose ops, attributes and types this project knows. Patch versions change nothing.
inline constexpr VhloVersion kNewestVhloVersion = {1, 20, 0};

struct ArtifactInfo {
  ArtifactKind kind = ArtifactKind::kText;
  std::string producer;                // of bytecode: "StableHLO_v1.13.0", "MLIR22.1.0"; empty for text
  std::optional<VhloVersion> version;  // of a portable artifact; those of early 2023 have none
  std::optional<uint64_t> bytecode_version;
  bool is_jax_export = false;  // wrapped by jax.export's Exported.serialize()
  // Where in the bytes the program lies: all of them but for a wrapped one.
  size_t offset = 0;
  size_t size = 0;
};

// kBadInput, with what the bytes look like instead, where they are no MLIR at all. Bytes that pass may still be
// malformed further on.
Expected<ArtifactInfo> InspectArtifact(std::string_view bytes);

}  // namespace opbyop

#endif  // OPBYOP_IR_ARTIFACT_INFO_H_
