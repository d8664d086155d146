// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the ops that a program runs, in program order, from @main through every call. Each comes with how often and
// from which call sites it is reached.
//
//   Expected<Walk> walk = WalkProgram(module, "main");
//   for (const ReachedOp& r : walk->ops) Use(r.op, walk->functions[r.function].count);
//
// Calls are followed, in the func and in the llvm dialect. Ops with regions and composites are ops; on request, the
// bodies of control flow and the decompositions of composites are walked after them. Counts are static: an op in the body of a loop counts once, however many
// iterations the loop has; its region says how many, if the program tells. Terminators and constants are not reached ops. A
// function is walked once however often it is called, so a chain of functions that each double the number of calls
// takes linear time.
#ifndef OPBYOP_GENERATOR_WALK_WALK_H_
#define OPBYOP_GENERATOR_WALK_WALK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "manifests/cases/manifest.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "support/expected.h"

namespace opbyop::generator {

struct WalkOptions {
  // Also walks the ops in the bodies of while, if, case and similar ops of other dialects. Those in an
  // sdy.manual_computation are always walked.
  bool inside_regions = false;

  // Whether the decompositions of composites are walked: not, after the composite, or instead of it.
  Composites composites = Composites::kWhole;
};

// A region of control flow that contains ops.
struct WalkedRegion {
  static constexpr int32_t kNone = 0;

  int32_t parent = -1;  // the region around it in the same function, or kNone
  std::string label;    // "while.body", "composite.my.gelu"
  int64_t trips = 1;    // how often it runs each time that it is reached; 0: not known
};

// A call path to a function. `parent` is the call path of the caller; kEntry has none.
struct CallPath {
  static constexpr int32_t kEntry = 0;

  int32_t parent = -1;
  mlir::Location call_site;
  int32_t region = WalkedRegion::kNone;  // the region that contains the call
};

// How often a function is entered by one call path.
struct Entry {
  int32_t path = CallPath::kEntry;  // index into Walk::paths
  int64_t count = 0;
};

struct WalkedFunction {
  mlir::Operation* op = nullptr;
  int64_t count = 0;           // calls by all call paths
  std::vector<Entry> entries;  // sum of counts == count; a function with too many call paths has the one entry kEntry
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
  std::vector<WalkedRegion> regions;      // [0]: no region

  // The number of ops reached, counted once for each call path.
  int64_t TotalOps() const;
};

// The attribute of a composite that names the function of its decomposition.
inline constexpr llvm::StringLiteral kDecompositionAttribute = "decomposition";

// The attribute that names the function whose ops an op stands for; empty if the op itself is reached.
llvm::StringRef CalleeAttribute(mlir::Operation* op, bool inlines_composites);

// Returns kBadInput if there is no function `entry`, if a callee is missing, or if functions call each other in a
// cycle.
Expected<Walk> WalkProgram(mlir::ModuleOp module, std::string_view entry, WalkOptions options = {});

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_WALK_WALK_H_
