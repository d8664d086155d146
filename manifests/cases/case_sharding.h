// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the tensors of a sharded case are divided over devices. Its program is the op on whole tensors, and so are its
// inputs and outputs; a target compiles it for as many partitions, each of which has parts.
//
//   CaseSharding sharding{.partitions = 8, .inputs = {{{}, {{1, 4}}}}, .outputs = {{{}, {}}}};
//   Sharded(c.inputs[0], sharding.inputs[0]).Take(bytes, 3);   // what process 3 gets of input 0
#ifndef OPBYOP_MANIFESTS_CASES_CASE_SHARDING_H_
#define OPBYOP_MANIFESTS_CASES_CASE_SHARDING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"
#include "support/sharding/axes.h"
#include "support/sharding/shards.h"
#include "support/tensor_type.h"

namespace opbyop {

// Where the divisions come from.
enum class ShardingSource {
  kProgram,  // the program states each of them
  kRules,    // at least one follows from those that the program states, by the rules of ops
};

struct CaseSharding {
  int64_t partitions = 1;
  std::vector<Division> inputs;
  std::vector<Division> outputs;
  ShardingSource source = ShardingSource::kProgram;

  friend bool operator==(const CaseSharding&, const CaseSharding&) = default;
};

// "program", "rules"
std::string_view ToString(ShardingSource source);

// The canonical texts of the divisions, in their order.
std::vector<std::string> TextsOf(const std::vector<Division>& divisions, int64_t partitions);

// Reads the texts of tensors of these types. Returns kBadInput if one is not canonical, if there are more or fewer texts
// than types, or if a tensor does not divide evenly.
Expected<std::vector<Division>> DivisionsOf(const std::vector<std::string>& texts, const std::vector<TensorType>& types,
                                            int64_t partitions);

// The tensor of this type with its division, to take parts of it or to join them.
ShardedTensor Sharded(const TensorType& type, const Division& division);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_CASE_SHARDING_H_
