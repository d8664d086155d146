// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Says how the operands and results of each op of a sharded program are divided over its devices.
//
//   OpShardings shardings(module);
//   std::shared_ptr<const CaseSharding> of = shardings.Of(dot, FindInputs(dot, folder));
//   Digest digest = WithSharding(plain, *of);
#ifndef OPBYOP_GENERATOR_SHARD_OP_SHARDING_H_
#define OPBYOP_GENERATOR_SHARD_OP_SHARDING_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "generator/program/canonical_hash.h"
#include "generator/program/constants.h"
#include "generator/program/process_grid.h"
#include "generator/shard/propagation.h"
#include "manifests/cases/case_sharding.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace opbyop::generator {

class OpShardings {
 public:
  // A program of several replicas has none: its partitions would be divided.
  explicit OpShardings(mlir::ModuleOp module);

  // Null if every device has all of the op's tensors; for an op that devices cannot run as one of a single program on
  // whole tensors (a collective, a manual computation over some of the axes); and for an op whose divisions do not belong
  // to one number of devices.
  std::shared_ptr<const CaseSharding> Of(mlir::Operation* op, const CaseInputs& inputs);

  // The same of the whole program, whose @main this is.
  std::shared_ptr<const CaseSharding> Of(mlir::FunctionOpInterface main);

  // The shardings that the program states and no case has, so that devices have whole tensors or dimensions: values and
  // reasons.
  std::vector<std::string> NotDivided() const;

 private:
  // How many devices a program is divided among; 1: it is not.
  int64_t devices() const;

  // The divisions of these values. Null if all are whole, or if one has no text.
  std::shared_ptr<const CaseSharding> Of(llvm::ArrayRef<mlir::Value> inputs, mlir::ValueRange outputs);

  // Adds the division of a value. False if it has no text.
  bool Add(mlir::Value value, std::vector<Division>& divisions, CaseSharding& sharding);

  ProcessGrid grid_;
  Shardings shardings_;
  std::set<std::string> without_text_;  // values whose divisions do not belong to one number of devices
};

// The digest of an op that is a case with this sharding; `plain` is that of the op alone.
Digest WithSharding(const Digest& plain, const CaseSharding& sharding);

// A text that describes a program with this sharding; `plain` describes the program alone.
std::string WithSharding(std::string_view plain, const CaseSharding& sharding);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SHARD_OP_SHARDING_H_
