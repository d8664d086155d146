// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A case is a distinct op: same name, attributes, operand and result types, regions, folded constants and
// decomposition body. It is run once. A row is (case, model): what one TEST_P stands for.
#ifndef OPBYOP_MANIFESTS_CASES_CASE_H_
#define OPBYOP_MANIFESTS_CASES_CASE_H_

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/op_kind.h"
#include "support/shared_list.h"
#include "support/tensor_type.h"

namespace opbyop {

// An attribute of a dialect that this project does not know, where a model has it: on its "module", "function",
// "argument 0", "result 1" or "op", the numbers being those of the case's inputs and outputs.
struct PlacedAttribute {
  std::string place;
  std::string name;   // "ttcore.argument_type"
  std::string value;  // MLIR text
  friend auto operator<=>(const PlacedAttribute&, const PlacedAttribute&) = default;
};

// Where a case comes from: all ops of one model that share framework op, module path, regions and foreign
// attributes.
struct Origin {
  std::string model;
  int64_t count = 0;                     // ops of the model, every call site counted
  std::vector<std::string> locations;    // distinct, at most kMaxLocations, in program order
  std::string framework_op;              // "aten::addmm", "dot_general"; empty where no location tells
  std::vector<std::string> module_path;  // outermost first: {"NN[model]", "Linear[layer1]"}

  // Bodies of control flow that the ops stand in, outermost first: {"while.body", "if.true"}. Such ops are counted
  // once, however often they run.
  std::vector<std::string> regions;

  std::vector<PlacedAttribute> attributes;  // of dialects that are not known; no part of the case

  static constexpr size_t kMaxLocations = 8;
};

// Integers that an argument of a model may hold, both ends included; nullopt where nothing states them.
using InputRange = std::optional<std::pair<int64_t, int64_t>>;

// What a case is wrong in that every compiler must refuse.
struct Breach {
  std::string constraint;  // "slice.C4"
  std::string rule;        // what that constraint asks for, in short: "strides are positive"
  std::string valid;       // file of the same program without the breach, relative to the manifest's folder
};

// The op of a case that is a whole model; its `target` is the model's name.
inline constexpr std::string_view kWholeModel = "model";

struct Case {
  std::string id;      // <op>_<shape>_<dtype>_<hash8> over [A-Za-z0-9_], unique
  std::string op;      // "stablehlo.dot_general"; for a composite or custom call with its target: see `target`
  std::string target;  // composite name or custom call target; empty for other ops
  OpKind kind = OpKind::kOther;   // what sort of op; kOther also where the manifest was written before it was recorded
  std::string file;               // relative to the manifest's folder
  std::string hash;               // hexadecimal, of everything that defines the case
  SharedList<TensorType> inputs;  // of @main: run-time operands
  SharedList<TensorType> outputs;
  std::map<std::string, std::string> attributes;  // MLIR text by attribute name
  int64_t flops = 0;              // arithmetic operations of one run, multiply-add = 2; 0 for data movement
  int64_t bytes = 0;              // inputs read plus outputs written once
  int64_t processes = 1;          // that it names, by id or by a mesh: a run with fewer cannot execute it
  bool unknown = false;           // an op of a dialect that this project does not know: it has no meaning here
  bool no_runtime_input = false;  // nothing varies at run time: a pass proves nothing (inconclusive)
  // Inputs that are constants of a model whose elements are not in its file (elided when it was printed): they are
  // drawn like other inputs, and are not the model's.
  std::vector<int64_t> elided_constants;
  std::vector<InputRange> input_ranges;  // of a whole model's inputs; empty where none is stated
  std::vector<std::string> covers;       // of a suite's case: ids of what it exercises, "add.C1", sorted
  std::vector<Origin> origins;
  std::shared_ptr<const Breach> breach;  // of a program that must be refused; nullptr: one that must be right

  bool must_be_refused() const { return breach != nullptr; }
  bool is_whole_model() const { return op == kWholeModel; }
};

// The models of a case in order of first origin, without repetition: its rows.
std::vector<std::string> ModelsOf(const Case& c);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_CASE_H_
