// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Determines the kind of a model's file from its content, without reading its ops.
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
  kPortableArtifact,  // MLIR bytecode written by StableHLO_vX.Y.Z: versioned ops
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

// The newest version whose ops, attributes and types this project knows. A patch version never changes them.
inline constexpr VhloVersion kNewestVhloVersion = {1, 20, 0};

struct ArtifactInfo {
  ArtifactKind kind = ArtifactKind::kText;
  std::string producer;                // bytecode: "StableHLO_v1.13.0", "MLIR22.1.0"; text: empty
  std::optional<VhloVersion> version;  // portable artifacts only; those of early 2023 have none
  std::optional<uint64_t> bytecode_version;
  bool is_jax_export = false;  // wrapped by jax.export's Exported.serialize()
  // Offset in bytes at which the program starts. 0 unless it is wrapped, or text after a byte order mark.
  size_t offset = 0;
  size_t size = 0;
};

// Returns kBadInput if the bytes are not MLIR at all; the message says what they look like. Bytes that pass may still
// be malformed further on.
Expected<ArtifactInfo> InspectArtifact(std::string_view bytes);

}  // namespace opbyop

#endif  // OPBYOP_IR_ARTIFACT_INFO_H_
