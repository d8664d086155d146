// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/by_blocks.h"

#include <algorithm>

#include "protocol/stored_form.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/zero_signs.h"

namespace opbyop::reference {
namespace {

// Elements of a block: its operands fit the second-level cache.
constexpr int64_t kBlock = int64_t{1} << 15;

}  // namespace

Tensor BlockOf(const Tensor& t, int64_t first, int64_t count) {
  Tensor part = Tensor::Make(t.type(), {count});
  WithStorage(t.kind(), [&]<typename T>() {
    if (t.stored() != nullptr) {
      DecodeElements(t.type(), t.stored() + first * StoredBytes(t.type()), count, part.Mutable<T>().data());
    } else {
      std::copy_n(t.data<T>().data() + first, count, part.Mutable<T>().data());
    }
  });
  if (t.bounds().empty()) part.set_bound(BoundWhenMoved(t.bound()));
  return part;
}

std::optional<Expected<Values>> EvaluateByBlocks(const OpContext& context, EvalFn evaluate) {
  if (!protocol::IsExactElementwise(context.name) || context.evaluator.options().provenance) return std::nullopt;
  const Expected<Shape> shape = context.ResultShape();
  const Expected<ElementType> type = context.ResultType();
  if (!shape || !type || SizeOf(*shape) < protocol::kManyElements) return std::nullopt;
  const int64_t size = SizeOf(*shape);
  for (const Value& operand : context.operands) {
    if (!operand.is_tensor() || HasErrors(operand.tensor())) return std::nullopt;
    if (operand.tensor().size() != size && operand.tensor().size() != 1) return std::nullopt;
  }
  const int64_t bytes = StoredBytes(*type);
  const bool smaller = bytes < static_cast<int64_t>(StorageBytes(KindOf(*type)));
  Tensor values = smaller ? Tensor() : Tensor::Make(*type, *shape);
  Buffer stored(smaller ? static_cast<size_t>(size * bytes) : 0);
  OpContext part = context;
  std::shared_ptr<const Bound> rule;
  for (int64_t at = 0; at < size; at += kBlock) {
    const int64_t count = std::min(kBlock, size - at);
    for (size_t i = 0; i < context.size(); ++i) {
      const Tensor& whole = context.in(i);
      part.operands[i] = whole.size() == 1 ? whole : BlockOf(whole, at, count);
    }
    Expected<Values> results = evaluate(part);
    if (!results) return results;
    const Tensor& result = (*results)[0].tensor();
    if (HasErrors(result) || result.size() != count) return std::nullopt;
    rule = result.bound();
    WithStorage(result.kind(), [&]<typename T>() {
      if (smaller) {
        EncodeElements(*type, result.data<T>().data(), count, stored.data() + at * bytes);
      } else {
        std::ranges::copy(result.data<T>(), values.Mutable<T>().data() + at);
      }
    });
  }
  if (smaller) values = Tensor::OfStored(*type, *shape, std::move(stored));
  values.set_bound(rule);
  return Values{std::move(values)};
}

}  // namespace opbyop::reference
