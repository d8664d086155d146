// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference evaluator: what a StableHLO program means, in float64 and exact integers.
//
//   Evaluator evaluator(module, {.bounds = true});
//   Expected<std::vector<Value>> results = evaluator.Call("main", arguments);
//
// One eval function per op, found by op name in EvalTable(). With `bounds` every result carries a bound: how far a
// correct device may be from it (docs/numerics.md). An op that cannot be evaluated is an Error "unsupported: <name>".
#ifndef OPBYOP_REFERENCE_EVAL_EVALUATOR_H_
#define OPBYOP_REFERENCE_EVAL_EVALUATOR_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "manifests/targets/arithmetic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "reference/grid/running_grid.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

class Evaluator;
using Values = std::vector<Value>;

// The SSA values of one execution of a region. An inner region also sees the values of the regions around it.
class Scope {
 public:
  explicit Scope(const Scope* parent = nullptr) : parent_(parent) {}
  const Value* Find(mlir::Value key) const;
  void Set(mlir::Value key, Value value) { values_[key] = std::move(value); }
  void Drop(mlir::Value key) { values_.erase(key); }

 private:
  const Scope* parent_;
  llvm::DenseMap<mlir::Value, Value> values_;
};

// An op that is to be evaluated, and its operands.
struct OpContext {
  mlir::Operation* op;
  std::string_view name;  // of the op, or of the native op that a composite or custom call stands for
  Values operands;
  Evaluator& evaluator;
  Scope* scope;
  // Operands and results of quantized type are in their expressed type (reference/eval/quantization.h).
  bool expressed = false;
  Values met = {};  // what all members of its group brought to a collective op, if the evaluation tracks provenance

  const Tensor& in(size_t i) const { return operands[i].tensor(); }
  size_t size() const { return operands.size(); }
  bool bounds() const;

  // Element type of a result. For a quantized result it is the storage type, or the expressed type if `expressed` is
  // set. Returns kUnsupported for unknown types.
  Expected<ElementType> ResultType(unsigned i = 0) const;
  // Shape of a result. Returns kUnsupported if it is not static.
  Expected<Shape> ResultShape(unsigned i = 0) const;

  // Attributes by name. An absent attribute gives the default.
  std::vector<int64_t> Ints(llvm::StringRef attribute) const;
  std::vector<int64_t> IntsOr(llvm::StringRef attribute, size_t count, int64_t value) const;
  int64_t Int(llvm::StringRef attribute, int64_t otherwise = 0) const;
  bool Bool(llvm::StringRef attribute) const;

  // "file:line: stablehlo.x: <why>".
  tl::unexpected<Error> Fail(ExitCode code, const std::string& why) const;
  tl::unexpected<Error> Unsupported(const std::string& what) const;
};

// Attribute of a custom call that is defined, but cannot be evaluated (reference/meanings/meanings.h): what is defined,
// for the message that the call is unsupported.
inline constexpr char kOtherMeaning[] = "opbyop.other_meaning";
// A custom call of this name calls a function for each element of a batch, which has the first dimensions of all
// operands and results: as many as the attribute says.
inline constexpr char kForEach[] = "opbyop.for_each";
inline constexpr char kBatchRank[] = "opbyop.batch_rank";
// A custom call of this name returns a number that a device may choose. All branches of a `case` on it are right.
inline constexpr char kAny[] = "opbyop.any";

using EvalFn = Expected<Values> (*)(OpContext&);
using EvalTableType = llvm::StringMap<EvalFn>;

// Every evaluable op by full name: "stablehlo.add", "chlo.erf", "func.call".
const EvalTableType& EvalTable();

// Each function adds one family of ops to the table.
void AddElementwise(EvalTableType& table);
void AddComplexParts(EvalTableType& table);
void AddConversions(EvalTableType& table);
void AddDataMovement(EvalTableType& table);
void AddDynamic(EvalTableType& table);
void AddIndexing(EvalTableType& table);
void AddScatter(EvalTableType& table);
void AddSort(EvalTableType& table);
void AddContractions(EvalTableType& table);
void AddConvolutions(EvalTableType& table);
void AddReductions(EvalTableType& table);
void AddWindows(EvalTableType& table);
void AddControlFlow(EvalTableType& table);
void AddCalls(EvalTableType& table);
void AddNormalization(EvalTableType& table);
void AddLinearAlgebra(EvalTableType& table);
void AddFourier(EvalTableType& table);
void AddRandom(EvalTableType& table);
void AddConstants(EvalTableType& table);
void AddScan(EvalTableType& table);
void AddQuantization(EvalTableType& table);
void AddDistribution(EvalTableType& table);
void AddParallel(EvalTableType& table);

// Called for every op before the table is looked up. Returns true if it has evaluated the op.
using EvalHook = std::function<Expected<bool>(OpContext&, Values&)>;

struct EvalOptions {
  bool bounds = false;
  // Sums of integers that are exact in every order get no rounding error. For the policy `exact-int`.
  bool exact_integers = false;
  // Sums whose terms prove that every order is exact get no rounding error, whatever the policy. Must be false if
  // bounds are relaxed.
  bool exact_sums = true;
  // Sums of exact operands get the standard deviation of a right device's rounding errors (docs/numerics.md).
  bool deviations = false;
  // Bounds of sums that have deviations are what the second criterion allows instead of the worst case, and so are the
  // bounds that other ops derive from them. Sums of inexact operands have deviations too, if these are in random order
  // (reference/eval/random_order.h). Needs `deviations`.
  bool likely = false;
  // Every tensor records facts about the values that it depends on (reference/eval/provenance.h). For programs of many
  // ops.
  bool provenance = false;
  // The arithmetic that the device declares. Bounds allow for the declared way to multiply and add up; what the program
  // itself states takes precedence. Flushing and rounding on stores are handled by reference/eval/alternatives.h.
  Arithmetic arithmetic;
  // The devices that may each have a part of a sum of products. Bounds allow for the rounding of these parts.
  int64_t product_parts = 1;
  // Ops that order their operands compare subnormal numbers as zeros (reference/eval/flushing.h, which sets it).
  bool flushes = false;
  // Results of types narrower than f32 are rounded toward zero (reference/eval/alternatives.h, which sets it).
  bool rounds_toward_zero = false;
  // Results of types narrower than f32 that other ops of their block use may be unrounded there: their bounds reach the
  // exact value (reference/eval/alternatives.h, which sets it).
  bool keeps_excess = false;
  // Sums round to the element type after every product and every addition, in index order. This is what the
  // specification literally says, which writes dot_general and convolution as reduce and multiply. If false, sums round
  // once, at the end.
  bool round_every_step = false;
  // Seed of stablehlo.rng. Every implementation draws numbers of its own.
  uint64_t seed = 0;
  EvalHook hook;  // check ops, probes, calls of Python
  // Called after every op with its results; an error ends the evaluation.
  std::function<Expected<void>(const OpContext&, const Values&)> observe;
  // Threads for the products of large matrices.
  int threads = 1;
};

class Evaluator {
 public:
  explicit Evaluator(mlir::ModuleOp module, EvalOptions options = {})
      : module_(module), options_(std::move(options)), process_{RunningGrid::Alone(), {}} {}

  Expected<Values> Call(llvm::StringRef function, Values arguments);
  Expected<Values> CallFunction(mlir::Operation* function, Values arguments);

  // Executes a single-block region once.
  Expected<Values> Run(mlir::Region& region, Values arguments, Scope* scope);

  // Executes a region over scalars `count` times at once. Argument i holds the i-th scalar argument of all executions,
  // and results are arranged in the same way. If an op forbids it, the executions run one after the other.
  Expected<std::vector<Tensor>> RunBatch(mlir::Region& region, const std::vector<Tensor>& arguments, int64_t count,
                                         Scope* scope);

  Expected<Values> Evaluate(OpContext& context);

  const EvalOptions& options() const { return options_; }
  mlir::ModuleOp module() const { return module_; }
  // The process of the grid that this evaluator runs. By default a grid of one.
  const GridProcess& process() const { return process_; }
  void set_process(GridProcess process) { process_ = std::move(process); }
  // Returns the number of stablehlo.rng ops evaluated before this one, and counts it.
  uint64_t NextDraw() { return draws_++; }
  // Small constants are decoded once.
  llvm::DenseMap<mlir::Operation*, Tensor>& constants() { return constants_; }

 private:
  Expected<Values> EvaluateOp(OpContext& context);
  // Without regard to zeros whose sign is free.
  Expected<Values> EvaluateAlone(OpContext& context);
  bool IsBatchable(mlir::Region& region);
  const llvm::DenseMap<mlir::Operation*, std::vector<mlir::Value>>& LastUses(mlir::Block& block);

  mlir::ModuleOp module_;
  EvalOptions options_;
  GridProcess process_;
  int depth_ = 0;
  uint64_t draws_ = 0;
  llvm::DenseMap<mlir::Operation*, Tensor> constants_;
  llvm::DenseMap<mlir::Region*, bool> batchable_;
  // An std::unordered_map does not move its values: a caller holds a reference to the entry of its block while inner
  // blocks add theirs.
  std::unordered_map<mlir::Block*, llvm::DenseMap<mlir::Operation*, std::vector<mlir::Value>>> last_uses_;
};

// Returns @main, or the only function. Returns kBadInput if there is neither.
Expected<mlir::Operation*> EntryOf(mlir::ModuleOp module);

// Element type of an MLIR type: for a tensor that of its elements, for a quantized type its storage type. Returns
// nullopt for unknown types.
std::optional<ElementType> ElementTypeOf(mlir::Type type);

// Returns "file:line" of an op, or "" if its location is unknown.
std::string PlaceOf(mlir::Operation* op);

// True for ops that are evaluated element by element whatever the shape. They can run over a batch of scalars at once.
bool IsElementwise(std::string_view name);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_EVALUATOR_H_
