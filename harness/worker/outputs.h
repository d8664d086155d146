// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tensor files of a case. A file that a device left as an output is checked before it is used: a device may leave a
// pipe without a writer, a link to an endless file, or a sparse terabyte.
//
//   ClearOutputs(c, dir);                     // before execution
//   if (std::optional<std::string> why = FindOutputFault(c, dir)) ... fail in stage execute
//   bool untouched = IsAllZero(dir / "output_0.npy", c.outputs[0]);
//
// Nothing here waits for a file, follows a link or reads more than the declared type can hold.
#ifndef OPBYOP_HARNESS_WORKER_OUTPUTS_H_
#define OPBYOP_HARNESS_WORKER_OUTPUTS_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "manifests/cases/case.h"
#include "support/tensor_type.h"

namespace opbyop::harness {

// Removes anything with the name of an input. A link there would redirect the next inputs to another file.
void ClearInputs(const Case& c, const std::filesystem::path& dir);

// Removes anything with the name of an output, so that no output is of an earlier execution.
void ClearOutputs(const Case& c, const std::filesystem::path& dir);

// Says why the outputs are not tensor files, by their kind and size alone; nullopt if they may be.
std::optional<std::string> FindOutputFault(const Case& c, const std::filesystem::path& dir);

// Does the same for the inputs after the first `digests`, of which the reference gave no digest.
std::optional<std::string> FindInputFault(const Case& c, const std::filesystem::path& dir, size_t digests);

// A digest of the outputs, in which FindOutputFault has found no fault.
std::string DigestOfOutputs(const Case& c, const std::filesystem::path& dir);

// True if there are several elements and all their bytes are zero. False also if the file cannot be read.
bool IsAllZero(const std::filesystem::path& file, const TensorType& type);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_OUTPUTS_H_
