// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// einsum and unary_einsum, deprecated sums of products in which letters name dimensions: "ab,bc->ac".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "mlir/IR/BuiltinAttributes.h"
#include "reference/eval/dot.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"

namespace opbyop::reference {
namespace {

// Returns the letters of one operand, one per dimension. An ellipsis stands for the remaining dimensions, which are
// named from the right by characters that are not letters.
std::optional<std::string> Letters(std::string_view text, size_t rank) {
  const size_t dots = text.find("...");
  if (dots == std::string_view::npos) return text.size() == rank ? std::optional<std::string>(text) : std::nullopt;
  if (text.size() - 3 > rank) return std::nullopt;
  std::string out(text.substr(0, dots));
  for (size_t left = rank - (text.size() - 3); left > 0; --left) out += static_cast<char>(left);
  return out + std::string(text.substr(dots + 3));
}

// One operand in which each letter occurs once. For a repeated letter the diagonal has been taken.
struct Lettered {
  Tensor tensor;
  std::string letters;
};

Expected<Lettered> WithoutRepeats(const OpContext& context, const Tensor& t, const std::string& letters) {
  const Shape strides = StridesOf(t.shape());
  std::string once;
  Shape shape;
  Shape steps;
  for (size_t d = 0; d < letters.size(); ++d) {
    const size_t known = once.find(letters[d]);
    if (known == std::string::npos) {
      once += letters[d];
      shape.push_back(t.shape()[d]);
      steps.push_back(strides[d]);
    } else if (shape[known] != t.shape()[d]) {
      return context.Fail(ExitCode::kBadInput, fmt::format("letter '{}' has two sizes", letters[d]));
    } else {
      steps[known] += strides[d];
    }
  }
  return Lettered{once == letters ? t : StridedView(t, std::move(shape), steps, 0), once};
}

// Sums over a letter that only one operand has and that the result drops: `to` gets the dimension too, with stride 0.
void AddSummedLetters(Lettered& to, const Lettered& from, const std::string& result) {
  Shape shape = to.tensor.shape();
  Shape strides = StridesOf(shape);
  std::string letters = to.letters;
  for (size_t d = 0; d < from.letters.size(); ++d) {
    const char letter = from.letters[d];
    if (letters.find(letter) != std::string::npos || result.find(letter) != std::string::npos) continue;
    letters += letter;
    shape.push_back(from.tensor.shape()[d]);
    strides.push_back(0);
  }
  if (letters.size() == to.letters.size()) return;
  to = {StridedView(to.tensor, std::move(shape), strides, 0), std::move(letters)};
}

Expected<Values> Evaluate(OpContext& context, const Tensor& lhs, const Tensor& rhs, std::string_view config) {
  const size_t comma = config.find(',');
  const size_t arrow = config.find("->");
  if (comma == std::string_view::npos || arrow == std::string_view::npos || comma > arrow) {
    return context.Fail(ExitCode::kBadInput, fmt::format("config '{}' is not of the form 'ab,bc->ac'", config));
  }
  const auto lhs_letters = Letters(config.substr(0, comma), lhs.shape().size());
  const auto rhs_letters = Letters(config.substr(comma + 1, arrow - comma - 1), rhs.shape().size());
  const Expected<Shape> shape = context.ResultShape();
  if (!shape) return Unexpected(shape.error());
  const auto result = Letters(config.substr(arrow + 2), shape->size());
  if (!lhs_letters || !rhs_letters || !result) {
    return context.Fail(ExitCode::kBadInput, fmt::format("config '{}' does not fit the ranks", config));
  }
  Expected<Lettered> a = WithoutRepeats(context, lhs, *lhs_letters);
  Expected<Lettered> b = WithoutRepeats(context, rhs, *rhs_letters);
  if (!a) return Unexpected(a.error());
  if (!b) return Unexpected(b.error());
  AddSummedLetters(*b, *a, *result);
  AddSummedLetters(*a, *b, *result);

  DotDimensions dims;
  std::string produced;
  std::string free;
  for (size_t d = 0; d < a->letters.size(); ++d) {
    const char letter = a->letters[d];
    const size_t other = b->letters.find(letter);
    if (other == std::string::npos) {
      free += letter;
    } else if (result->find(letter) == std::string::npos) {
      dims.lhs_contract.push_back(static_cast<int64_t>(d));
      dims.rhs_contract.push_back(static_cast<int64_t>(other));
    } else {
      produced += letter;
      dims.lhs_batch.push_back(static_cast<int64_t>(d));
      dims.rhs_batch.push_back(static_cast<int64_t>(other));
    }
  }
  produced += free;
  for (const char letter : b->letters) {
    if (a->letters.find(letter) == std::string::npos) produced += letter;
  }
  Expected<Tensor> product = DotOf(context, a->tensor, b->tensor, dims);
  if (!product) return Unexpected(product.error());
  std::vector<int64_t> permutation;
  for (const char letter : *result) {
    const size_t at = produced.find(letter);
    if (at == std::string::npos) {
      return context.Fail(ExitCode::kBadInput, fmt::format("config '{}' has a result letter of no operand", config));
    }
    permutation.push_back(static_cast<int64_t>(at));
  }
  if (permutation.size() != produced.size()) {
    return context.Fail(ExitCode::kBadInput, fmt::format("config '{}' repeats a result letter", config));
  }
  return Values{Transpose(*product, permutation)};
}

std::string ConfigOf(const OpContext& context) {
  const auto config = context.op->getAttrOfType<mlir::StringAttr>("einsum_config");
  std::string text = config ? config.getValue().str() : "";
  std::erase(text, ' ');
  return text;
}

Expected<Values> Einsum(OpContext& context) {
  return Evaluate(context, context.in(0), context.in(1), ConfigOf(context));
}

// Evaluates unary_einsum as a product with one.
Expected<Values> UnaryEinsum(OpContext& context) {
  Tensor one = Tensor::Zeros(context.in(0).type(), {});
  WithStorage(one.kind(), [&]<typename T>() { one.Mutable<T>()[0] = T(1); });
  return Evaluate(context, one, context.in(0), "," + ConfigOf(context));
}

}  // namespace

void AddEinsum(EvalTableType& table) {
  table["stablehlo.einsum"] = &Einsum;
  table["stablehlo.unary_einsum"] = &UnaryEinsum;
}

}  // namespace opbyop::reference
