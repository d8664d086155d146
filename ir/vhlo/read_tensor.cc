// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/read_tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::vhlo {
namespace {

using llvm::ArrayRef;
using mlir::DenseElementsAttr;

DenseElementsAttr MakeBooleans(mlir::ShapedType type, ArrayRef<char> blob) {
  size_t count = type.getNumElements();
  size_t packed_size = (count + 7) / 8;
  bool is_one_byte_splat = blob.size() == 1 && (count > 8 || blob[0] == '\xff' || blob[0] == 0);
  if (is_one_byte_splat && count > 0) return DenseElementsAttr::get(type, blob[0] != 0);
  if (blob.size() != packed_size && blob.size() != count) return {};
  bool is_packed = blob.size() == packed_size;
  llvm::SmallVector<bool> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = is_packed ? (static_cast<unsigned char>(blob[i / 8]) >> (i % 8)) & 1 : blob[i] != 0;
  }
  return DenseElementsAttr::get(type, values);
}

}  // namespace

DenseElementsAttr MakeTensor(mlir::ShapedType type, ArrayRef<char> blob, std::string& error) {
  mlir::Type element = type.getElementType();
  auto complex = llvm::dyn_cast<mlir::ComplexType>(element);
  mlir::Type part = complex ? complex.getElementType() : element;
  if (!type.hasStaticShape() || !(part.isIntOrIndexOrFloat())) {
    llvm::raw_string_ostream(error) << "a constant cannot be of type " << type;
    return {};
  }
  DenseElementsAttr value;
  bool is_splat = false;
  if (element.isInteger(1)) {
    value = MakeBooleans(type, blob);
  } else if (DenseElementsAttr::isValidRawBuffer(type, blob, is_splat)) {
    value = DenseElementsAttr::getFromRawBuffer(type, blob);
  }
  if (!value) {
    llvm::raw_string_ostream(error) << "a constant of type " << type << " comes with " << blob.size()
                                    << " bytes, which is neither one element nor all of them";
  }
  return value;
}

}  // namespace opbyop::vhlo
