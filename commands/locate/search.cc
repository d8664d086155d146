// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "generator/group/layers.h"
#include "llvm/ADT/DenseMap.h"
#include "manifests/targets/target.h"
#include "mlir/IR/OperationSupport.h"
#include "reference/eval/evaluator.h"
#include "support/text/count_text.h"

namespace opbyop::locate {
namespace {

std::string NameOf(mlir::Operation* op) { return op->getName().getStringRef().str(); }

std::string NameAndPlace(mlir::Operation* op) {
  const std::string place = reference::PlaceOf(op);
  return place.empty() ? NameOf(op) : fmt::format("{} ({})", NameOf(op), place);
}

// Control flow is judged like the model that its body is.
std::string CaseOpOf(const Ops& ops) {
  if (ops.size() > 1) return std::string(kWholeModel);
  const std::string name = NameOf(ops.front());
  const bool branches = name == "stablehlo.while" || name == "stablehlo.if" || name == "stablehlo.case";
  return branches ? std::string(kWholeModel) : name;
}

// The results of its own ops that the block returns, each once.
std::vector<mlir::Value> ReturnedBy(mlir::Block& block) {
  std::vector<mlir::Value> results;
  for (const mlir::Value value : block.getTerminator()->getOperands()) {
    mlir::Operation* op = value.getDefiningOp();
    const bool computed = op != nullptr && op->getBlock() == &block && reduction::IsComputation(op);
    if (computed && !llvm::is_contained(results, value)) results.push_back(value);
  }
  return results;
}

Node NodeOf(const Division& part, const Verdict& verdict) {
  if (!part.name.empty()) {
    return {.kind = "layer", .what = part.name + ": " + Describe(part.ops), .verdict = verdict};
  }
  return {.kind = part.ops.size() == 1 ? "op" : "window", .what = Describe(part.ops), .verdict = verdict};
}

}  // namespace

std::string Describe(const Ops& ops) {
  if (ops.size() == 1) return NameAndPlace(ops.front());
  return fmt::format("{}, {} to {}", CountText(ops.size(), "op"), NameAndPlace(ops.front()), NameAndPlace(ops.back()));
}

std::vector<Division> Divide(const Ops& ops) {
  std::vector<int32_t> kinds;
  llvm::DenseMap<size_t, int32_t> numbers;
  for (mlir::Operation* op : ops) {
    const llvm::hash_code hash = mlir::OperationEquivalence::computeHash(
        op, mlir::OperationEquivalence::ignoreHashValue, mlir::OperationEquivalence::ignoreHashValue,
        mlir::OperationEquivalence::IgnoreLocations);
    kinds.push_back(numbers.try_emplace(static_cast<size_t>(hash), static_cast<int32_t>(numbers.size())).first->second);
  }
  const auto ops_at = [&](const std::vector<size_t>& places) {
    Ops found;
    for (const size_t place : places) found.push_back(ops[place]);
    return found;
  };
  const generator::BlockLayers found = generator::FindLayers(ops, kinds, generator::LayerNeeds::kAnyOp);
  if (found.layers.empty()) {
    const auto middle = ops.begin() + static_cast<ptrdiff_t>(ops.size() / 2);
    return {{"", Ops(ops.begin(), middle)}, {"", Ops(middle, ops.end())}};
  }
  std::map<size_t, Division> parts;  // by the place of their first op
  for (const generator::Layer& layer : found.layers) {
    parts[layer.places.front()] = {fmt::format("{} of {}", layer.number, layer.copies), ops_at(layer.places)};
  }
  const generator::LayerOps in_layers = generator::OpsIn(ops, found.layers);
  for (const std::vector<size_t>& segment : generator::SegmentsAround(ops, found.is_shared, in_layers)) {
    parts[segment.front()] = {"", ops_at(segment)};
  }
  std::vector<Division> in_order;
  in_order.reserve(parts.size());
  for (auto& [place, part] : parts) in_order.push_back(std::move(part));
  return in_order;
}

bool Search::Fails(const Verdict& verdict) const { return IsFailure(verdict.status) && verdict.stage == model_.stage; }

Expected<Located> Search::Run(Program program, const std::string& name, const Verdict& verdict) {
  model_ = verdict;
  located_.emplace();
  Node& root = located_->tree;
  root.kind = "model";
  root.what = fmt::format("{}, {}", name, CountText(ComputationsOf(program.body()).size(), "op"));
  root.verdict = verdict;
  if (const auto done = Measure(program, std::string(kWholeModel), name, root); !done) return Unexpected(done.error());
  if (const Expected<void> done = Descend(std::move(program), root, name); !done) return Unexpected(done.error());
  return std::move(*located_);
}

Expected<void> Search::Measure(const Program& program, const std::string& op, const std::string& where, Node& node) {
  if (model_.stage != kCompareStage || node.ways) return {};
  Expected<ThreeWays> ways = measure_(program, op, where);
  if (!ways) return Unexpected(ways.error());
  node.ways = std::move(*ways);
  return {};
}

void Search::End(Program program, std::string op, Cause cause, std::string why, Node& node) {
  located_->program = std::move(program);
  located_->op = std::move(op);
  located_->cause = cause;
  node.why = std::move(why);
}

Expected<Search::Tried> Search::Try(const Program& of, const Ops& ops, const KnownValues& values,
                                    const std::string& where) {
  Tried tried;
  const std::vector<mlir::Value> used = ResultsOf(ops, Asked::kUsed);
  for (const Asked asked : {Asked::kUsed, Asked::kLast}) {
    const std::vector<mlir::Value> results = ResultsOf(ops, asked);
    if (asked == Asked::kLast && results.size() == used.size()) break;
    Expected<Program> part = Cut(of, ops, values, results);
    if (!part) {
      tried.verdict = {Status::kSkipped, "", part.error().message};
      break;
    }
    Expected<Verdict> verdict = judge_(*part, CaseOpOf(ops), where);
    if (!verdict) return Unexpected(verdict.error());
    if (asked == Asked::kLast && !Fails(*verdict)) break;
    if (asked == Asked::kLast) {
      std::vector<std::string> hidden;
      for (const mlir::Value value : used) {
        if (!llvm::is_contained(results, value)) hidden.push_back(NameAndPlace(value.getDefiningOp()));
      }
      tried.hidden = SomeOf(hidden, 3);
    }
    tried.verdict = std::move(*verdict);
    tried.program = std::move(*part);
    if (Fails(tried.verdict)) break;
  }
  return tried;
}

// Leaves out runs of ops, long ones first, as long as the rest fails.
Expected<Ops> Search::Shorten(const Program& of, Ops ops, const KnownValues& values, const std::string& where) {
  for (size_t chunk = ops.size() / 2; chunk >= 1;) {
    bool changed = false;
    for (size_t end = ops.size(); end > 0;) {
      const size_t begin = end - std::min(chunk, end);
      Ops rest(ops.begin(), ops.begin() + static_cast<ptrdiff_t>(begin));
      rest.insert(rest.end(), ops.begin() + static_cast<ptrdiff_t>(end), ops.end());
      end = begin;
      if (rest.empty()) continue;
      const Expected<Tried> tried = Try(of, rest, values, where);
      if (!tried) return Unexpected(tried.error());
      if (!Fails(tried->verdict)) continue;
      ops = std::move(rest);
      changed = true;
    }
    chunk = std::min(chunk, ops.size());
    if (!changed) chunk /= 2;
  }
  return ops;
}

Expected<void> Search::Descend(Program program, Node& top, const std::string& where) {
  const Expected<KnownValues> values = ValuesOf(program);
  Ops ops = ComputationsOf(program.body());
  if (!values) {
    End(std::move(program), CaseOpOf(ops), Cause::kNotDivided,
        "the reference cannot evaluate it, so there are no values to put in at a cut: " + values.error().message, top);
    return {};
  }
  Node* node = &top;
  std::string path = where;
  Tried last{top.verdict, std::nullopt, ""};
  // Tries the parts in turn and goes into the first that fails.
  const auto enter = [&](const std::vector<Division>& parts) -> Expected<bool> {
    for (const Division& part : parts) {
      Expected<Tried> tried = Try(program, part.ops, *values, fmt::format("{} > {}", path, Describe(part.ops)));
      if (!tried) return Unexpected(tried.error());
      Node& child = node->parts.emplace_back(NodeOf(part, tried->verdict));
      if (!Fails(tried->verdict)) continue;
      if (!tried->hidden.empty()) {
        child.notes.push_back(fmt::format("it passes if the result of {} is asked for as well", tried->hidden));
      }
      node = &child;
      path += " > " + Describe(part.ops);
      ops = part.ops;
      last = std::move(*tried);
      return true;
    }
    return false;
  };
  const auto each_alone = [&] {
    std::vector<Division> parts;
    for (mlir::Operation* op : ops) parts.push_back({"", {op}});
    return parts;
  };
  while (ops.size() > 1) {
    Expected<bool> entered = enter(Divide(ops));
    if (!entered) return Unexpected(entered.error());
    if (*entered) continue;
    const bool were_alone = ops.size() == 2;
    Expected<Ops> shorter = Shorten(program, ops, *values, path + " > shortened");
    if (!shorter) return Unexpected(shorter.error());
    if (shorter->size() < ops.size()) {
      entered = enter({{"", std::move(*shorter)}});
      if (!entered) return Unexpected(entered.error());
    }
    if (ops.size() == 1) break;
    if (!were_alone) {
      entered = enter(each_alone());
      if (!entered) return Unexpected(entered.error());
      if (*entered) continue;
    }
    if (!last.program) {
      Expected<Tried> tried = Try(program, ops, *values, path);
      if (!tried) return Unexpected(tried.error());
      last = std::move(*tried);
    }
    if (const auto done = AskForIntermediates(program, ops, *values, *node, path); !done) return done;
    Program together = last.program ? std::move(*last.program) : program.Clone();
    if (const auto done = Measure(together, CaseOpOf(ops), path, *node); !done) return done;
    const auto unjudged = llvm::count_if(
        node->parts, [](const Node& part) { return part.kind == "op" && IsUnjudged(part.verdict.status); });
    const bool measured = node->ways && node->ways->measured();
    // Beyond the propagated bound something is wrong, however far the promised precision is off.
    const bool accumulated = last.verdict.weak && (!measured || node->ways->IsAccumulated());
    std::string why =
        "no op of it fails alone, and together they are beyond the bound that errors of right ops add up "
        "to: the target combines them wrongly";
    if (accumulated) {
      why =
          "no op of it fails alone: each is within its bound, and only the whole is beyond the statistical criterion "
          "of models; errors accumulate";
      if (measured) why += ", in the promised precision as on the device";
    } else if (last.verdict.weak) {
      why =
          "no op of it fails alone, and together they are off by much more than the promised precision: the target "
          "combines them wrongly";
    }
    if (model_.stage != kCompareStage) why = "no op of it fails alone, only together do they";
    if (unjudged > 0) why += fmt::format("; {} could not be judged alone", CountText(unjudged, "op"));
    End(std::move(together), CaseOpOf(ops), accumulated ? Cause::kAccumulated : Cause::kTogether, std::move(why),
        *node);
    return {};
  }
  if (last.program) return DescendIntoOp(std::move(*last.program), *node, path);
  // The program itself has only this op.
  const Expected<bool> entered = enter(each_alone());
  if (!entered) return Unexpected(entered.error());
  if (*entered) return DescendIntoOp(std::move(*last.program), *node, path);
  End(std::move(program), CaseOpOf(ops), last.verdict.weak ? Cause::kAccumulated : Cause::kNotDivided,
      "it has only this op, which does not fail when it is judged as one", *node);
  return {};
}

Expected<void> Search::DescendIntoOp(Program program, Node& node, const std::string& where) {
  const Ops whole = ComputationsOf(program.body());
  const auto end = [&](Cause cause, std::string why) -> Expected<void> {
    End(std::move(program), CaseOpOf(whole), cause, std::move(why), node);
    return {};
  };
  const std::string wrong = "it fails alone";
  if (whole.front()->getNumRegions() == 0) return end(Cause::kOp, wrong);
  const Expected<KnownValues> values = ValuesOf(program);
  const Expected<Opened> opened =
      values ? Open(program, whole.front(), *values) : Expected<Opened>(Unexpected(values.error()));
  if (!opened) return end(Cause::kNotDivided, wrong + "; it was not opened: " + opened.error().message);
  if (opened->block == nullptr || opened->trips.empty()) return end(Cause::kOp, wrong);
  const Ops ops = ComputationsOf(*opened->block);
  const std::vector<mlir::Value> results = ReturnedBy(*opened->block);
  if (results.empty()) return end(Cause::kOp, wrong);
  const bool loops = !opened->carried.empty();
  const size_t count = opened->trips.size();
  for (size_t trip = 0; trip < count; ++trip) {
    const std::string name = loops ? fmt::format("{} of {}", trip + 1, count) : "the one that is taken";
    const std::string kind = loops ? "trip" : "branch";
    const std::string place = fmt::format("{} {}", kind, name);
    Expected<Program> body = Cut(program, ops, opened->trips[trip], results);
    if (!body) return end(Cause::kNotDivided, wrong + "; its body is no program: " + body.error().message);
    if (!OpenCalls(*body)) return end(Cause::kNotDivided, wrong + "; its body is not valid without its calls");
    const Ops inner = ComputationsOf(body->body());
    Expected<Verdict> verdict = judge_(*body, CaseOpOf(inner), fmt::format("{} > {}", where, place));
    if (!verdict) return Unexpected(verdict.error());
    if (!Fails(*verdict)) continue;
    if (trip > 0) {
      node.parts.push_back({.kind = "trips",
                            .what = trip == 1 ? "1" : fmt::format("1 to {}", trip),
                            .verdict = {.status = Status::kPass}});
    }
    node.parts.push_back({.kind = kind, .what = name + ": " + Describe(inner), .verdict = *verdict});
    return Descend(std::move(*body), node.parts.back(), fmt::format("{} > {}", where, place));
  }
  if (!loops) return end(Cause::kOp, "it fails alone, and the branch that is taken does not: the choice is wrong");
  return TryShorterLoops(program, *opened, node, where);
}

Expected<void> Search::TryShorterLoops(const Program& loop, const Opened& opened, Node& node,
                                       const std::string& where) {
  const size_t count = opened.carried.size();
  const std::string op = CaseOpOf(ComputationsOf(loop.body()));
  node.parts.push_back(
      {.kind = "trips", .what = fmt::format("each of {} alone", count), .verdict = {.status = Status::kPass}});
  for (size_t trips = 1; trips < count; trips += std::max<size_t>(1, trips / 2)) {
    Expected<Program> shorter = LoopFrom(loop, opened.carried[count - trips]);
    if (!shorter) break;
    const std::string name = fmt::format("from its last {} on", trips == 1 ? "trip" : CountText(trips, "trip"));
    Expected<Verdict> verdict = judge_(*shorter, op, fmt::format("{} > loop {}", where, name));
    if (!verdict) return Unexpected(verdict.error());
    node.parts.push_back({.kind = "loop", .what = name, .verdict = *verdict});
    if (!Fails(*verdict)) continue;
    End(std::move(*shorter), op, Cause::kLoop,
        fmt::format("no trip of its body fails alone: the loop itself fails, with {} already",
                    CountText(trips, "trip")),
        node.parts.back());
    return {};
  }
  End(loop.Clone(), op, Cause::kLoop,
      "no trip of its body fails alone, and no shorter loop does: the loop itself fails", node);
  return {};
}

// Says which intermediate values must not be asked for, as a user who looks for the fault would.
Expected<void> Search::AskForIntermediates(const Program& of, const Ops& ops, const KnownValues& values, Node& node,
                                           const std::string& where) {
  const std::vector<mlir::Value> results = ResultsOf(ops, Asked::kLast);
  for (mlir::Operation* op : ops) {
    for (mlir::Value value : op->getResults()) {
      if (llvm::is_contained(results, value) || value.use_empty()) continue;
      std::vector<mlir::Value> more = results;
      more.push_back(value);
      const Expected<Program> part = Cut(of, ops, values, more);
      if (!part) continue;
      const Expected<Verdict> verdict =
          judge_(*part, CaseOpOf(ops), fmt::format("{} > with the result of {}", where, NameAndPlace(op)));
      if (!verdict) return Unexpected(verdict.error());
      if (Fails(*verdict) || IsUnjudged(verdict->status)) continue;
      node.notes.push_back(fmt::format(
          "the fault disappears if the result of {} is asked for as well: the target then computes it by itself",
          NameAndPlace(op)));
    }
  }
  return {};
}

}  // namespace opbyop::locate
