// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ops that a program runs, in program order: from @main through every call, each with how often and from
// which call sites it is reached.
//
//   Expected<Walk> walk = WalkProgram(module, "main");
//   for (const ReachedOp& r : walk->ops) Use(r.op, walk->functions[r.function].count);
//
// Calls are followed, whether of the func or of the llvm dialect. Ops with regions stay whole: calls inside a
// region belong to the op; composites stay whole too. On demand the bodies of control flow are walked beside the op
// that they belong to, and decompositions in place of their composites. Counts are static: an op in the body of a
// loop counts once, however often the loop goes round. Terminators and constants are not reached ops. A function is
// walked once however often it is called, so that a chain of functions that double their calls stays linear.
#ifndef OPBYOP_GENERATOR_WALK_WALK_H_
#define OPBYOP_GENERATOR_WALK_WALK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "support/expected.h"

namespace opbyop::generator {

struct WalkOptions {
  bool inside_regions = false;  // also the ops in the bodies of while, if, case and their like in other dialects; those
                                // in an sdy.manual_computation are always walked
  bool inline_composites = false;  // the ops of a composite's decomposition instead of the composite
};

// A region of control flow that ops stand in.
struct WalkedRegion {
  static constexpr int32_t kNone = 0;

  int32_t parent = -1;  // the region around it in the same function, or kNone
  std::string label;    // "while.body"
};

// One way to come to a function. `parent` is the way to the caller; kEntry has none.
struct CallPath {
  static constexpr int32_t kEntry = 0;

  int32_t parent = -1;
  mlir::Location call_site;
  int32_t region = WalkedRegion::kNone;  // that the call stands in
};

// How often a function is entered by one way.
struct Entry {
  int32_t path = CallPath::kEntry;  // index into Walk::paths
  int64_t count = 0;
};

struct WalkedFunction {
  mlir::Operation* op = nullptr;
  int64_t count = 0;           // calls by all ways
  std::vector<Entry> entries;  // sum of counts == count; a function with too many ways has the one entry kEntry
};

struct ReachedOp {
  mlir::Operation* op = nullptr;
  int32_t function = 0;                  // index into Walk::functions
  int32_t region = WalkedRegion::kNone;  // index into Walk::regions
};

struct Walk {
  std::vector<WalkedFunction> functions;  // in order of first call, the entry function first
  std::vector<ReachedOp> ops;             // in order of first execution
  std::vector<CallPath> paths;            // [0] is the entry itself
  std::vector<WalkedRegion> regions;      // [0] stands for none

  // Ops reached, every call site counted.
  int64_t TotalOps() const;
};

// kBadInput where there is no function `entry`, where a callee is missing or where functions call each other in
// a circle.
Expected<Walk> WalkProgram(mlir::ModuleOp module, std::string_view entry, WalkOptions options = {});

// The module that holds `entry`: `module` itself or the only module nested in it that has one.
Expected<mlir::ModuleOp> FindEntryModule(mlir::ModuleOp module, std::string_view entry);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_WALK_WALK_H_
