// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the arguments of a program from .npy files.
//
//   Expected<std::vector<Tensor>> arguments = ReadArguments({"x.npy", "y.npy"}, entry);
#ifndef OPBYOP_REFERENCE_WORKER_NPY_ARGUMENT_H_
#define OPBYOP_REFERENCE_WORKER_NPY_ARGUMENT_H_

#include <filesystem>
#include <vector>

#include "mlir/IR/Operation.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

// Reads one file for each argument of the function, in order. Returns kUsage if there are more or fewer files, and
// kBadInput if a file has another shape or element type than its argument.
Expected<std::vector<Tensor>> ReadArguments(const std::vector<std::filesystem::path>& files, mlir::Operation* entry);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_NPY_ARGUMENT_H_
