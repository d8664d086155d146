// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parses the node metadata that PyTorch/XLA writes into locations: JSON with stack_trace, nn_module_stack and torch_fn.
//
//   if (std::optional<NameStack> stack = ParseNodeMetadata(name)) ...
#ifndef OPBYOP_GENERATOR_WALK_NODE_METADATA_H_
#define OPBYOP_GENERATOR_WALK_NODE_METADATA_H_

#include <optional>
#include <string_view>

#include "generator/walk/attribution.h"

namespace opbyop::generator {

// Returns nullopt if `name` contains no such JSON. `name` may be the JSON alone, or contain it between XLA's debug-info
// marks.
std::optional<NameStack> ParseNodeMetadata(std::string_view name);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_WALK_NODE_METADATA_H_
