// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/describe_case.h"

#include <algorithm>
#include <utility>

#include "generator/program/cost.h"
#include "generator/program/process_grid.h"
#include "generator/program/signature.h"
#include "ir/op_info.h"
#include "ir/stablehlo/stablehlo.h"
#include "support/saturated.h"

namespace opbyop::generator {

namespace {

void AddTypes(const CaseInputs& inputs, mlir::TypeRange results, Case& c) {
  for (const CaseInputs::Input& input : inputs.inputs) {
    if (!input.folded) c.inputs.Edit().push_back(ToTensorType(input.value.getType()));
  }
  c.outputs = ToTensorTypes(results);
  c.bytes = BytesMoved(c.inputs, c.outputs);
  c.no_runtime_input = c.inputs.empty();
}

// "multiply.add.chlo.erf"
std::string NamesOf(llvm::ArrayRef<mlir::Operation*> ops) {
  constexpr llvm::StringLiteral kHome = "stablehlo.";
  std::string names;
  for (mlir::Operation* op : ops) {
    llvm::StringRef name = op->getName().getStringRef();
    name.consume_front(kHome);
    names += (names.empty() ? "" : ".") + name.str();
  }
  return names;
}

}  // namespace

Case DescribeCase(mlir::Operation* op, const CaseInputs& inputs, const Digest& digest, const Grid& grid,
                  std::shared_ptr<const CaseSharding> sharding) {
  Case c;
  c.op = op->getName().getStringRef().str();
  c.target = TargetOf(op);
  c.kind = KindOf(op->getName().getStringRef());
  c.hash = digest.Hex();
  AddTypes(inputs, op->getResultTypes(), c);
  c.attributes = AttributeTexts(op);
  c.flops = EstimateFlops(op);
  c.grid = grid;
  // The devices that a manual computation names are those of its sharding.
  if (grid == Grid() && sharding == nullptr) c.processes = ProcessesNamedBy(op);
  c.sharding = std::move(sharding);
  c.unknown = !op->isRegistered();
  // The id of a process is known only when it runs.
  const bool is_id = (mlir::isa<stablehlo::PartitionIdOp>(op) && grid.partitions > 1) ||
                     (mlir::isa<stablehlo::ReplicaIdOp>(op) && grid.replicas > 1);
  c.no_runtime_input = c.inputs.empty() && !is_id;
  return c;
}

Case DescribeCase(std::string_view word, const OpGroup& group, const CaseInputs& inputs, const Digest& digest,
                  const Grid& grid) {
  Case c;
  c.op = word;
  // Only a window is short enough to be named by its ops. Names from locations are in the origins: one layer may have
  // other names in another model.
  if (word == kWindow) c.target = NamesOf(group.ops());
  c.hash = digest.Hex();
  c.grid = grid;
  AddTypes(inputs, mlir::ValueRange(group.results()).getTypes(), c);
  for (mlir::Operation* op : group.ops()) {
    c.flops = AddCapped(c.flops, EstimateFlops(op));
    if (grid == Grid()) c.processes = std::max(c.processes, ProcessesNamedBy(op));
    c.unknown |= !op->isRegistered();
  }
  return c;
}

}  // namespace opbyop::generator
