// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/describe_case.h"

#include "generator/program/cost.h"
#include "generator/program/process_grid.h"
#include "generator/program/signature.h"
#include "ir/op_info.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::generator {

Case DescribeCase(mlir::Operation* op, const CaseInputs& inputs, const Digest& digest, const Grid& grid) {
  Case c;
  c.op = op->getName().getStringRef().str();
  c.target = TargetOf(op);
  c.kind = KindOf(op->getName().getStringRef());
  c.hash = digest.Hex();
  for (const CaseInputs::Input& input : inputs.inputs) {
    if (!input.folded) c.inputs.Edit().push_back(ToTensorType(input.value.getType()));
  }
  c.outputs = ToTensorTypes(op->getResultTypes());
  c.attributes = AttributeTexts(op);
  c.flops = EstimateFlops(op);
  c.bytes = BytesMoved(c.inputs, c.outputs);
  c.grid = grid;
  if (grid == Grid()) c.processes = ProcessesNamedBy(op);
  c.unknown = !op->isRegistered();
  // The id of a process is known only when it runs.
  const bool is_id = (mlir::isa<stablehlo::PartitionIdOp>(op) && grid.partitions > 1) ||
                     (mlir::isa<stablehlo::ReplicaIdOp>(op) && grid.replicas > 1);
  c.no_runtime_input = c.inputs.empty() && !is_id;
  return c;
}

}  // namespace opbyop::generator
