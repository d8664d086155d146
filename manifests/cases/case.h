// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A case is a distinct op: same name, attributes, operand and result types, regions, folded constants and decomposition
// body. It is run once. A row is a pair (case, model) and has one TEST_P.
#ifndef OPBYOP_MANIFESTS_CASES_CASE_H_
#define OPBYOP_MANIFESTS_CASES_CASE_H_

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/cases/case_sharding.h"
#include "manifests/cases/grid.h"
#include "support/op_kind.h"
#include "support/saturated.h"
#include "support/shared_list.h"
#include "support/tensor_type.h"

namespace opbyop {

// An attribute from a dialect that this project does not know, and its place in the model: "module", "function",
// "argument 0", "result 1" or "op". The numbers are those of the case's inputs and outputs.
struct PlacedAttribute {
  std::string place;
  std::string name;   // "ttcore.argument_type"
  std::string value;  // MLIR text
  friend auto operator<=>(const PlacedAttribute&, const PlacedAttribute&) = default;
};

// The ops of one model that a case stands for: those with the same framework op, module path, regions and foreign
// attributes.
struct Origin {
  std::string model;
  int64_t count = 0;                     // ops in the model; every call site counts
  std::vector<std::string> locations;    // distinct, at most kMaxLocations, in program order
  std::string framework_op;              // "aten::addmm", "dot_general"; empty if no location has it
  std::vector<std::string> module_path;  // outermost first: {"NN[model]", "Linear[layer1]"}

  // The bodies that contain the ops, of control flow and composites, outermost first: {"while.body", "if.true"}. Such
  // ops are counted once, however often they run.
  std::vector<std::string> regions;

  // How often each of the ops runs if every branch is taken: the trips of the loops around it, multiplied. 0 if the
  // trips of a loop are not known.
  int64_t trips = 1;

  // How often the ops run in one run of the model, as far as the program tells. At most 2^63 - 1.
  int64_t runs() const { return MulCapped(count, std::max<int64_t>(trips, 1)); }

  std::vector<PlacedAttribute> attributes;  // from unknown dialects; not part of the case

  static constexpr size_t kMaxLocations = 8;
};

// The integers that an argument of a model may hold, both ends included; nullopt if no range is stated.
using InputRange = std::optional<std::pair<int64_t, int64_t>>;

// The rule that a case breaks, so that every compiler must refuse it.
struct Breach {
  std::string constraint;  // "slice.C4"
  std::string rule;        // a summary of the constraint: "strides are positive"
  std::string valid;       // file of the same program without the breach, relative to the manifest's folder
};

// The op of a case that is a whole model; its `target` is the model's name.
inline constexpr std::string_view kWholeModel = "model";

// The op of a case of several ops (Granularity). The `target` of a window has the names of its ops: "multiply.add".
inline constexpr std::string_view kWindow = "window";
inline constexpr std::string_view kModule = "module";
inline constexpr std::string_view kLayer = "layer";
inline constexpr std::string_view kSegment = "segment";  // the ops before, between or after layers

// Whether a case of this op is judged as a whole model is (docs/numerics.md): its inputs are scaled for many ops, and
// where no bound is left, its results are judged by their statistics. A window is judged like an op.
constexpr bool IsJudgedAsModel(std::string_view op) {
  return op == kWholeModel || op == kLayer || op == kSegment || op == kModule;
}
constexpr bool HasSeveralOps(std::string_view op) { return op == kWindow || IsJudgedAsModel(op); }

struct Case {
  std::string id;      // <op>_<shape>_<dtype>_<hash8> over [A-Za-z0-9_], unique
  std::string op;      // "stablehlo.dot_general"; for a composite or custom call with its target: see `target`
  std::string target;  // composite name or custom call target; empty for other ops
  // The sort of op. kOther also if the manifest was written before this field existed.
  OpKind kind = OpKind::kOther;
  std::string file;               // relative to the manifest's folder
  std::string hash;               // hexadecimal, of everything that defines the case
  SharedList<TensorType> inputs;  // of @main: run-time operands
  SharedList<TensorType> outputs;
  std::map<std::string, std::string> attributes;  // MLIR text by attribute name
  int64_t flops = 0;  // arithmetic operations of one run, multiply-add = 2; 0 for data movement
  int64_t bytes = 0;  // inputs read plus outputs written once
  // The processes that run it, each with `inputs` and `outputs` of its own.
  Grid grid;
  // Set for a sharded case: its `inputs` and `outputs` are whole tensors, of which each process has parts. Its `grid` is
  // a single process.
  std::shared_ptr<const CaseSharding> sharding;
  // The number of processes that its ids or its mesh name, if there is no grid on which it can be run by itself. 1: it
  // can be.
  int64_t processes = 1;
  // The op is of a dialect that this project does not know, so it cannot be judged.
  bool unknown = false;
  bool no_runtime_input = false;  // nothing varies at run time: a pass proves nothing (inconclusive)
  // Inputs that stand for constants of a model whose elements are not in its file (elided when it was printed). They
  // are drawn like other inputs and do not have the model's values.
  std::vector<int64_t> elided_constants;
  std::vector<InputRange> input_ranges;  // of a whole model's inputs; empty if none is stated
  std::vector<std::string> covers;       // of a suite's case: sorted ids of the constraints that it tests, "add.C1"
  // The ids of the cases of its ops, each once, sorted; only of a case of several ops.
  std::vector<std::string> members;
  std::vector<Origin> origins;
  // Set for a program that must be refused; nullptr for a valid program.
  std::shared_ptr<const Breach> breach;

  bool must_be_refused() const { return breach != nullptr; }
  bool is_whole_model() const { return op == kWholeModel; }
  bool is_judged_as_model() const { return IsJudgedAsModel(op); }
  bool has_several_ops() const { return HasSeveralOps(op); }

  // The processes that run the program at once on a target; the reference evaluates a sharded case as a plain one.
  Grid devices() const { return sharding ? Grid{.partitions = sharding->partitions} : grid; }

  // The tensors of all processes (manifests/cases/grid.h).
  size_t total_inputs() const { return inputs.size() * static_cast<size_t>(grid.processes()); }
  int64_t total_bytes() const { return MulCapped(bytes, grid.processes()); }
  // The bytes of the inputs and outputs on all devices together. A device has a copy of what is not divided among them.
  int64_t device_bytes() const;
  size_t total_outputs() const { return outputs.size() * static_cast<size_t>(grid.processes()); }
};

// Returns the models of a case, each once, in the order of their first origin. Each is a row.
std::vector<std::string> ModelsOf(const Case& c);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_CASE_H_
