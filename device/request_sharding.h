// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads how a request says that the tensors of its case are divided among the devices.
//
//   Expected<std::shared_ptr<const CaseSharding>> sharding = ShardingOf(request);   // null: they are not
#ifndef OPBYOP_DEVICE_REQUEST_SHARDING_H_
#define OPBYOP_DEVICE_REQUEST_SHARDING_H_

#include <memory>

#include "manifests/cases/case_sharding.h"
#include "protocol/request.h"
#include "support/expected.h"

namespace opbyop::device {

// Returns kBadInput if the texts do not fit the types.
Expected<std::shared_ptr<const CaseSharding>> ShardingOf(const protocol::Request& request);

}  // namespace opbyop::device

#endif  // OPBYOP_DEVICE_REQUEST_SHARDING_H_
