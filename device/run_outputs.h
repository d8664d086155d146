// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the outputs of the runs of one execution to files for the reference: the first run's outputs, and the last
// run's if they differ.
//
//   WriteRunOutput(dir, i, type, bytes, OutputsOf::kFirstRun);
//   ... run again, maybe into the same memory ...
//   WriteRunOutput(dir, i, type, bytes, OutputsOf::kLastRun);
//
// The reference judges both: a race, or a buffer that only the first run filled, is visible in the last.
#ifndef OPBYOP_DEVICE_RUN_OUTPUTS_H_
#define OPBYOP_DEVICE_RUN_OUTPUTS_H_

#include <cstddef>
#include <filesystem>
#include <span>

#include "support/expected.h"
#include "support/tensor_type.h"

namespace opbyop::device {

enum class OutputsOf { kFirstRun, kLastRun };

// Writes `bytes`, in stored form (support/dtype.h), to `dir`/output_<i>.npy if they are of the first or only run. Those
// of the last run are written to `dir`/last_output_<i>.npy, if they are not what the first run's file has.
Expected<void> WriteRunOutput(const std::filesystem::path& dir, size_t i, const TensorType& type,
                              std::span<const std::byte> bytes, OutputsOf run);

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_RUN_OUTPUTS_H_
