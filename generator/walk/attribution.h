// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the framework op and the module of a model that an op comes from, from its location.
//
//   NameStack s = ParseLocation(op->getLoc());
//   // JAX           loc("jit(f)/Bert/layer/0/dot_general"("flax/linear.py":287:8))
//   //               -> op "dot_general", path {"Bert", "layer", "0"}, place "flax/linear.py:287:8"
//   // PyTorch/XLA   loc("{\"nn_module_stack\": \"...;L__self__fc,fc,torch.nn.Linear\", \"torch_fn\": ...}")
//   //               -> op "linear", path {"ResNet[model]", "Linear[fc]"}
//   // torch-xla     loc("NN[model]/Linear[layer1]/aten__addmm")   -> op "aten::addmm"
//   // tt-xla        loc("NN[model]/forward(nn.py:12)/aten__addmm")
//   // TF            loc(fused["Add:", "scope/add@__inference"])   -> op "Add", path {"scope"}
//   // HLO           loc("add.12")                                 -> op "add"
//
// Fused, name, call-site and file locations are searched. Nothing is guessed: if a location names no op, `op` is empty.
// Places never show a folder of the exporting machine.
#ifndef OPBYOP_GENERATOR_WALK_ATTRIBUTION_H_
#define OPBYOP_GENERATOR_WALK_ATTRIBUTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Location.h"

namespace opbyop::generator {

struct NameStack {
  std::string op;                 // framework op; empty if no location names one
  std::vector<std::string> path;  // modules, outermost first
  std::string place;              // "file.py:287:8"; empty if no file is named
  std::string name;               // the location's outermost name, shown if there is no place: "add.12"
  std::string root;               // the start of `path`: "jit(f)"; a callee's name stack with a root is absolute

  friend bool operator==(const NameStack&, const NameStack&) = default;
};

// The root of name stacks from PyTorch's nn_module_stack, which are always absolute.
inline constexpr std::string_view kModuleStackRoot = "nn_module_stack";

NameStack ParseLocation(mlir::Location location);

// `inner` as seen from the call site `outer`: a callee's relative name stack continues the caller's.
NameStack Inside(const NameStack& outer, const NameStack& inner);

// A form of the file's path that may be shown: from the package on for installed packages, relative paths unchanged,
// else the last component only.
std::string PublicPath(std::string_view path);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_WALK_ATTRIBUTION_H_
