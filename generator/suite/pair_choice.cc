// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/pair_choice.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "ir/op_info.h"
#include "llvm/Support/xxhash.h"
#include "mlir/IR/BuiltinTypes.h"

namespace opbyop::generator {
namespace {

// Two elementwise ops get this shape: longer than vectors and no multiple of them.
constexpr std::array<int64_t, 2> kElementwiseShape = {33, 65};

// The types that a rule with one type takes first.
constexpr std::array<std::string_view, 11> kTypesFirst = {"f32", "bf16", "i32", "i1",   "f16",         "f64",
                                                          "i8",  "i64",  "ui8", "ui32", "complex<f32>"};

size_t RankOf(const std::string& element) {
  return static_cast<size_t>(std::ranges::find(kTypesFirst, element) - kTypesFirst.begin());
}

// One way to put two ops together. `first` or `second` without an op: it is made for the other's type.
struct Fit {
  PairPart first;
  unsigned result = 0;
  PairPart second;
  unsigned operand = 0;
  bool equal = false;       // the types are equal as they are
  std::string element;      // of what passes from one to the other
  std::string other_types;  // further element types that make it a different program
  size_t place = 0;         // in order of the recipes
};

std::string OtherTypes(const PairPart& first, const PairPart& second) {
  std::string text;
  if (first.op != nullptr && first.op->getNumOperands() > 0) text += ElementText(first.op->getOperand(0).getType());
  if (second.op != nullptr && second.op->getNumResults() > 0) {
    text += " " + ElementText(second.op->getResult(0).getType());
  }
  return text;
}

bool IsIndexOrSize(const PairPart& part, unsigned operand) {
  const OpInfo* info = LookUpOp(part.op->getName().getStringRef());
  if (info == nullptr) return false;
  const OperandRole role = RoleOf(*info, operand, part.op->getNumOperands());
  return role == OperandRole::kIndex || role == OperandRole::kShape;
}

class Chooser {
 public:
  Chooser(PairParts& parts, const PairRules& rules, Level level) : parts_(parts), rules_(rules), level_(level) {}

  std::vector<ChosenPair> Choose() {
    for (const PairRule& rule : rules_.rules) Apply(rule);
    return std::move(chosen_);
  }

 private:
  void Apply(const PairRule& rule) {
    const std::vector<std::string> all = parts_.Ops();
    const std::vector<std::string>& first = rule.first.empty() ? all : rule.first;
    const std::vector<std::string>& second = rule.second.empty() ? all : rule.second;
    switch (rule.pairing) {
      case Partners::kAll:
        for (const std::string& a : first) {
          for (const std::string& b : second) ForEachOperand(rule, {a}, {b});
        }
        break;
      case Partners::kItself:
        for (const std::string& a : first) ForEachOperand(rule, {a}, {a});
        break;
      case Partners::kForFirst:
        for (const std::string& a : first) ForEachOperand(rule, {a}, InTurn(rule, a, second));
        break;
      case Partners::kForSecond:
        for (const std::string& b : second) ForEachOperand(rule, InTurn(rule, b, first), {b});
        break;
    }
  }

  // The list, beginning at a place that depends on the op.
  static std::vector<std::string> InTurn(const PairRule& rule, const std::string& op, std::vector<std::string> list) {
    const auto start = static_cast<ptrdiff_t>(llvm::xxh3_64bits(rule.name + op) % list.size());
    std::ranges::rotate(list, list.begin() + start);
    return list;
  }

  // One of the lists has one op. Takes pairs with the first operands of the second op that fit.
  void ForEachOperand(const PairRule& rule, const std::vector<std::string>& first,
                      const std::vector<std::string>& second) {
    size_t operands = 0;
    constexpr unsigned kMostOperands = 12;
    for (unsigned operand = 0; operand < kMostOperands && operands < rule.operands; ++operand) {
      operands += TakeTypes(rule, first, second, operand) ? 1 : 0;
    }
  }

  // Takes up to rule.types programs of different types.
  bool TakeTypes(const PairRule& rule, const std::vector<std::string>& first, const std::vector<std::string>& second,
                 unsigned operand) {
    const size_t most = level_ == Level::kSmoke ? rule.types : std::numeric_limits<size_t>::max();
    const bool several = first.size() * second.size() > 1;
    std::set<std::string> seen;
    size_t taken = 0;
    for (const std::string& a : first) {
      for (const std::string& b : second) {
        size_t of_these = 0;
        for (const Fit& fit : Fits(a, b, operand)) {
          if (taken == most) return true;
          if (!rule.elements.empty() && std::ranges::find(rule.elements, fit.element) == rule.elements.end()) continue;
          // Where an op has a choice of partners, each of them is for one type.
          if (several && level_ == Level::kSmoke && of_these > 0) break;
          const std::string key = several ? fit.element : fit.element + " " + fit.other_types;
          if (seen.contains(key)) continue;
          std::optional<ChosenPair> pair = Realize(rule, a, b, fit);
          if (!pair) continue;
          seen.insert(key);
          chosen_.push_back(*pair);
          ++taken;
          ++of_these;
        }
      }
    }
    return taken > 0;
  }

  // All ways to put the ops together: the first of them has the most common type, and the others begin at a type that
  // depends on the names of the ops.
  std::vector<Fit> Fits(const std::string& a, const std::string& b, unsigned operand) {
    std::vector<Fit> fits;
    for (const PairPart& second : parts_.Of(b)) {
      if (operand >= second.op->getNumOperands() || !second.IsOpen(operand)) continue;
      const mlir::Value value = second.op->getOperand(operand);
      // An index or a size is used only as it is: what arithmetic gives would be out of range.
      const bool bare = IsIndexOrSize(second, operand);
      if (!bare) {
        for (const PairPart& first : parts_.Of(a)) AddFits(first, second, operand, fits);
      }
      if (rules_.before.contains(a) && TensorOf(value) && (!bare || a == "stablehlo.reshape")) {
        fits.push_back({.second = second,
                        .operand = operand,
                        .element = ElementText(value.getType()),
                        .other_types = OtherTypes({}, second)});
      }
    }
    if (operand == 0 && rules_.after.contains(b)) {
      for (const PairPart& first : parts_.Of(a)) {
        if (first.op->getNumResults() == 0 || !TensorOf(first.op->getResult(0))) continue;
        fits.push_back({.first = first,
                        .element = ElementText(first.op->getResult(0).getType()),
                        .other_types = OtherTypes(first, {})});
      }
    }
    for (size_t i = 0; i < fits.size(); ++i) fits[i].place = i;
    std::ranges::sort(fits, {}, [](const Fit& fit) {
      return std::tuple(RankOf(fit.element), fit.element, fit.other_types, !fit.equal, fit.place);
    });
    // Most compilers know no quantized types: they stand for an op only where it has no others.
    const auto is_quantized = [](const Fit& fit) { return fit.element.starts_with("!quant"); };
    if (!std::ranges::all_of(fits, is_quantized)) std::erase_if(fits, is_quantized);
    if (fits.size() > 2) {
      // Starts at the first fit of another type.
      const std::string common = fits.front().element;
      const auto others = std::ranges::find_if(fits, [&](const Fit& fit) { return fit.element != common; });
      const auto count = static_cast<uint64_t>(fits.end() - others);
      if (count > 1) {
        const auto start = static_cast<ptrdiff_t>(llvm::xxh3_64bits(a + " " + b) % count);
        std::rotate(others, others + start, fits.end());
      }
    }
    return fits;
  }

  static void AddFits(const PairPart& first, const PairPart& second, unsigned operand, std::vector<Fit>& fits) {
    const mlir::Type wanted = second.op->getOperand(operand).getType();
    for (unsigned result = 0; result < first.op->getNumResults(); ++result) {
      const mlir::Type given = first.op->getResult(result).getType();
      const bool equal = given == wanted;
      const bool tensors = llvm::isa<mlir::RankedTensorType>(given) && llvm::isa<mlir::RankedTensorType>(wanted);
      const bool alike = result == 0 && tensors && ElementText(given) == ElementText(wanted);
      if (!equal && !(alike && (PairParts::CanReshape(first) || PairParts::CanReshape(second)))) continue;
      fits.push_back({first, result, second, operand, equal, ElementText(given), OtherTypes(first, second)});
      break;
    }
  }

  std::optional<ChosenPair> Realize(const PairRule& rule, const std::string& a, const std::string& b, const Fit& fit) {
    std::optional<PairPart> first = fit.first.op != nullptr ? std::optional(fit.first) : std::nullopt;
    std::optional<PairPart> second = fit.second.op != nullptr ? std::optional(fit.second) : std::nullopt;
    if (first && second) {
      const bool both = PairParts::CanReshape(*first) && PairParts::CanReshape(*second);
      const auto shape_of = [](mlir::Value value) { return TensorOf(value).getShape(); };
      if (both) {
        first = parts_.Reshaped(*first, kElementwiseShape);
        second = parts_.Reshaped(*second, kElementwiseShape);
      } else if (!fit.equal && PairParts::CanReshape(*first)) {
        first = parts_.Reshaped(*first, shape_of(second->op->getOperand(fit.operand)));
      } else if (!fit.equal) {
        second = parts_.Reshaped(*second, shape_of(first->op->getResult(fit.result)));
      }
    } else if (second) {
      first = parts_.WithResult(a, second->op->getOperand(fit.operand).getType());
    } else if (first) {
      second = parts_.WithOperand(b, first->op->getResult(0).getType());
    }
    if (!first || !second) return std::nullopt;
    if (first->op->getResult(fit.result).getType() != second->op->getOperand(fit.operand).getType())
      return std::nullopt;
    return ChosenPair{&rule, *first, fit.result, *second, fit.operand};
  }

  PairParts& parts_;
  const PairRules& rules_;
  Level level_;
  std::vector<ChosenPair> chosen_;
};

}  // namespace

std::vector<ChosenPair> ChoosePairs(PairParts& parts, const PairRules& rules, Level level) {
  return Chooser(parts, rules, level).Choose();
}

}  // namespace opbyop::generator
