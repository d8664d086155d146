// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/region_trial.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/special_values.h"

namespace opbyop::reference {
namespace {

std::optional<ElementType> TypeOf(mlir::Region& region, unsigned argument) {
  if (!region.hasOneBlock() || argument >= region.getNumArguments()) return std::nullopt;
  return ElementTypeOf(region.getArgument(argument).getType());
}

Tensor Of(ElementType type, const std::vector<double>& values) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  Tensor t = Tensor::Zeros(type, shape);
  WithStorage(t.kind(), [&]<typename T>() {
    for (size_t i = 0; i < values.size(); ++i) t.Mutable<T>()[i] = static_cast<T>(values[i]);
  });
  return t;
}

double At(const Tensor& t, size_t i) {
  if (t.kind() == ElementKind::kFloat) return t.data<double>()[i];
  if (t.kind() == ElementKind::kInteger) return static_cast<double>(t.data<int64_t>()[i]);
  if (t.kind() == ElementKind::kBool) return t.data<uint8_t>()[i];
  return kNan;
}

std::optional<std::vector<Tensor>> Run(mlir::Operation* op, const std::vector<Tensor>& arguments, size_t count) {
  auto module = op->getParentOfType<mlir::ModuleOp>();
  if (!module) return std::nullopt;
  Evaluator evaluator(module);
  Expected<std::vector<Tensor>> results =
      evaluator.RunBatch(op->getRegion(0), arguments, static_cast<int64_t>(count), nullptr);
  if (!results) return std::nullopt;
  for (const Tensor& t : *results) {
    if (t.size() != static_cast<int64_t>(count)) return std::nullopt;
  }
  return std::move(*results);
}

// Two elements that the region combines, each with the element at its place in the other operands.
struct Pair {
  double left, right, left_beside, right_beside;
};

}  // namespace

PickTrial TryPick(mlir::Operation* op, unsigned operand) {
  PickTrial trial;
  if (op->getNumRegions() != 1) return trial;
  mlir::Region& region = op->getRegion(0);
  const unsigned inputs = region.hasOneBlock() ? region.getNumArguments() / 2 : 0;
  const auto own = TypeOf(region, operand);
  if (operand >= inputs || !own) return trial;
  const bool real = KindOf(*own) == ElementKind::kFloat;
  if (!real && KindOf(*own) != ElementKind::kInteger) return trial;
  const std::vector<double> values = real ? std::vector<double>{-kInf, -1, 0, 1, kInf} : std::vector<double>{0, 1, 2};
  std::vector<Pair> pairs;
  const auto add_pair = [&](double a, double b) {
    for (const auto& [p, q] : {std::pair(0.0, 1.0), {1.0, 0.0}}) {
      pairs.push_back({a, b, p, q});
      pairs.push_back({b, a, q, p});
    }
  };
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j <= i; ++j) add_pair(values[i], values[j]);
    if (real) add_pair(kNan, values[i]);
  }
  std::vector<Tensor> arguments;
  for (unsigned side = 0; side < 2; ++side) {
    for (unsigned i = 0; i < inputs; ++i) {
      const auto type = TypeOf(region, side * inputs + i);
      if (!type) return trial;
      std::vector<double> column;
      for (const Pair& m : pairs) {
        column.push_back(i == operand ? (side == 0 ? m.left : m.right) : (side == 0 ? m.left_beside : m.right_beside));
      }
      arguments.push_back(Of(*type, column));
    }
  }
  const auto results = Run(op, arguments, pairs.size());
  if (!results || results->size() != inputs) return trial;
  // Whether pair i gave the left (or right) element together with its elements in the other operands.
  const auto gave = [&](size_t i, bool left) {
    const Pair& m = pairs[i];
    for (unsigned r = 0; r < inputs; ++r) {
      const double want = r == operand ? (left ? m.left : m.right) : (left ? m.left_beside : m.right_beside);
      const double got = At((*results)[r], i);
      if (got != want && !(std::isnan(got) && std::isnan(want))) return false;
    }
    return true;
  };
  bool greatest = true;
  bool least = true;
  trial.ordered = true;
  trial.takes_nan = real;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const Pair& m = pairs[i];
    if (std::isnan(m.left) || std::isnan(m.right)) {
      trial.takes_nan = trial.takes_nan && gave(i, std::isnan(m.left));
    } else if (m.left != m.right) {
      greatest = greatest && gave(i, m.left > m.right);
      least = least && gave(i, m.left < m.right);
    } else {
      // The pair before or after this one has the sides exchanged. Both must give the same.
      const size_t exchanged = i ^ 1;
      for (unsigned r = 0; r < inputs; ++r) {
        trial.ordered = trial.ordered && At((*results)[r], i) == At((*results)[r], exchanged);
      }
    }
  }
  trial.picks = greatest != least && (greatest || least);
  trial.greatest = greatest;
  return trial;
}

OrderTrial TryOrder(mlir::Operation* op, unsigned operand) {
  OrderTrial trial{.key = true};
  mlir::Region& region = op->getRegion(0);
  const auto own = TypeOf(region, 2 * operand);
  if (!own) return trial;
  const bool real = KindOf(*own) == ElementKind::kFloat;
  const std::vector<double> values =
      real ? std::vector<double>{-kNan, kNan, -kInf, -1, -0.0, 0.0, 1, kInf} : std::vector<double>{0, 1};
  const size_t n = values.size();
  std::vector<Tensor> arguments;
  for (unsigned a = 0; a < region.getNumArguments(); ++a) {
    const auto type = TypeOf(region, a);
    if (!type) return trial;
    std::vector<double> column(n * n, 0.0);
    for (size_t i = 0; i < n * n && a / 2 == operand; ++i) column[i] = values[a % 2 == 0 ? i / n : i % n];
    arguments.push_back(Of(*type, column));
  }
  const auto results = Run(op, arguments, n * n);
  if (!results || results->size() != 1 || (*results)[0].kind() != ElementKind::kBool) return trial;
  const auto less = [&](size_t i, size_t j) { return (*results)[0].data<uint8_t>()[i * n + j] != 0; };
  const auto equal = [&](size_t i, size_t j) { return !less(i, j) && !less(j, i); };
  trial.key = false;
  trial.takes_nan = real;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      trial.key = trial.key || less(i, j);
      if (less(i, j) && less(j, i)) trial.takes_nan = false;
      for (size_t k = 0; k < n; ++k) {
        if (less(i, j) && less(j, k) && !less(i, k)) trial.takes_nan = false;
        if (equal(i, j) && equal(j, k) && !equal(i, k)) trial.takes_nan = false;
      }
    }
  }
  trial.total = trial.takes_nan && !equal(0, 1) && !equal(4, 5);
  return trial;
}

}  // namespace opbyop::reference
