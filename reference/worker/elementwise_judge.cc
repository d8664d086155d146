// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/elementwise_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "reference/bounds/elementwise.h"
#include "reference/eval/by_blocks.h"
#include "reference/eval/constant.h"
#include "reference/eval/elementwise_program.h"
#include "reference/eval/evaluator_elementwise.h"
#include "reference/eval/quantization.h"
#include "reference/worker/entry_op.h"

namespace opbyop::reference {
namespace {

// The number that all elements of a constant have. nullopt if they differ, or if it is converted.
std::optional<Tensor> SplatOf(mlir::Value value) {
  while (mlir::Operation* op = value.getDefiningOp()) {
    const llvm::StringRef name = op->getName().getStringRef();
    if (name == "stablehlo.broadcast_in_dim" || name == "stablehlo.reshape") {
      value = op->getOperand(0);
      continue;
    }
    if (name != "stablehlo.constant") return std::nullopt;
    auto elements = op->getAttrOfType<mlir::DenseElementsAttr>("value");
    if (!elements || !elements.isSplat()) return std::nullopt;
    Expected<Tensor> one =
        TensorFromAttribute(elements.resizeSplat(mlir::RankedTensorType::get({1}, elements.getElementType())));
    return one ? std::optional(std::move(*one)) : std::nullopt;
  }
  return std::nullopt;
}

// An operand of an elementwise op.
struct Operand {
  Tensor values;        // of one element: the same for all elements of the result
  int64_t repeats = 0;  // of an iota, which has each number of the line `values` so often before the next; else 0

  bool IsSame() const { return repeats == 0 && values.size() == 1; }
  Tensor Block(int64_t first, int64_t count) const;
};

Tensor Operand::Block(int64_t first, int64_t count) const {
  if (IsSame()) return values;
  if (repeats == 0) return BlockOf(values, first, count);
  Tensor block = Tensor::Make(values.type(), {count});
  WithStorage(block.kind(), [&]<typename T>() {
    const std::span<const T> line = values.data<T>();
    const std::span<T> to = block.Mutable<T>();
    int64_t of_line = first / repeats % values.size();
    for (int64_t i = 0; i < count; of_line = of_line + 1 == values.size() ? 0 : of_line + 1) {
      const int64_t run = std::min(repeats - (first + i) % repeats, count - i);
      std::fill_n(to.begin() + i, run, line[static_cast<size_t>(of_line)]);
      i += run;
    }
  });
  return block;
}

// An elementwise op and its operands.
struct Application {
  mlir::Operation* op = nullptr;
  std::string name;  // of the op, or of the one that a composite stands for
  std::vector<Operand> operands;
  ElementType type = ElementType::kF32;
  Shape shape;

  int64_t size() const { return SizeOf(shape); }
  // The operands that have an element per element of the result.
  std::vector<size_t> Varying() const {
    std::vector<size_t> varying;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].IsSame()) varying.push_back(i);
    }
    return varying;
  }
};

bool IsIota(mlir::Operation& op) { return op.getName().getStringRef() == "stablehlo.iota"; }

// The elementwise op of a program that also has constants and counts, and returns its result. nullptr for any other.
mlir::Operation* ElementwiseOpOf(mlir::Operation* entry) {
  mlir::Operation* op = ReturnedOp(entry);
  if (op == nullptr || OnlyOpOf(entry, IsIota) != op || UsesQuantization(op)) return nullptr;
  const std::string name = NativeNameOf(op);
  const bool is_known = name == op->getName().getStringRef() || IsNativeComposite(op);
  return is_known && IsElementwise(name) ? op : nullptr;
}

// An operand of an op whose result has `size` elements. nullopt if it is computed, has errors, or has another shape.
std::optional<Operand> OperandOf(mlir::Value value, const Values& arguments, int64_t size) {
  Operand operand;
  if (const auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    operand.values = arguments[argument.getArgNumber()].tensor();
  } else if (mlir::Operation* op = value.getDefiningOp(); op != nullptr && IsIota(*op)) {
    const auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
    const std::optional<ElementType> element = ElementTypeOf(type);
    const auto dimension = op->getAttrOfType<mlir::IntegerAttr>("iota_dimension");
    if (!element || !dimension || !type.hasStaticShape() || type.getNumElements() != size) return std::nullopt;
    const auto d = static_cast<size_t>(dimension.getInt());
    operand.values = CountingLine(*element, type.getShape()[d]);
    const llvm::ArrayRef<int64_t> inner = type.getShape().drop_front(d + 1);
    operand.repeats = SizeOf(Shape(inner.begin(), inner.end()));
    return operand;
  } else if (std::optional<Tensor> splat = SplatOf(value)) {
    operand.values = std::move(*splat);
  } else {
    return std::nullopt;
  }
  const bool fits = operand.values.size() == 1 || operand.values.size() == size;
  return fits && !HasErrors(operand.values) ? std::optional(std::move(operand)) : std::nullopt;
}

std::optional<Application> ApplicationOf(mlir::Operation* entry, const Values& arguments) {
  Application applied{.op = ElementwiseOpOf(entry)};
  if (applied.op == nullptr) return std::nullopt;
  const auto result = llvm::dyn_cast<mlir::RankedTensorType>(applied.op->getResult(0).getType());
  const std::optional<ElementType> type = result ? ElementTypeOf(result) : std::nullopt;
  if (!type || !result.hasStaticShape()) return std::nullopt;
  applied.name = NativeNameOf(applied.op);
  applied.type = *type;
  applied.shape.assign(result.getShape().begin(), result.getShape().end());
  applied.operands.reserve(applied.op->getNumOperands());
  for (mlir::Value value : applied.op->getOperands()) {
    std::optional<Operand> operand = OperandOf(value, arguments, applied.size());
    if (!operand) return std::nullopt;
    applied.operands.push_back(std::move(*operand));
  }
  return applied;
}

// Evaluates the op on a block of its operands. nullopt if the reference cannot, or gives what needs the whole output.
std::optional<Tensor> Evaluate(const Application& applied, Evaluator& evaluator, Values operands, int64_t count) {
  OpContext context{applied.op, applied.name, std::move(operands), evaluator, nullptr};
  Expected<Values> results = evaluator.Evaluate(context);
  if (!results || results->size() != 1 || !(*results)[0].is_tensor()) return std::nullopt;
  Tensor result = std::move((*results)[0].tensor());
  const bool fits = result.size() == count && result.type() == applied.type;
  if (!fits || (result.bound() && !result.bound()->deviation_span().empty())) return std::nullopt;
  return result;
}

std::optional<Comparison> JudgeByBlocks(const Application& applied, Evaluator& evaluator,
                                        std::span<const std::byte> bytes, const CompareOptions& options,
                                        int64_t block) {
  const auto stored = StoredBytes(applied.type);
  BlockComparison running(0, applied.type, applied.shape, options);
  for (int64_t at = 0; at < applied.size(); at += block) {
    const int64_t count = std::min(block, applied.size() - at);
    Values operands;
    operands.reserve(applied.operands.size());
    for (const Operand& operand : applied.operands) operands.emplace_back(operand.Block(at, count));
    const std::optional<Tensor> expected = Evaluate(applied, evaluator, std::move(operands), count);
    if (!expected) return std::nullopt;
    const auto part = bytes.subspan(static_cast<size_t>(at * stored), static_cast<size_t>(count * stored));
    if (!running.Add(*expected, part) || running.mismatches() > 0) return std::nullopt;
  }
  return running.Finish(bytes);
}

// An output of the device for a code of the operand, and the number of elements that have both.
struct Given {
  uint64_t output = 0;
  int64_t elements = 0;
};

template <typename T>
T Load(const std::byte* bytes, int64_t i) {
  T v;
  std::memcpy(&v, bytes + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return v;
}

// Counts the elements of each code. False if the device gave two different results for one.
template <typename In, typename Out>
bool CountByCode(const std::byte* inputs, const std::byte* outputs, int64_t count, std::vector<Given>& given) {
  for (int64_t i = 0; i < count; ++i) {
    Given& code = given[Load<In>(inputs, i)];
    const Out output = Load<Out>(outputs, i);
    if (code.elements++ == 0) code.output = output;
    if (code.output != output) return false;
  }
  return true;
}

template <typename In>
bool CountByCode(const std::byte* inputs, const std::byte* outputs, int64_t count, int64_t output_bytes,
                 std::vector<Given>& given) {
  switch (output_bytes) {
    case 1:
      return CountByCode<In, uint8_t>(inputs, outputs, count, given);
    case 2:
      return CountByCode<In, uint16_t>(inputs, outputs, count, given);
    case 4:
      return CountByCode<In, uint32_t>(inputs, outputs, count, given);
    default:
      return CountByCode<In, uint64_t>(inputs, outputs, count, given);
  }
}

// In is an unsigned integer of the width of the varying operand.
template <typename In>
std::optional<Comparison> JudgeByCode(const Application& applied, size_t varying, Evaluator& evaluator,
                                      std::span<const std::byte> bytes, const CompareOptions& options,
                                      std::span<const Alternative> alternatives) {
  const Tensor& operand = applied.operands[varying].values;
  const int64_t size = applied.size();
  const auto stored = static_cast<size_t>(StoredBytes(applied.type));
  std::vector<Given> given(size_t{1} << (8 * sizeof(In)));
  if (!CountByCode<In>(operand.stored(), bytes.data(), size, StoredBytes(applied.type), given)) return std::nullopt;
  std::vector<In> codes;
  std::vector<int64_t> counts;
  std::vector<std::byte> outputs;
  std::vector<uint32_t> pair_of(given.size());
  for (size_t code = 0; code < given.size(); ++code) {
    if (given[code].elements == 0) continue;
    pair_of[code] = static_cast<uint32_t>(codes.size());
    codes.push_back(static_cast<In>(code));
    counts.push_back(given[code].elements);
    const auto* output = reinterpret_cast<const std::byte*>(&given[code].output);
    outputs.insert(outputs.end(), output, output + stored);
  }
  Expected<Tensor> values =
      TensorFromBytes(operand.type(), {static_cast<int64_t>(codes.size())}, std::as_bytes(std::span(codes)));
  if (!values) return std::nullopt;
  Values operands;
  operands.reserve(applied.operands.size());
  for (const Operand& each : applied.operands) operands.emplace_back(each.values);
  operands[varying] = std::move(*values);
  const auto pairs = static_cast<int64_t>(codes.size());
  std::optional<Tensor> expected = Evaluate(applied, evaluator, operands, pairs);
  if (!expected) return std::nullopt;
  const auto next = [&](int64_t from, std::span<const uint8_t> marked, size_t& pair) {
    for (; from < size; ++from) {
      pair = pair_of[Load<In>(operand.stored(), from)];
      if (marked[pair] != 0) break;
    }
    return from;
  };
  std::string taken_from;
  for (const Alternative& way : alternatives) {
    if (CompareOutput(0, *expected, outputs, options)->accepted) break;
    Evaluator otherwise(evaluator.module(), way.options);
    const std::optional<Tensor> other = Evaluate(applied, otherwise, operands, pairs);
    if (!other) return std::nullopt;
    std::vector<int64_t> places;
    std::ranges::set_difference(RefusedElements(*expected, outputs), RefusedElements(*other, outputs),
                                std::back_inserter(places));
    int64_t taken = 0, elements = 0;
    expected = TakeWhereRefused(*expected, *other, outputs, taken);
    for (const int64_t k : places) elements += counts[static_cast<size_t>(k)];
    if (taken > 0) taken_from += fmt::format(", {} {}", elements, way.what);
  }
  BlockComparison running(0, applied.type, applied.shape, options);
  if (!running.AddPairs(*expected, outputs, counts, next) || running.mismatches() > 0) return std::nullopt;
  Comparison comparison = running.Finish(bytes);
  comparison.rule += taken_from;
  return comparison;
}

// nullopt if more than one operand varies, or one of more than 16 bits.
std::optional<Comparison> JudgeByCode(const Application& applied, Evaluator& evaluator,
                                      std::span<const std::byte> bytes, const CompareOptions& options,
                                      std::span<const Alternative> alternatives) {
  const std::vector<size_t> varying = applied.Varying();
  if (varying.size() != 1 || KindOf(applied.type) == ElementKind::kComplex) return std::nullopt;
  const Tensor& operand = applied.operands[varying[0]].values;
  if (operand.stored() == nullptr) return std::nullopt;
  switch (StoredBytes(operand.type())) {
    case 1:
      return JudgeByCode<uint8_t>(applied, varying[0], evaluator, bytes, options, alternatives);
    case 2:
      return JudgeByCode<uint16_t>(applied, varying[0], evaluator, bytes, options, alternatives);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Comparison> JudgeElementwise(mlir::Operation* entry, Evaluator& evaluator, const Values& arguments,
                                           std::span<const std::byte> bytes, const CompareOptions& options,
                                           std::span<const Alternative> alternatives, const ElementwiseLimits& limits) {
  const EvalOptions& by = evaluator.options();
  if (!by.bounds || by.provenance || by.hook || by.observe) return std::nullopt;
  const std::optional<Application> applied = ApplicationOf(entry, arguments);
  if (!applied || applied->size() < limits.fewest || applied->Varying().empty()) return std::nullopt;
  std::optional<Comparison> comparison;
  if (applied->size() >= limits.fewest_by_code)
    comparison = JudgeByCode(*applied, evaluator, bytes, options, alternatives);
  if (!comparison) comparison = JudgeByBlocks(*applied, evaluator, bytes, options, limits.block);
  return comparison && comparison->accepted ? comparison : std::nullopt;
}

}  // namespace opbyop::reference
