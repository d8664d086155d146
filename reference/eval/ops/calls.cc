// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// call, composite, and the custom calls whose meaning does not depend on a vendor.
#include "ir/call_target.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/IR/SymbolTable.h"
#include "reference/bounds/bound.h"
#include "reference/eval/answer_range.h"
#include "reference/eval/elementwise_program.h"
#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/movement.h"

namespace opbyop::reference {
namespace {

Expected<Values> CallSymbol(OpContext& context, llvm::StringRef attribute) {
  const auto symbol = context.op->getAttrOfType<mlir::FlatSymbolRefAttr>(attribute);
  if (!symbol) return context.Fail(ExitCode::kBadInput, "names no function");
  return context.evaluator.Call(symbol.getValue(), std::move(context.operands));
}

Expected<Values> Call(OpContext& context) { return CallSymbol(context, "callee"); }

// Returns the eval function of the native op `name`, or null if there is none.
EvalFn Native(const std::string& name) { return EvalTable().lookup(name); }

// A composite named after a CHLO op has the meaning of that op. A compiler may use the decomposition instead, which
// rounds differently, so results of either are right. Any other composite, and one of a form that is not known, has the
// meaning of its decomposition.
Expected<Values> Composite(OpContext& context) {
  if (!IsNativeComposite(context.op)) return CallSymbol(context, "decomposition");
  const std::string native = NativeNameOf(context.op);
  OpContext inner{context.op, native, context.operands, context.evaluator, context.scope};
  Expected<Values> results = Native(native)(inner);
  if (!results && results.error().code == ExitCode::kUnsupported) return CallSymbol(context, "decomposition");
  if (!results || !context.bounds() || !EvaluatesDecomposition(context.op)) return results;
  Expected<Values> decomposed = CallSymbol(context, "decomposition");
  if (!decomposed) return decomposed;
  AnswerRange answers;
  answers.Add(*decomposed);
  return answers.Around(std::move(*results), "or of the decomposition");
}

// Calls the function once for each element of the batch. An operand that is one number is that of every element.
Expected<Values> ForEach(OpContext& context) {
  const auto functions = context.op->getAttrOfType<mlir::ArrayAttr>("called_computations");
  const bool is_one = functions && functions.size() == 1;
  const auto function = is_one ? llvm::dyn_cast<mlir::FlatSymbolRefAttr>(functions[0]) : mlir::FlatSymbolRefAttr();
  if (!function) return context.Fail(ExitCode::kBadInput, "names no function");
  const auto rank = static_cast<size_t>(context.Int(kBatchRank));
  const auto is_shared = [](const Value& operand) { return operand.tensor().shape().empty(); };
  for (const Value& operand : context.operands) {
    const bool may_be_shared = &operand != &context.operands.front();
    if (operand.is_tensor() && operand.tensor().shape().size() >= rank) continue;
    if (operand.is_tensor() && is_shared(operand) && may_be_shared) continue;
    return context.Fail(ExitCode::kBadInput, "has an operand without the dimensions of the batch");
  }
  if (context.operands.empty()) return context.Fail(ExitCode::kBadInput, "has no operands");
  std::vector<Move> results;
  std::vector<int64_t> sizes;
  for (unsigned i = 0; i < context.op->getNumResults(); ++i) {
    const Expected<ElementType> type = context.ResultType(i);
    Expected<Shape> shape = context.ResultShape(i);
    if (!type || !shape) return Unexpected(type ? shape.error() : type.error());
    sizes.push_back(SizeOf(*shape));
    results.emplace_back(*type, std::move(*shape));
  }
  const Shape batch(context.in(0).shape().begin(), context.in(0).shape().begin() + static_cast<int64_t>(rank));
  for (int64_t number = 0; number < SizeOf(batch); ++number) {
    Values operands;
    for (const Value& operand : context.operands) {
      const Shape& whole = operand.tensor().shape();
      if (is_shared(operand)) {
        operands.push_back(operand);
        continue;
      }
      if (!std::equal(batch.begin(), batch.end(), whole.begin())) {
        return context.Fail(ExitCode::kBadInput, "has operands of different batches");
      }
      Shape shape(whole.begin() + static_cast<int64_t>(rank), whole.end());
      const Shape strides = StridesOf(shape);
      const int64_t first = number * SizeOf(shape);
      operands.emplace_back(StridedView(operand.tensor(), std::move(shape), strides, first));
    }
    Expected<Values> parts = context.evaluator.Call(function.getValue(), std::move(operands));
    if (!parts) return parts;
    for (size_t i = 0; i < results.size(); ++i) {
      if (i >= parts->size() || !(*parts)[i].is_tensor() || (*parts)[i].tensor().size() * SizeOf(batch) != sizes[i]) {
        return context.Fail(ExitCode::kBadInput, "has results that are not those of its function");
      }
      const Tensor& part = (*parts)[i].tensor();
      const Shape strides = StridesOf(part.shape());
      results[i].Copy(part, part.shape(), strides, 0, strides, number * part.size());
    }
  }
  Values values;
  for (Move& result : results) values.emplace_back(result.Take());
  return values;
}

Expected<Values> Any(OpContext& context) {
  const Expected<ElementType> type = context.ResultType();
  Expected<Shape> shape = context.ResultShape();
  if (!type || !shape) return Unexpected(type ? shape.error() : type.error());
  Tensor any = Tensor::Zeros(*type, std::move(*shape));
  if (context.bounds()) {
    std::shared_ptr<Bound> bound = MakeBound(any.size(), "any value", 1);
    std::ranges::fill(MutableSpan(*bound), std::numeric_limits<double>::infinity());
    any.set_bound(std::move(bound));
  }
  return Values{std::move(any)};
}

bool IsIdentityTarget(llvm::StringRef target) {
  return llvm::StringSwitch<bool>(target)
      .Cases({"Sharding", "annotate_device_placement", "xla.sdy.FuncResultSharding", "SPMDFullToShardShape",
              "SPMDShardToFullShape"},
             true)
      .Cases({"tt.mark_argument", "tt.sharding_constraint"}, true)
      .Default(false);
}

Expected<Values> CustomCall(OpContext& context) {
  const llvm::StringRef target = CallTargetOf(context.op);
  if (IsIdentityTarget(target)) {
    if (context.op->getNumResults() != context.op->getNumOperands() ||
        context.op->getOperandTypes() != context.op->getResultTypes()) {
      return context.Unsupported("custom_call @" + target.str() + " that changes the shape");
    }
    return std::move(context.operands);
  }
  if (target == kForEach) return ForEach(context);
  if (target == kAny && context.op->getNumResults() == 1) return Any(context);
  if (target == "shape_assertion") {
    const auto message = context.op->getAttrOfType<mlir::StringAttr>("error_message");
    if (context.in(0).IntegerAt(0) == 0) {
      return context.Fail(ExitCode::kUnexpectedResult,
                          "the shape assertion fails" + (message ? ": " + message.str() : std::string()));
    }
    return Values(context.op->getNumResults());
  }
  // mhlo.erf, mhlo.topk and similar names are older names of CHLO ops.
  if (target.starts_with("mhlo.")) {
    const std::string tail = target.drop_front(5).str();
    const std::string native = "chlo." + (tail == "topk" ? std::string("top_k") : tail);
    if (const EvalFn fn = Native(native)) {
      OpContext inner{context.op, native, context.operands, context.evaluator, context.scope};
      return fn(inner);
    }
  }
  const auto other = context.op->getAttrOfType<mlir::StringAttr>(kOtherMeaning);
  return context.Unsupported("custom_call @" + target.str() + (other ? ": " + other.str() : std::string()));
}

}  // namespace

void AddCalls(EvalTableType& table) {
  table["func.call"] = &Call;
  table["stablehlo.composite"] = &Composite;
  table["stablehlo.custom_call"] = &CustomCall;
}

}  // namespace opbyop::reference
