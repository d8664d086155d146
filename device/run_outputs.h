// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the outputs of several runs of one execution to files for the reference: the first run's outputs, and the last
// run's if they differ.
//
//   for (size_t i = 0; i < outputs.size(); ++i) {
//     if (auto written = WriteRunOutput(dir, i, types[i], first[i], last[i]); !written) return written;
//   }
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

// Writes `first` to `dir`/output_<i>.npy and, if the bytes of `last` differ, `last` to `dir`/last_output_<i>.npy.
// `last` is empty if there was only one run. Both are in stored form (support/dtype.h).
Expected<void> WriteRunOutput(const std::filesystem::path& dir, size_t i, const TensorType& type,
                              std::span<const std::byte> first, std::span<const std::byte> last);

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_RUN_OUTPUTS_H_
