// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The way from a model down to its smallest failing part, as a tree that is printed or stored.
//
//   Node model{.kind = "model", .what = "llama, 4,640 ops", .verdict = verdict};
//   model.parts.push_back({.kind = "layer", .what = "layer 1 of 32", ...});
//   std::cout << Text(model, Style::kColored);
//
//   model llama, 4,640 ops: fail in compare
//     layer 1 of 32, 145 ops: pass
//     layer 2 of 32, 145 ops: fail in compare
//       op stablehlo.dot_general (model.py:12): fail in compare; it fails alone
#ifndef OPBYOP_COMMANDS_LOCATE_TREE_H_
#define OPBYOP_COMMANDS_LOCATE_TREE_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands/locate/three_ways.h"
#include "manifests/results/result.h"
#include "manifests/status/status.h"

namespace opbyop::locate {

// How a program ended on the target.
struct Verdict {
  Status status = Status::kMissing;
  std::string stage;
  std::string diagnostic;
  bool weak = false;  // a wrong output was judged by the criterion of models, because its bound says nothing

  std::string Text() const;  // "fail in compare"
};
Verdict VerdictOf(const CaseRecord& record);

struct Node {
  std::string kind;  // "model", "layer", "window", "op", "trip"
  std::string what;
  Verdict verdict;
  std::string why;                // why it fails although no part of it does
  std::optional<ThreeWays> ways;  // of the model, and of a part whose ops pass alone
  std::vector<std::string> notes;
  std::vector<Node> parts;
};

enum class Style { kPlain, kColored };
std::string Text(const Node& node, Style style);
nlohmann::json ToJson(const Node& node);
nlohmann::json ToJson(const ThreeWays& ways);

}  // namespace opbyop::locate

#endif  // OPBYOP_COMMANDS_LOCATE_TREE_H_
