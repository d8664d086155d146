// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lists every op that a run of a program may reach, with its name in the trace. Calls are followed at every call site:
// an op of a function that is called twice is two ops. The same holds for composites that the case map inlines. The
// bodies of while, if and case are listed once. The ops are numbered in the order of the program's text, not of
// execution.
//
//   Expected<ProgramPlan> plan = ProgramPlan::Make(map);
//   int64_t id = plan->OpAt(ProgramPlan::kEntry, op);
//   const ProgramPlan::Callee* callee = plan->CalleeOf(place, call);   // its ops are at callee->place
#ifndef OPBYOP_CHAINED_PROGRAM_PLAN_H_
#define OPBYOP_CHAINED_PROGRAM_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/split/case_map.h"
#include "generator/walk/attribution.h"
#include "llvm/ADT/DenseMap.h"
#include "manifests/optrace/optrace.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/expected.h"

namespace opbyop::chained {

// Whether it is a stablehlo.while, if or case: the chain runs these, not the device.
bool IsBranching(mlir::Operation* op);

class ProgramPlan {
 public:
  static constexpr int32_t kEntry = 0;  // the place of the entry function's ops

  struct Callee {
    int32_t place;
    mlir::Operation* function;
  };

  // Returns kUnsupported if the program expands to more ops than a trace should hold, or if it is recursive.
  static Expected<ProgramPlan> Make(const generator::CaseMap& map);

  const std::vector<optrace::Op>& ops() const { return ops_; }
  bool InLoop(int64_t op) const { return in_loop_[static_cast<size_t>(op)]; }

  // The op with an id of the trace, in the program.
  struct Place {
    int64_t id;
    mlir::Operation* op;
  };
  const std::vector<Place>& places() const { return places_; }  // by id

  // Returns -1 if the trace does not list the op: a constant, call, branch or return.
  int64_t OpAt(int32_t place, mlir::Operation* op) const;

  // Returns nullptr if the op is no call, or if its callee has no body.
  const Callee* CalleeOf(int32_t place, mlir::Operation* call) const;

 private:
  explicit ProgramPlan(const generator::CaseMap& map) : map_(map), symbols_(map.module()) {}

  mlir::FunctionOpInterface FunctionOf(mlir::Operation& op) const;
  Expected<void> AddFunction(mlir::Operation* function, int32_t place, int depth, bool in_loop);
  Expected<void> AddRegion(mlir::Region& region, int32_t place, int depth, bool in_loop, mlir::AsmState& printer);
  void AddOp(mlir::Operation* op, int32_t place, bool in_loop, mlir::AsmState& printer);

  const generator::CaseMap& map_;
  mlir::SymbolTable symbols_;
  std::vector<std::optional<generator::NameStack>> outer_ = {std::nullopt};  // by place: names that its call site adds
  std::vector<optrace::Op> ops_;
  std::vector<Place> places_;
  std::vector<bool> in_loop_;
  llvm::DenseMap<std::pair<int32_t, mlir::Operation*>, int64_t> ids_;
  llvm::DenseMap<std::pair<int32_t, mlir::Operation*>, Callee> callees_;
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_PROGRAM_PLAN_H_
