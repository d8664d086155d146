// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The arguments of a comparison, from the files that the reference wrote when it drew them.
//
//   ArgumentFiles files(request, compare);
//   Expected<Values> arguments = files.Read(entry);
//   ...                                             // judge
//   if (auto same = files.CheckMapped(); !same) ... // what was judged may not be what was drawn
//
// The target can write to their folder, so each must have the digest of what was drawn. A small file is copied, and the
// copy is checked. A large one is read where it is mapped, because a copy would take as much time and memory again as
// the judgement, and is checked when it has been used.
#ifndef OPBYOP_REFERENCE_WORKER_ARGUMENT_FILES_H_
#define OPBYOP_REFERENCE_WORKER_ARGUMENT_FILES_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "mlir/IR/Operation.h"
#include "protocol/request.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/inputs.h"
#include "support/expected.h"
#include "support/files/npy.h"

namespace opbyop::reference {

// The file of argument or result `i` of a request, such as output_0.npy.
std::filesystem::path FileOf(const protocol::Request& request, std::string_view stem, size_t i);

// Writes a drawn input to a file and returns the digest by which it is recognized. Elements that are not drawn yet are
// drawn, digested and written block by block.
Expected<std::string> WriteInput(const std::filesystem::path& path, InputData input);

class ArgumentFiles {
 public:
  // Borrows both.
  ArgumentFiles(const protocol::Request& request, const protocol::CompareVerb& compare)
      : request_(&request), compare_(&compare) {}

  // Reads the arguments of all processes. An error kUnsupported is a limit of the reference; any other error says what
  // the target did to the files. Mapped files are mapped once, however often they are read.
  Expected<Values> Read(mlir::Operation* entry);

  // Whether the mapped files still are what was drawn.
  Expected<void> CheckMapped() const;

 private:
  Expected<Tensor> ReadOne(size_t i, ElementType type, const Shape& shape);
  Expected<void> Check(size_t i, std::span<const std::byte> bytes) const;

  const protocol::Request* request_;
  const protocol::CompareVerb* compare_;
  std::map<size_t, std::shared_ptr<const NpyFile>> mapped_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_ARGUMENT_FILES_H_
