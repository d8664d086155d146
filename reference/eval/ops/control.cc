// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// while, if, case, map, tuples, tokens, barriers.
#include <algorithm>
#include <cmath>
#include <string>

#include "reference/eval/answer_range.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {
namespace {

// Runs a loop as the reference does, and also covers every right device: if errors leave the condition undecided, a
// device may leave the loop at that point or continue.
class Loop {
 public:
  explicit Loop(OpContext& context) : context_(context) {}

  Expected<Values> Run() {
    Values state = std::move(context_.operands);
    int64_t trips = 0;
    while (true) {
      const Expected<Tensor> go = Condition(state);
      if (!go) return Unexpected(go.error());
      const bool undecided = context_.bounds() && IsUndecided(*go);
      if (go->IntegerAt(0) == 0)
        return undecided ? RunFurtherTrips(std::move(state), trips) : EndLoop(std::move(state), trips);
      if (undecided) MayEndLoop(state, trips);
      if (const Expected<void> done = Trip(state, trips); !done) return Unexpected(done.error());
    }
  }

 private:
  // If the condition stays undecided for more trips than this, the results are open.
  static constexpr int64_t kMostTrips = 1000;

  Expected<Tensor> Condition(const Values& state) {
    Expected<Values> go = context_.evaluator.Run(context_.op->getRegion(0), state, context_.scope);
    if (!go) return Unexpected(go.error());
    return (*go)[0].tensor();
  }

  Expected<void> Trip(Values& state, int64_t& trips) {
    Expected<Values> next = context_.evaluator.Run(context_.op->getRegion(1), std::move(state), context_.scope);
    if (!next) return Unexpected(next.error());
    state = std::move(*next);
    ++trips;
    return {};
  }

  void MayEndLoop(const Values& state, int64_t trips) {
    answers_.Add(state);
    least_ = least_ < 0 ? trips : least_;
  }

  Values EndLoop(Values state, int64_t trips) {
    if (least_ < 0) return state;
    MayEndLoop(state, trips);
    return answers_.Around(std::move(state), std::to_string(least_) + " to " + std::to_string(trips) + " trips");
  }

  // The reference leaves the loop here. Runs the further trips after which a device may leave it.
  Expected<Values> RunFurtherTrips(Values exit, int64_t trips) {
    MayEndLoop(exit, trips);
    Values state = exit;
    for (int64_t extra = 0; extra < kMostTrips; ++extra) {
      if (const Expected<void> done = Trip(state, trips); !done) return Unexpected(done.error());
      const Expected<Tensor> go = Condition(state);
      if (!go) return Unexpected(go.error());
      if (IsUndecided(*go)) {
        MayEndLoop(state, trips);
      } else if (go->IntegerAt(0) == 0) {
        MayEndLoop(state, trips);
        return answers_.Around(std::move(exit), std::to_string(least_) + " to " + std::to_string(trips) + " trips");
      }
    }
    return AnswerRange::Open(std::move(exit), std::to_string(least_) + " trips or any number more");
  }

  OpContext& context_;
  AnswerRange answers_;
  int64_t least_ = -1;  // fewest trips after which a device may leave; -1: the condition has always been decided
};

Expected<Values> While(OpContext& context) { return Loop(context).Run(); }

// Evaluates the branch `taken`. If the index may be any of `first` to `last`, the bounds include the results of all
// these branches.
Expected<Values> Branch(OpContext& context, int64_t taken, int64_t first, int64_t last) {
  const auto run = [&](int64_t branch) {
    return context.evaluator.Run(context.op->getRegion(static_cast<unsigned>(branch)), {}, context.scope);
  };
  Expected<Values> results = run(taken);
  if (!results || first == last) return results;
  AnswerRange answers;
  answers.Add(*results);
  for (int64_t branch = first; branch <= last; ++branch) {
    if (branch == taken) continue;
    const Expected<Values> other = run(branch);
    if (!other) return other;
    answers.Add(*other);
  }
  return answers.Around(std::move(*results), "of " + std::to_string(last - first + 1) + " branches");
}

Expected<Values> If(OpContext& context) {
  const Tensor& predicate = context.in(0);
  const int64_t taken = predicate.IntegerAt(0) != 0 ? 0 : 1;
  const bool undecided = context.bounds() && IsUndecided(predicate);
  return undecided ? Branch(context, taken, 0, 1) : Branch(context, taken, taken, taken);
}

// An index out of range takes the last branch.
Expected<Values> Case(OpContext& context) {
  const int64_t branches = context.op->getNumRegions();
  const Tensor& at = context.in(0);
  const int64_t index = at.IntegerAt(0);
  const int64_t taken = index < 0 || index >= branches ? branches - 1 : index;
  if (!context.bounds() || !IsUndecided(at)) return Branch(context, taken, taken, taken);
  const double error = at.bounds()[0];
  const double least = static_cast<double>(index) - error;
  const double most = static_cast<double>(index) + error;
  const bool outside = least < 0 || most >= static_cast<double>(branches);
  const int64_t first = least <= 0 ? 0 : std::min(static_cast<int64_t>(std::ceil(least)), branches - 1);
  const int64_t last = outside ? branches - 1 : static_cast<int64_t>(std::floor(most));
  return Branch(context, taken, first, last);
}

Expected<Values> Map(OpContext& context) {
  std::vector<Tensor> arguments;
  for (const Value& v : context.operands) arguments.push_back(v.tensor().Reshaped({v.tensor().size()}));
  const Shape shape = context.in(0).shape();
  if (SizeOf(shape) == 0) {
    const Expected<ElementType> type = context.ResultType();
    if (!type) return Unexpected(type.error());
    return Values{Tensor::Make(*type, shape)};
  }
  Expected<std::vector<Tensor>> results =
      context.evaluator.RunBatch(context.op->getRegion(0), arguments, SizeOf(shape), context.scope);
  if (!results) return Unexpected(results.error());
  return Values{(*results)[0].Reshaped(shape)};
}

Expected<Values> Identity(OpContext& context) { return std::move(context.operands); }
Expected<Values> MakeToken(OpContext&) { return Values{Token{}}; }
Expected<Values> MakeTuple(OpContext& context) { return Values{Value(TupleValue(std::move(context.operands)))}; }

Expected<Values> GetTupleElement(OpContext& context) {
  const auto& tuple = std::get<TupleValue>(context.operands[0].v);
  const auto index = static_cast<size_t>(context.Int("index"));
  if (index >= tuple.size()) return context.Fail(ExitCode::kBadInput, "the index exceeds the tuple");
  return Values{tuple[index]};
}

}  // namespace

void AddControlFlow(EvalTableType& table) {
  table["stablehlo.while"] = &While;
  table["stablehlo.if"] = &If;
  table["stablehlo.case"] = &Case;
  table["stablehlo.map"] = &Map;
  table["stablehlo.optimization_barrier"] = &Identity;
  table["stablehlo.after_all"] = &MakeToken;
  table["stablehlo.create_token"] = &MakeToken;
  table["stablehlo.tuple"] = &MakeTuple;
  table["stablehlo.get_tuple_element"] = &GetTupleElement;
}

}  // namespace opbyop::reference
