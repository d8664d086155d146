// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/vhlo/element_types.h"

#include <array>

#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::vhlo {
namespace {

using mlir::MLIRContext;
using mlir::Type;

template <typename T>
Type Make(MLIRContext* context) {
  return T::get(context);
}

template <unsigned kWidth>
Type MakeInteger(MLIRContext* context) {
  return mlir::IntegerType::get(context, kWidth);
}

template <unsigned kWidth>
Type MakeUnsigned(MLIRContext* context) {
  return mlir::IntegerType::get(context, kWidth, mlir::IntegerType::Unsigned);
}

// VHLO's signed integers are StableHLO's signless ones.
constexpr auto kTypes = std::to_array<ElementType>({
    {0, MakeInteger<1>},
    {2, Make<mlir::BFloat16Type>},
    {3, Make<mlir::Float16Type>},
    {4, Make<mlir::Float32Type>},
    {5, Make<mlir::Float64Type>},
    {6, Make<mlir::Float8E4M3FNType>},
    {7, Make<mlir::Float8E5M2Type>},
    {9, Make<mlir::IndexType>},
    {10, MakeInteger<4>},
    {11, MakeInteger<8>},
    {12, MakeInteger<16>},
    {13, MakeInteger<32>},
    {14, MakeInteger<64>},
    {15, MakeUnsigned<4>},
    {16, MakeUnsigned<8>},
    {17, MakeUnsigned<16>},
    {18, MakeUnsigned<32>},
    {19, MakeUnsigned<64>},
    {27, Make<mlir::Float8E4M3FNUZType>, {0, 10, 0}},
    {28, Make<mlir::Float8E5M2FNUZType>, {0, 10, 0}},
    {29, Make<mlir::Float8E4M3B11FNUZType>, {0, 11, 0}},
    {31, MakeInteger<2>, {1, 2, 0}},
    {32, MakeUnsigned<2>, {1, 2, 0}},
    {33, Make<mlir::NoneType>, {1, 6, 0}},
    {34, Make<mlir::FloatTF32Type>, {1, 6, 0}},
    {35, Make<mlir::Float8E4M3Type>, {1, 7, 0}},
    {36, Make<mlir::Float8E3M4Type>, {1, 7, 0}},
    {37, Make<mlir::Float4E2M1FNType>, {1, 8, 0}},
    {38, Make<mlir::Float6E2M3FNType>, {1, 8, 0}},
    {39, Make<mlir::Float6E3M2FNType>, {1, 8, 0}},
    {40, Make<mlir::Float8E8M0FNUType>, {1, 8, 0}},
});

}  // namespace

Type ElementTypeOf(uint64_t code, MLIRContext* context) {
  for (const ElementType& row : kTypes) {
    if (row.code == code) return row.make(context);
  }
  return {};
}

const ElementType* FindElementType(Type type) {
  for (const ElementType& row : kTypes) {
    if (row.make(type.getContext()) == type) return &row;
  }
  return nullptr;
}

}  // namespace opbyop::vhlo
