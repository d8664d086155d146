// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the smallest part of a failing program that still fails: from the model down to layers, windows and ops, each
// compiled by itself on the reference's values.
//
//   Search search(judge, measure);
//   Expected<Located> located = search.Run(program, "model", verdict);   // a program with fixed inputs that fails
//   Text(located->tree);         // the way down
//   located->program;            // the smallest part
//
// A part that fails is divided, and the first of its parts that fails is divided again. If none fails, the part is
// shortened and ops are left out as long as it fails. A loop is opened: its body runs alone on the values of each trip.
#ifndef OPBYOP_COMMANDS_LOCATE_SEARCH_H_
#define OPBYOP_COMMANDS_LOCATE_SEARCH_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands/locate/part.h"
#include "commands/locate/tree.h"
#include "support/expected.h"

namespace opbyop::locate {

// Judges a program on the target. `op` is that of its case: the name of its only op, or "model". `where` is its place
// in the tree. An error ends the search.
using JudgePart =
    std::function<Expected<Verdict>(const Program& part, const std::string& op, const std::string& where)>;

// Compares what the target returns for a failing program with the exact results and the promised precision.
using MeasurePart =
    std::function<Expected<ThreeWays>(const Program& part, const std::string& op, const std::string& where)>;

// Why a part fails although nothing below it does, or that an op is wrong by itself.
enum class Cause { kOp, kTogether, kAccumulated, kLoop, kNotDivided };

struct Located {
  Node tree;
  Program program;
  std::string op;  // of its case
  Cause cause = Cause::kOp;
};

class Search {
 public:
  Search(JudgePart judge, MeasurePart measure) : judge_(std::move(judge)), measure_(std::move(measure)) {}

  // The program has fixed inputs and ended with this verdict, which is a failure.
  Expected<Located> Run(Program program, const std::string& name, const Verdict& verdict);

 private:
  struct Tried {
    Verdict verdict;
    std::optional<Program> program;  // nullopt: the ops are no program
    std::string hidden;              // the results that must not be asked for; empty: any may be
  };

  Expected<void> Descend(Program program, Node& node, const std::string& where);
  Expected<void> DescendIntoOp(Program program, Node& node, const std::string& where);
  Expected<void> TryShorterLoops(const Program& loop, const Opened& opened, Node& node, const std::string& where);
  Expected<Tried> Try(const Program& of, const Ops& ops, const KnownValues& values, const std::string& where);
  Expected<Ops> Shorten(const Program& of, Ops ops, const KnownValues& values, const std::string& where);
  Expected<void> AskForIntermediates(const Program& of, const Ops& ops, const KnownValues& values, Node& node,
                                     const std::string& where);
  // Does nothing if the failure is not one of compare.
  Expected<void> Measure(const Program& program, const std::string& op, const std::string& where, Node& node);
  bool Fails(const Verdict& verdict) const;
  void End(Program program, std::string op, Cause cause, std::string why, Node& node);

  JudgePart judge_;
  MeasurePart measure_;
  Verdict model_;  // how the model ended: a part must end in the same stage
  std::optional<Located> located_;
};

// The parts into which a sequence of ops is divided: its layers and what is between them if it has layers, else its
// halves.
struct Division {
  std::string name;  // "layer 2 of 4"; empty: a window
  Ops ops;
};
std::vector<Division> Divide(const Ops& ops);

// "transpose to dot_general (model.mlir:7), 2 ops".
std::string Describe(const Ops& ops);

}  // namespace opbyop::locate

#endif  // OPBYOP_COMMANDS_LOCATE_SEARCH_H_
