// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The host target's artifact: a FlatBuffer (artifact.fbs) of object code with the signature of its entry.
//
//   std::string bytes = WriteArtifact(artifact);
//   Expected<Artifact> read = ReadArtifact(bytes);
//
// The entry is `void entry(void** buffers)`: pointers to the inputs, then to the outputs, each in C order,
// little-endian, every element in whole bytes (support/dtype.h). The caller owns all of them.
#ifndef OPBYOP_DEVICE_HOST_ARTIFACT_H_
#define OPBYOP_DEVICE_HOST_ARTIFACT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/cases/grid.h"
#include "support/expected.h"
#include "support/tensor_type.h"

namespace opbyop::host {

inline constexpr uint32_t kArtifactFormat = 1;

struct Signature {
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;

  friend bool operator==(const Signature&, const Signature&) = default;
};

struct Artifact {
  std::string producer;  // "opbyop-host 0.2.0, LLVM 22.1.8"
  std::string triple;
  std::string cpu;
  std::string entry;
  Signature signature;  // of one process
  std::string object;
  Grid grid;  // the processes that run it at once
};

std::string WriteArtifact(const Artifact& artifact);

// Verifies the identifier, the bounds of every field (flatbuffers::Verifier), the format and the signature before
// anything is used. Returns kBadInput for a damaged file and kUnsupported for a newer format.
Expected<Artifact> ReadArtifact(std::string_view bytes);

}  // namespace opbyop::host

#endif  // OPBYOP_DEVICE_HOST_ARTIFACT_H_
