// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/case.h"

#include <vector>

#include "manifests/cases/case_sharding.h"
#include "support/saturated.h"

namespace opbyop {

int64_t Case::device_bytes() const {
  if (!sharding) return total_bytes();
  int64_t sum = 0;
  const auto add = [&](const SharedList<TensorType>& types, const std::vector<Division>& divisions) {
    for (size_t i = 0; i < types.size() && i < divisions.size(); ++i) {
      sum = AddCapped(sum, MulCapped(Sharded(types[i], divisions[i]).ShardBytes(), sharding->partitions));
    }
  };
  add(inputs, sharding->inputs);
  add(outputs, sharding->outputs);
  return sum;
}

}  // namespace opbyop
