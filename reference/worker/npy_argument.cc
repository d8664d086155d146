// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/npy_argument.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mlir/IR/BuiltinTypes.h"
#include "reference/eval/evaluator.h"
#include "support/dtype.h"
#include "support/files/npy.h"

namespace opbyop::reference {

Expected<std::vector<Tensor>> ReadArguments(const std::vector<std::filesystem::path>& files, mlir::Operation* entry) {
  mlir::Region& body = entry->getRegion(0);
  std::vector<Tensor> arguments;
  if (files.size() != body.getNumArguments()) {
    return MakeError(ExitCode::kUsage, fmt::format("the entry takes {} arguments, {} inputs are given",
                                                   body.getNumArguments(), files.size()));
  }
  for (unsigned i = 0; i < body.getNumArguments(); ++i) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(body.getArgument(i).getType());
    const auto element = type ? ElementTypeOf(type) : std::nullopt;
    if (!element)
      return MakeError(ExitCode::kUnsupported, fmt::format("unsupported: argument {} is no plain tensor", i));
    const Expected<NpyFile> file = ReadNpy(files[i]);
    if (!file) return Unexpected(file.error());
    const bool fits = type.getRank() == static_cast<int64_t>(file->shape().size()) &&
                      std::ranges::equal(type.getShape(), file->shape(), [](int64_t want, int64_t have) {
                        return mlir::ShapedType::isDynamic(want) || want == have;
                      });
    if (!fits) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("{}: has shape [{}], argument {} wants [{}]", files[i].string(),
                                   fmt::join(file->shape(), ", "), i, fmt::join(type.getShape(), ", ")));
    }
    // Types that NumPy lacks are stored as void, or as integers of their size.
    const std::string descr = DtypeNumpyDescr(NameOf(*element)).value_or("|V");
    if (descr[1] != 'V' && file->descr()[1] != 'V' && descr != file->descr()) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: has elements of '{}', argument {} wants {} ('{}')",
                                                        files[i].string(), file->descr(), i, NameOf(*element), descr));
    }
    Expected<Tensor> tensor = TensorFromBytes(*element, file->shape(), file->bytes());
    if (!tensor) {
      return MakeError(tensor.error().code, fmt::format("{}: {}", files[i].string(), tensor.error().message));
    }
    arguments.push_back(std::move(*tensor));
  }
  return arguments;
}

}  // namespace opbyop::reference
