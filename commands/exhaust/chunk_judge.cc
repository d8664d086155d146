// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/chunk_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ir/read_module.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/bounds/compare.h"
#include "reference/eval/alternatives.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/elementwise_inputs.h"
#include "support/dtype.h"

namespace opbyop::exhaustive {
namespace {

using reference::ElementType;
using reference::Info;
using reference::InputData;
using reference::NameOf;
using reference::Tensor;
using reference::Values;

// Values, results and bounds of this many elements fit in the cache of a core.
constexpr int64_t kBlock = int64_t{1} << 14;

int64_t BytesOf(ElementType type) { return *DtypeBytes(NameOf(type)); }

// The bit pattern of element `i`.
uint64_t CodeAt(const InputData& input, int64_t i) {
  const auto bytes = static_cast<size_t>(BytesOf(input.type));
  uint64_t code = 0;
  std::memcpy(&code, input.bytes.data() + static_cast<size_t>(i) * bytes, bytes);
  return code;
}

// Element `i` of stored elements, as text.
std::string TextAt(ElementType type, std::span<const std::byte> bytes, int64_t i) {
  const auto stored = static_cast<size_t>(BytesOf(type));
  const Expected<Tensor> one =
      reference::TensorFromBytes(type, {}, bytes.subspan(static_cast<size_t>(i) * stored, stored));
  return one ? ElementText(*one, 0) : "?";
}

}  // namespace

Expected<std::unique_ptr<ChunkJudge>> ChunkJudge::Make(const Function& function) {
  std::unique_ptr<ChunkJudge> judge(new ChunkJudge(function));
  // The evaluator takes the number of elements from its arguments.
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      ReadModuleFromBytes(ProgramOf(function, kBlock), function.Name(), judge->context_);
  if (!module) return Unexpected(module.error());
  judge->module_ = std::move(*module);
  const Expected<mlir::Operation*> entry = reference::EntryOf(*judge->module_);
  if (!entry) return Unexpected(entry.error());
  judge->entry_ = *entry;
  judge->role_ = reference::RoleOfArgument(judge->entry_->getRegion(0).getArgument(0));
  judge->result_ = *reference::ParseElementType(function.result);
  return judge;
}

Chunk ChunkJudge::Draw(uint64_t first, int64_t count) const {
  Chunk chunk{first, {function_.type, {count}, {}}, 0};
  chunk.input.bytes.resize(static_cast<size_t>(count * BytesOf(function_.type)));
  chunk.open = reference::CountUp(function_.op, first, {&role_, &chunk.input});
  return chunk;
}

Expected<Tensor> ChunkJudge::Evaluate(const Tensor& argument, const reference::EvalOptions& options) const {
  reference::Evaluator evaluator(*module_, options);
  Values arguments;
  arguments.emplace_back(argument);
  Expected<Values> results = evaluator.CallFunction(entry_, std::move(arguments));
  if (!results) return Unexpected(results.error());
  return (*results)[0].tensor();
}

Expected<Tally> ChunkJudge::Judge(const Chunk& chunk, std::span<const std::byte> output,
                                  const Arithmetic& declared) const {
  const int64_t count = chunk.input.shape.front();
  const int64_t stored = BytesOf(result_);
  if (static_cast<int64_t>(output.size()) != count * stored) {
    return MakeError(ExitCode::kBadInput, fmt::format("the device gave {} bytes, expected {} elements of {}",
                                                      output.size(), count, function_.result));
  }
  Tally tally;
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t some = std::min(kBlock, count - at);
    const Expected<Tally> part =
        JudgeBlock(chunk, at, some,
                   output.subspan(static_cast<size_t>(at * stored), static_cast<size_t>(some * stored)), declared);
    if (!part) return part;
    tally.Add(*part);
  }
  tally.open = chunk.open;
  tally.values = count - chunk.open;
  return tally;
}

Expected<Tally> ChunkJudge::JudgeBlock(const Chunk& chunk, int64_t at, int64_t count, std::span<const std::byte> output,
                                       const Arithmetic& declared) const {
  const int64_t stored = BytesOf(function_.type);
  const std::span<const std::byte> input =
      std::span(chunk.input.bytes).subspan(static_cast<size_t>(at * stored), static_cast<size_t>(count * stored));
  const Expected<Tensor> argument = reference::TensorFromBytes(function_.type, {count}, input);
  if (!argument) return Unexpected(argument.error());
  const reference::EvalOptions plain{.bounds = true};
  const Expected<Tensor> expected = Evaluate(*argument, plain);
  if (!expected) return Unexpected(expected.error());
  Tally tally;
  tally.rule = expected->bound() ? expected->bound()->rule : "bit-exact";
  if (const auto errors = ErrorsIfAccepted(*expected, output)) {
    tally.max_abs = errors->abs;
    tally.max_rel = errors->rel;
    tally.max_ulp = errors->ulp;
    tally.bound_ratio = errors->bound_ratio;
    tally.unbounded = errors->unbounded;
    return tally;
  }

  Tensor right = *expected;
  for (const reference::Alternative& way : reference::AlternativesOf(declared, plain)) {
    if (RefusedElements(right, output).empty()) break;
    const Expected<Tensor> other = Evaluate(*argument, way.options);
    if (!other) return Unexpected(other.error());
    int64_t taken = 0;
    right = TakeWhereRefused(right, *other, output, taken);
  }
  const Expected<Comparison> comparison = CompareOutput(0, right, output);
  if (!comparison) return Unexpected(comparison.error());
  tally.max_abs = comparison->max_abs;
  tally.max_rel = comparison->max_rel;
  tally.max_ulp = comparison->max_ulp;
  tally.bound_ratio = comparison->bound_ratio;
  tally.unbounded = comparison->unbounded;
  tally.nan_mismatches = comparison->nan_mismatches;
  tally.inf_mismatches = comparison->inf_mismatches;

  // A pattern that replaces another one is judged at its own position, or was judged before.
  const auto is_own = [&](int64_t i) {
    return CodeAt(chunk.input, at + i) == chunk.first + static_cast<uint64_t>(at + i);
  };
  const auto point = [&](int64_t i, double ratio) {
    return Point{CodeAt(chunk.input, at + i), TextAt(function_.type, input, i), TextAt(result_, output, i),
                 ElementText(right, i), ratio};
  };
  for (const int64_t i : RefusedElements(right, output)) {
    if (!is_own(i)) continue;
    ++tally.mismatches;
    if (!tally.first) tally.first = point(i, comparison->bound_ratio);
  }
  for (const Comparison::Element& element : comparison->worst) {
    const int64_t i = element.index.front();
    if (element.bound_ratio > 1 && is_own(i)) tally.worst.push_back(point(i, element.bound_ratio));
  }
  // The comparison was refused as a whole: bytes that are no booleans.
  if (!comparison->accepted && comparison->mismatches > 0 && RefusedElements(right, output).empty()) {
    tally.mismatches += comparison->mismatches;
    tally.rule = comparison->rule;
  }
  return tally;
}

}  // namespace opbyop::exhaustive
