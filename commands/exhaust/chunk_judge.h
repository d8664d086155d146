// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a run of consecutive bit patterns as input of a function, and judges the results by the reference.
//
//   Expected<std::unique_ptr<ChunkJudge>> judge = ChunkJudge::Make(function);
//   const Chunk chunk = (*judge)->Draw(first, count);
//   Expected<Tally> tally = (*judge)->Judge(chunk, output_bytes, target.arithmetic);
//
// The rules are those of a nightly (reference/bounds), at a cost of a few nanoseconds a value. A judge may be used by
// one thread only.
#ifndef OPBYOP_COMMANDS_EXHAUST_CHUNK_JUDGE_H_
#define OPBYOP_COMMANDS_EXHAUST_CHUNK_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "commands/exhaust/functions.h"
#include "commands/exhaust/tally.h"
#include "manifests/targets/arithmetic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/input_role.h"
#include "reference/inputs/inputs.h"

namespace opbyop::exhaustive {

struct Chunk {
  uint64_t first = 0;  // bit pattern
  reference::InputData input;
  int64_t open = 0;  // number of patterns in whose place the input has another pattern
};

class ChunkJudge {
 public:
  static Expected<std::unique_ptr<ChunkJudge>> Make(const Function& function);

  Chunk Draw(uint64_t first, int64_t count) const;

  // `output` is in stored form. Returns kBadInput if its length is wrong, and the evaluation's errors unchanged.
  Expected<Tally> Judge(const Chunk& chunk, std::span<const std::byte> output, const Arithmetic& declared) const;

 private:
  explicit ChunkJudge(Function function) : function_(std::move(function)) {}
  Expected<Tally> JudgeBlock(const Chunk& chunk, int64_t at, int64_t count, std::span<const std::byte> output,
                             const Arithmetic& declared) const;
  Expected<reference::Tensor> Evaluate(const reference::Tensor& argument, const reference::EvalOptions& options) const;

  Function function_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::Operation* entry_ = nullptr;
  reference::InputRole role_;
  reference::ElementType result_ = reference::ElementType::kF32;
};

}  // namespace opbyop::exhaustive

#endif  // OPBYOP_COMMANDS_EXHAUST_CHUNK_JUDGE_H_
