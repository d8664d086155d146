// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// einsum and unary_einsum, the deprecated sums of products in letters: "ab,bc->ac". Each letter is a loop.
#include "device/host/lowering/contraction.h"
#include "device/host/lowering/loops.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;

// The letters of one tensor, one per dimension. An ellipsis stands for the remaining dimensions, which are named from
// the right by characters that no letter uses.
std::optional<std::string> LettersOf(llvm::StringRef text, size_t rank) {
  const size_t dots = text.find("...");
  if (dots == llvm::StringRef::npos) return text.size() == rank ? std::optional(text.str()) : std::nullopt;
  if (text.size() - 3 > rank) return std::nullopt;
  std::string letters = text.substr(0, dots).str();
  for (size_t left = rank - (text.size() - 3); left > 0; --left) letters += static_cast<char>(left);
  return letters + text.substr(dots + 3).str();
}

// The sum for "lhs,rhs->result". Returns null if the letters do not fit the shapes.
Value Einsum(mlir::ImplicitLocOpBuilder& b, RankedTensorType type, mlir::Type element, Factor lhs, Factor rhs,
             llvm::StringRef config) {
  std::string packed = config.str();
  llvm::erase(packed, ' ');
  const auto [operands, result_text] = llvm::StringRef(packed).split("->");
  const auto [lhs_text, rhs_text] = operands.split(',');
  const auto lhs_letters = LettersOf(lhs_text, ShapeOf(lhs.tensor).size());
  const auto rhs_letters = LettersOf(rhs_text, ShapeOf(rhs.tensor).size());
  const auto result_letters = LettersOf(result_text, type.getRank());
  if (!lhs_letters || !rhs_letters || !result_letters) return {};

  std::string loops;
  llvm::SmallVector<int64_t> sizes;
  const auto map = [&](llvm::StringRef letters, llvm::ArrayRef<int64_t> shape) -> std::optional<AffineMap> {
    llvm::SmallVector<AffineExpr> places;
    for (auto [letter, size] : llvm::zip_equal(letters, shape)) {
      size_t loop = loops.find(letter);
      if (loop == std::string::npos) {
        loop = loops.size();
        loops += letter;
        sizes.push_back(size);
      }
      if (sizes[loop] != size) return std::nullopt;
      places.push_back(b.getAffineDimExpr(static_cast<unsigned>(loop)));
    }
    return AffineMap::get(static_cast<unsigned>(loops.size()), 0, places, b.getContext());
  };
  const auto result_map = map(*result_letters, type.getShape());
  const size_t parallel = loops.size();
  if (!result_map || parallel != result_letters->size()) return {};
  const auto lhs_map = map(*lhs_letters, ShapeOf(lhs.tensor));
  const auto rhs_map = map(*rhs_letters, ShapeOf(rhs.tensor));
  if (!lhs_map || !rhs_map) return {};
  for (const char letter : *result_letters) {
    if (lhs_letters->find(letter) == std::string::npos && rhs_letters->find(letter) == std::string::npos) return {};
  }
  llvm::SmallVector<mlir::utils::IteratorType> iterators(parallel, kParallel);
  iterators.resize(loops.size(), kReduction);
  llvm::SmallVector<AffineMap> maps = {*lhs_map, *rhs_map, *result_map};
  for (AffineMap& each : maps) each = AffineMap::get(loops.size(), 0, each.getResults(), b.getContext());
  return Contract(b, type, element, lhs, rhs, maps, iterators);
}

class EinsumPattern : public ValuePattern<stablehlo::EinsumOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::EinsumOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    Value result = Einsum(b, type, ElementOf(op.getType()), {adaptor.getLhs(), ElementOf(op.getLhs().getType())},
                          {adaptor.getRhs(), ElementOf(op.getRhs().getType())}, op.getEinsumConfig());
    if (!result) return Refuse(op, "its letters do not fit its shapes");
    return result;
  }
};

// Lowered as a product with one.
class UnaryEinsumPattern : public ValuePattern<stablehlo::UnaryEinsumOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::UnaryEinsumOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    mlir::Type element = ElementOf(op.getOperand().getType());
    Value number = EmitConvert(b, ScalarConstant(b, b.getI32Type(), 1), b.getI32Type(), element);
    Value one = Filled(b, WithShape(adaptor.getOperand(), {}), number);
    Value result = Einsum(b, type, ElementOf(op.getType()), {one, element}, {adaptor.getOperand(), element},
                          "," + op.getEinsumConfig().str());
    if (!result) return Refuse(op, "its letters do not fit its shapes");
    return result;
  }
};

}  // namespace

void PopulateEinsum(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<EinsumPattern, UnaryEinsumPattern>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
