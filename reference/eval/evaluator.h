// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference evaluator: what a StableHLO program means, in float64 and exact integers.
//
//   Evaluator evaluator(module, {.bounds = true});
//   Expected<std::vector<Value>> results = evaluator.Call("main", arguments);
//
// One eval function per op, found by op name in EvalTable(). With `bounds` every result carries how far a
// correct device may be from it (docs/numerics.md). What cannot be evaluated is an Error "unsupported: <name>".
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

// SSA values of one region execution; an inner region sees the values around it.
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

// One op about to be evaluated.
struct OpContext {
  mlir::Operation* op;
  std::string_view name;  // the op's, or of the native op that stands for a composite or custom call
  Values operands;
  Evaluator& evaluator;
  Scope* scope;
  // Quantized elements are computed on as what they express (reference/eval/quantization.h): result types likewise.
  bool expressed = false;

  const Tensor& in(size_t i) const { return operands[i].tensor(); }
  size_t size() const { return operands.size(); }
  bool bounds() const;

  // Element type of a result: of a quantized one its storage type, or its expressed type. kUnsupported for unknown
  // types.
  Expected<ElementType> ResultType(unsigned i = 0) const;
  // Static shape of a result; kUnsupported when it is dynamic.
  Expected<Shape> ResultShape(unsigned i = 0) const;

  // Attributes by name; absent ones give the default.
  std::vector<int64_t> Ints(llvm::StringRef attribute) const;
  std::vector<int64_t> IntsOr(llvm::StringRef attribute, size_t count, int64_t value) const;
  int64_t Int(llvm::StringRef attribute, int64_t otherwise = 0) const;
  bool Bool(llvm::StringRef attribute) const;

  // "file:line: stablehlo.x: <why>".
  tl::unexpected<Error> Fail(ExitCode code, const std::string& why) const;
  tl::unexpected<Error> Unsupported(const std::string& what) const;
};

using EvalFn = Expected<Values> (*)(OpContext&);
using EvalTableType = llvm::StringMap<EvalFn>;

// Every evaluable op by full name: "stablehlo.add", "chlo.erf", "func.call".
const EvalTableType& EvalTable();

// Families; each adds its ops.
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

struct EvalOptions {
  bool bounds = false;
  // Sums of integers that are exact in every order get no rounding error (the exact-int policy).
  bool exact_integers = false;
  // Sums whose terms prove that every order is exact get none either, whatever the policy. Not where bounds are
  // relaxed.
  bool exact_sums = true;
  // Sums of exact operands get the standard deviation that rounding gives a right device (docs/numerics.md).
  bool deviations = false;
  // Every tensor is told what it was made of (reference/eval/provenance.h), for programs of many ops.
  bool provenance = false;
  // What the device declares of its arithmetic: bounds allow for how it multiplies and adds up. What the program itself
  // states comes first. How it stores and what it flushes is the matter of reference/eval/alternatives.h.
  Arithmetic arithmetic;
  // Ops that order their operands compare subnormal numbers as zeros (reference/eval/flushing.h, which sets it).
  bool flushes = false;
  // Results of types narrower than f32 are rounded toward zero (reference/eval/alternatives.h, which sets it).
  bool rounds_toward_zero = false;
  // Sums round to the element type after every product and every addition, in index order: the specification to
  // the letter, where it writes dot_general and convolution as reduce and multiply. Otherwise once, at the end.
  bool round_every_step = false;
  // Seed of stablehlo.rng, whose numbers no two implementations share.
  uint64_t seed = 0;
  // Called before the table for every op; true when it took the op (check ops, probes).
  std::function<Expected<bool>(OpContext&, Values&)> hook;
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

  // One execution of a single-block region.
  Expected<Values> Run(mlir::Region& region, Values arguments, Scope* scope);

  // Many executions at once of a region over scalars: argument i is a vector of the i-th scalar argument of
  // all executions, and so are the results. Falls back to one after the other where an op forbids it.
  Expected<std::vector<Tensor>> RunBatch(mlir::Region& region, const std::vector<Tensor>& arguments, int64_t count,
                                         Scope* scope);

  Expected<Values> Evaluate(OpContext& context);

  const EvalOptions& options() const { return options_; }
  mlir::ModuleOp module() const { return module_; }
  // Where in a grid of processes this evaluator runs; by itself unless told otherwise.
  const GridProcess& process() const { return process_; }
  void set_process(GridProcess process) { process_ = std::move(process); }
  // How many stablehlo.rng have been evaluated before.
  uint64_t NextDraw() { return draws_++; }
  // Small constants are decoded once.
  llvm::DenseMap<mlir::Operation*, Tensor>& constants() { return constants_; }

 private:
  Expected<Values> EvaluateOp(OpContext& context);
  bool IsBatchable(mlir::Region& region);
  const llvm::DenseMap<mlir::Operation*, std::vector<mlir::Value>>& LastUses(mlir::Block& block);

  mlir::ModuleOp module_;
  EvalOptions options_;
  GridProcess process_;
  int depth_ = 0;
  uint64_t draws_ = 0;
  llvm::DenseMap<mlir::Operation*, Tensor> constants_;
  llvm::DenseMap<mlir::Region*, bool> batchable_;
  // Nodes stay where they are: a caller keeps its block's while inner blocks add theirs.
  std::unordered_map<mlir::Block*, llvm::DenseMap<mlir::Operation*, std::vector<mlir::Value>>> last_uses_;
};

// @main, or the only function. kBadInput where there is neither.
Expected<mlir::Operation*> EntryOf(mlir::ModuleOp module);

// Element type of an MLIR type: of a tensor its element's, of a quantized type its storage type. nullopt for unknown
// types.
std::optional<ElementType> ElementTypeOf(mlir::Type type);

// "file:line" of an op, or "" where it has none.
std::string PlaceOf(mlir::Operation* op);

// True for ops evaluated element by element whatever the shape, hence over a batch of scalars at once.
bool IsElementwise(std::string_view name);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_EVALUATOR_H_
