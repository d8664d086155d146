// while, if, case, map, tuples, tokens, barriers.
#include "reference/evaluator.h"

namespace opbyop {
namespace {

Expected<Values> While(OpContext& context) {
  Values state = std::move(context.operands);
  mlir::Region& condition = context.op->getRegion(0);
  mlir::Region& body = context.op->getRegion(1);
  while (true) {
    Expected<Values> go = context.evaluator.Run(condition, state, context.scope);
    if (!go) return go;
    if ((*go)[0].tensor().IntegerAt(0) == 0) return state;
    Expected<Values> next = context.evaluator.Run(body, std::move(state), context.scope);
    if (!next) return next;
    state = std::move(*next);
  }
}

Expected<Values> If(OpContext& context) {
  const bool yes = context.in(0).IntegerAt(0) != 0;
  return context.evaluator.Run(context.op->getRegion(yes ? 0 : 1), {}, context.scope);
}

// An index out of range takes the last branch.
Expected<Values> Case(OpContext& context) {
  const int64_t branches = context.op->getNumRegions();
  const int64_t index = context.in(0).IntegerAt(0);
  const int64_t taken = index < 0 || index >= branches ? branches - 1 : index;
  return context.evaluator.Run(context.op->getRegion(static_cast<unsigned>(taken)), {}, context.scope);
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

}  // namespace opbyop
