// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/request_sharding.h"

#include <utility>
#include <vector>

namespace opbyop::device {

Expected<std::shared_ptr<const CaseSharding>> ShardingOf(const protocol::Request& request) {
  if (request.shardings == protocol::Shardings()) return nullptr;
  CaseSharding sharding{.partitions = request.grid.partitions, .inputs = {}, .outputs = {}};
  Expected<std::vector<Division>> inputs = DivisionsOf(request.shardings.inputs, request.inputs, sharding.partitions);
  Expected<std::vector<Division>> outputs =
      DivisionsOf(request.shardings.outputs, request.outputs, sharding.partitions);
  if (!inputs) return Unexpected(inputs.error());
  if (!outputs) return Unexpected(outputs.error());
  sharding.inputs = std::move(*inputs);
  sharding.outputs = std::move(*outputs);
  return std::make_shared<const CaseSharding>(std::move(sharding));
}

}  // namespace opbyop::device
