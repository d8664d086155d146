// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which values are folded into a case and which become its arguments.
//
//   ConstantFolder folder(kDefaultFoldLimit);
//   CaseInputs inputs = FindInputs(op, folder);
//
// Constants are folded, and so are chains of reshape, broadcast_in_dim, convert and iota that depend only on constants:
// compilers match on them, and ops with different constants are different. A constant of more than `limit` bytes
// becomes an argument instead, so that weights are not copied for each op; a single repeated value (a splat) counts as
// a scalar. A constant without contents (elided, external resource) also becomes an argument.
#ifndef OPBYOP_GENERATOR_PROGRAM_CONSTANTS_H_
#define OPBYOP_GENERATOR_PROGRAM_CONSTANTS_H_

#include <cstdint>

#include "generator/program/op_group.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace opbyop::generator {

// Large enough for reduction inits, biases, masks and index tables (the 49x49 positions of a Swin window); weight
// matrices of real models are larger.
inline constexpr int64_t kDefaultFoldLimit = 64 << 10;

// Whether the op only holds a value: stablehlo.constant, arith.constant, tosa.const, ...
bool IsConstant(mlir::Operation* op);

// Whether the op is folded together with the constants that it is computed from.
bool IsChainOp(mlir::Operation* op);

// Whether the op is a constant whose elements are not in the file.
bool IsElided(mlir::Operation* op);

// The elements that a constant op holds, or null for a constant of another form.
mlir::ElementsAttr ConstantElements(mlir::Operation* op);

class ConstantFolder {
 public:
  explicit ConstantFolder(int64_t limit, bool vary_constants = false)
      : limit_(limit), vary_constants_(vary_constants) {}

  // If true, an op whose operands are all constants gets arguments instead.
  bool vary_constants() const { return vary_constants_; }

  bool CanFold(mlir::Value value);

  // Appends the ops that compute a foldable `value`, operands before users.
  void AppendChain(mlir::Value value, llvm::SetVector<mlir::Operation*>& chain) const;

 private:
  struct Size {
    int64_t bytes;  // < 0: cannot be folded
    int depth;
  };

  Size SizeOf(mlir::Operation* op);

  int64_t limit_;
  bool vary_constants_;
  llvm::DenseMap<mlir::Operation*, Size> sizes_;
};

// The distinct values from outside of the group that its ops use, op by op: operands in order, then values that the op's
// regions capture at any depth, in order of first use.
struct CaseInputs {
  struct Input {
    mlir::Value value;
    bool folded = false;
    int32_t argument = -1;  // position among the arguments of @main; -1: folded
  };

  llvm::SmallVector<Input, 4> inputs;
  llvm::SmallDenseMap<mlir::Value, int32_t, 8> index;  // into `inputs`
  int32_t arguments = 0;

  const Input* Find(mlir::Value value) const {
    auto it = index.find(value);
    return it == index.end() ? nullptr : &inputs[it->second];
  }
};

CaseInputs FindInputs(const OpGroup& group, ConstantFolder& folder);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_CONSTANTS_H_
