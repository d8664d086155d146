// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/missing_elements.h"

#include <fmt/format.h>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace opbyop {

std::optional<std::string> MissingElements(mlir::ElementsAttr elements) {
  auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(elements);
  if (!resource || resource.getRawHandle().getBlob() != nullptr) return std::nullopt;
  const std::string key = resource.getRawHandle().getKey().str();
  if (key == "__elided__") {
    return "has no elements, they were elided when the module was printed (dense_resource<__elided__>); print it again "
           "without --mlir-elide-elementsattrs-if-larger, or split the program, which makes them a run-time input";
  }
  return fmt::format(
      "has no elements, dense_resource<{}> is not in the file; probably its section {{-# dialect_resources #-}} was "
      "cut off",
      key);
}

}  // namespace opbyop
