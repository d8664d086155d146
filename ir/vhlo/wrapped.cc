// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/wrapped.h"

namespace opbyop::vhlo {
WrappedAttr WrappedAttr::get(mlir::Attribute inner, bool is_api_version) {
  return Base::get(inner.getContext(), inner, static_cast<unsigned>(is_api_version));
}
mlir::Attribute WrappedAttr::inner() const { return getImpl()->key.first; }
bool WrappedAttr::is_api_version() const { return getImpl()->key.second != 0; }

WrappedType WrappedType::get(mlir::Type inner) { return Base::get(inner.getContext(), inner); }
mlir::Type WrappedType::inner() const { return getImpl()->key; }

}  // namespace opbyop::vhlo
