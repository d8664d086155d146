// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/property_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {
namespace {

constexpr std::string_view kScratch = "scratch";  // a result of which nothing is demanded

tl::unexpected<Error> CannotJudge(const std::string& why) { return MakeError(ExitCode::kUnsupported, why); }

int64_t SizeOfBatch(const std::vector<int64_t>& batch) {
  return std::accumulate(batch.begin(), batch.end(), int64_t{1}, std::multiplies());
}

// One element of the batch. A vector is a column. A number without the batch is that of every element.
DenseMatrix MatrixOf(const Tensor& tensor, size_t batch_rank, int64_t number) {
  const Shape& shape = tensor.shape();
  if (shape.empty()) {
    batch_rank = 0;
    number = 0;
  }
  const size_t rank = shape.size() - batch_rank;
  DenseMatrix matrix(rank > 0 ? shape[batch_rank] : 1, rank > 1 ? shape[batch_rank + 1] : 1);
  const auto first = static_cast<size_t>(number) * matrix.elements.size();
  WithStorage(tensor.kind(), [&]<typename T>() {
    const std::span<const T> from = tensor.data<T>().subspan(first, matrix.elements.size());
    for (size_t i = 0; i < from.size(); ++i) {
      if constexpr (std::is_same_v<T, Complex>) {
        matrix.elements[i] = from[i];
      } else {
        matrix.elements[i] = static_cast<double>(from[i]);
      }
    }
  });
  return matrix;
}

// Writes a matrix to its place in the batch.
void Store(const DenseMatrix& matrix, int64_t number, Tensor& tensor) {
  const auto first = static_cast<size_t>(number) * matrix.elements.size();
  WithStorage(tensor.kind(), [&]<typename T>() {
    const std::span<T> to = tensor.Mutable<T>().subspan(first, matrix.elements.size());
    for (size_t i = 0; i < to.size(); ++i) {
      if constexpr (std::is_same_v<T, Complex>) {
        to[i] = matrix.elements[i];
      } else {
        to[i] = static_cast<T>(matrix.elements[i].real());
      }
    }
  });
}

// The unit roundoff of products, if the device declares to multiply in a narrower type.
double DeclaredUnit(const Arithmetic& declared) {
  const auto found = declared.precision.find("dot_general");
  const FactorFormat* factors = found == declared.precision.end() ? nullptr : FindFactorFormat(found->second);
  if (factors == nullptr || factors->format.empty()) return 0;
  constexpr int kTf32Bits = 11;
  const std::optional<ElementType> type = ParseElementType(factors->format);
  const int bits = type ? FormatOf(*type).precision : kTf32Bits;
  return std::ldexp(1.0, -bits * static_cast<int>(factors->components));
}

// Compares the errors of a check with their limits.
Expected<Comparison> CompareErrors(int64_t output, const Requirement& check, const CompareOptions& options) {
  Tensor none = Tensor::Zeros(ElementType::kF64, check.shape);
  const Tensor errors = Tensor::Of(ElementType::kF64, check.shape, check.errors);
  std::shared_ptr<Bound> bound = MakeBound(none.size(), check.rule, 1);
  std::ranges::copy(check.limits, MutableSpan(*bound).begin());
  none.set_bound(std::move(bound));
  return CompareOutput(output, none, TensorToBytes(errors), options);
}

bool IsWorse(const Comparison& a, const Comparison& b) {
  if (a.accepted != b.accepted) return !a.accepted;
  if ((a.unbounded > 0) != (b.unbounded > 0)) return a.unbounded > 0;
  return a.bound_ratio > b.bound_ratio;
}

}  // namespace

Expected<PropertyJudge> PropertyJudge::For(mlir::Operation* call, const Definition& definition, const Fit& fit) {
  PropertyJudge judge;
  judge.property_ = definition.property;
  judge.batch_ = fit.batch;
  Expected<std::map<std::string, double, std::less<>>> options = OptionsOf(definition, call);
  if (!options) return CannotJudge(options.error().message);
  judge.options_ = std::move(*options);

  auto declared = mlir::func::FuncOp(definition.function);
  Sizes sizes;
  const auto name = [&](mlir::StringAttr part, mlir::Type type, std::vector<std::string>& names) {
    names.push_back(part.str());
    if (names.back() == kScratch) return true;
    llvm::ArrayRef<int64_t> shape = llvm::cast<mlir::RankedTensorType>(type).getShape();
    shape = shape.drop_front(std::min(shape.size(), fit.batch.size()));
    if (llvm::is_contained(shape, mlir::ShapedType::kDynamic)) return false;
    return sizes.try_emplace(names.back(), shape.begin(), shape.end()).second;
  };
  bool is_clear = true;
  for (unsigned i = 0; i < call->getNumOperands(); ++i) {
    const mlir::Type type = call->getOperand(i).getType();
    is_clear = is_clear && name(declared.getArgAttrOfType<mlir::StringAttr>(i, "opbyop.is"), type, judge.operands_);
    const std::optional<ElementType> element = ElementTypeOf(type);
    if (!element) return CannotJudge("an operand that is no plain tensor");
    judge.operand_types_.push_back(*element);
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(call->getOperand(i));
    judge.argument_of_operand_.push_back(argument ? std::optional(argument.getArgNumber()) : std::nullopt);
  }
  for (unsigned i = 0; i < call->getNumResults(); ++i) {
    const mlir::Type type = call->getResult(i).getType();
    is_clear = is_clear && name(declared.getResultAttrOfType<mlir::StringAttr>(i, "opbyop.is"), type, judge.results_);
  }
  if (!is_clear) return CannotJudge("a part is named twice, or has a dynamic shape");
  if (const std::string why = WhyNoParts(*judge.property_, sizes); !why.empty()) return CannotJudge(why);

  auto module = call->getParentOfType<mlir::ModuleOp>();
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry || call->getParentOp() != *entry) return CannotJudge("the call is not an op of the program itself");
  mlir::Operation* end = (*entry)->getRegion(0).front().getTerminator();
  std::set<size_t> returned;
  for (mlir::Value value : end->getOperands()) {
    auto result = llvm::dyn_cast<mlir::OpResult>(value);
    if (!result || result.getOwner() != call) return CannotJudge("the program has further results");
    judge.result_of_output_.push_back(result.getResultNumber());
    returned.insert(result.getResultNumber());
  }
  for (unsigned i = 0; i < call->getNumResults(); ++i) {
    if (judge.results_[i] == kScratch) continue;
    const bool escapes =
        llvm::any_of(call->getResult(i).getUsers(), [&](mlir::Operation* user) { return user != end; });
    if (!returned.contains(i) || escapes) return CannotJudge("not every result of the call is one of the program");
  }

  double side = 1;
  for (const auto& [part, shape] : sizes) {
    for (const int64_t size : shape) side = std::max(side, static_cast<double>(size));
  }
  constexpr double kProducts = 8;  // matrix products of complex numbers in a judgement
  judge.work_ = static_cast<double>(SizeOfBatch(judge.batch_)) * kProducts * std::pow(side, judge.property_->power);

  // A program of its own gives the operands.
  mlir::IRMapping copies;
  judge.module_ = llvm::cast<mlir::ModuleOp>(module->clone(copies));
  mlir::Operation* copy = copies.lookup(call);
  auto function = llvm::cast<mlir::FunctionOpInterface>(copies.lookup(*entry));
  function.getFunctionBody().front().getTerminator()->setOperands(copy->getOperands());
  function.setType(mlir::FunctionType::get(module.getContext(), function.getArgumentTypes(), copy->getOperandTypes()));
  copy->erase();
  return judge;
}

FactorParts PropertyJudge::PartsOf(const std::vector<Tensor>& operands, const std::vector<Tensor>* outputs,
                                   int64_t number) const {
  FactorParts parts{.options = options_};
  for (size_t i = 0; i < operands.size(); ++i) {
    const Tensor& operand = operands[i];
    if (const FloatFormat* format = Info(operand.type()).format) {
      parts.format = *format;
      parts.complex = parts.complex || operand.kind() == ElementKind::kComplex;
    }
    if (operands_[i] != kScratch) parts.values[operands_[i]] = MatrixOf(operand, batch_.size(), number);
  }
  for (size_t i = 0; outputs != nullptr && i < outputs->size(); ++i) {
    const std::string& name = results_[result_of_output_[i]];
    if (name != kScratch) parts.values[name] = MatrixOf((*outputs)[i], batch_.size(), number);
  }
  parts.unit = parts.format.UnitRoundoff();
  return parts;
}

double PropertyJudge::Work() const { return work_; }

Expected<void> PropertyJudge::Prepare(std::vector<InputData>& inputs) const {
  if (property_->prepare == nullptr) return {};
  std::vector<Tensor> operands;
  for (const std::optional<unsigned>& argument : argument_of_operand_) {
    if (!argument) return {};  // computed by the program itself
    const InputData& input = inputs[*argument];
    Expected<Tensor> tensor = TensorFromBytes(input.type, input.shape, input.bytes);
    if (!tensor) return Unexpected(tensor.error());
    operands.push_back(std::move(*tensor));
  }
  for (int64_t number = 0; number < SizeOfBatch(batch_); ++number) {
    FactorParts parts = PartsOf(operands, nullptr, number);
    property_->prepare(parts);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands_[i] != kScratch) Store(parts[operands_[i]], number, operands[i]);
    }
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    RoundResult(operands[i]);
    inputs[*argument_of_operand_[i]].bytes = TensorToBytes(operands[i]);
  }
  return {};
}

Expected<std::vector<Requirement>> PropertyJudge::RequirementsOf(Values arguments, const std::vector<Tensor>& outputs,
                                                                 const Arithmetic& declared) const {
  mlir::ModuleOp module = *module_;
  const Expected<mlir::Operation*> entry = EntryOf(module);
  if (!entry) return Unexpected(entry.error());
  const Expected<Values> values = Evaluator(module).CallFunction(*entry, std::move(arguments));
  if (!values) return Unexpected(values.error());
  std::vector<Tensor> operands;
  for (const Value& value : *values) operands.push_back(value.tensor());
  std::vector<Requirement> all;
  for (int64_t number = 0; number < SizeOfBatch(batch_); ++number) {
    FactorParts parts = PartsOf(operands, &outputs, number);
    parts.unit = std::max(parts.unit, DeclaredUnit(declared));
    std::vector<Requirement> checks = property_->judge(parts);
    if (number > 0 && checks.size() != all.size()) {
      return MakeError(ExitCode::kInternal, fmt::format("{} has other demands on each matrix", property_->name));
    }
    for (size_t i = 0; i < checks.size(); ++i) {
      if (number == 0) {
        all.push_back(std::move(checks[i]));
        all.back().shape.insert(all.back().shape.begin(), batch_.begin(), batch_.end());
      } else {
        llvm::append_range(all[i].errors, checks[i].errors);
        llvm::append_range(all[i].limits, checks[i].limits);
      }
    }
  }
  return all;
}

Expected<std::vector<Comparison>> PropertyJudge::Judge(Values arguments, const std::vector<Tensor>& outputs,
                                                       const Arithmetic& declared,
                                                       const CompareOptions& options) const {
  const Expected<std::vector<Requirement>> checks = RequirementsOf(std::move(arguments), outputs, declared);
  if (!checks) return Unexpected(checks.error());
  std::vector<Comparison> comparisons;
  for (size_t i = 0; i < outputs.size(); ++i) {
    // The output compared with itself gives its type, its size, and whether it is constant.
    const std::vector<std::byte> bytes = TensorToBytes(outputs[i]);
    Expected<Comparison> self = CompareOutput(static_cast<int64_t>(i), outputs[i], bytes);
    if (!self) return Unexpected(self.error());
    const std::string& name = results_[result_of_output_[i]];
    std::optional<Comparison> worst;
    std::string rules;
    for (const Requirement& check : *checks) {
      if (check.result != name) continue;
      Expected<Comparison> comparison = CompareErrors(static_cast<int64_t>(i), check, options);
      if (!comparison) return Unexpected(comparison.error());
      const bool leads = !worst || IsWorse(*comparison, *worst);
      rules = rules.empty() ? check.rule : leads ? check.rule + "; " + rules : rules + "; " + check.rule;
      if (leads) worst = std::move(*comparison);
    }
    if (!worst) {
      self->rule = "any value: scratch of the call";
      comparisons.push_back(std::move(*self));
      continue;
    }
    worst->dtype = self->dtype;
    worst->constant = self->constant;
    worst->rule = std::move(rules);
    comparisons.push_back(std::move(*worst));
  }
  return comparisons;
}

}  // namespace opbyop::reference
