// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The files of a case's tensors. Those that a device left as its outputs are looked at before anybody trusts them: a
// device may leave a pipe that nobody writes to, a link to something endless, or a terabyte of nothing.
//
//   ClearOutputs(c, dir);                     // before execution
//   if (std::optional<std::string> why = FaultOfOutputs(c, dir)) ... fail in stage execute
//   bool untouched = IsAllZero(dir / "output_0.npy", c.outputs[0]);
//
// Nothing here waits for a file, follows a link or reads more than the declared type can take.
#ifndef OPBYOP_HARNESS_WORKER_OUTPUTS_H_
#define OPBYOP_HARNESS_WORKER_OUTPUTS_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "manifests/cases/case.h"
#include "support/tensor_type.h"

namespace opbyop::harness {

// Removes whatever bears the name of an input: a link there would lead the next ones to another file.
void ClearInputs(const Case& c, const std::filesystem::path& dir);

// Removes whatever bears the name of an output, so that none is of an earlier execution.
void ClearOutputs(const Case& c, const std::filesystem::path& dir);

// Why the outputs are not files with a tensor each, by their kind and size alone; nullopt where they may be.
std::optional<std::string> FaultOfOutputs(const Case& c, const std::filesystem::path& dir);

// The same of the inputs after the first `digests`, of which the reference that made them gave no digest.
std::optional<std::string> FaultOfInputs(const Case& c, const std::filesystem::path& dir, size_t digests);

// Several elements, all bytes of all of them zero. False also where the file cannot be read.
bool IsAllZero(const std::filesystem::path& file, const TensorType& type);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_OUTPUTS_H_
