// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Options for splitting a program into cases; the flags of `opbyop split`.
//
//   SplitOptions options{.walk = {.inside_regions = false}, .vary_constants = false};
#ifndef OPBYOP_GENERATOR_WALK_SPLIT_OPTIONS_H_
#define OPBYOP_GENERATOR_WALK_SPLIT_OPTIONS_H_

#include <cstdint>
#include <string>

#include "generator/program/case_id.h"
#include "generator/program/constants.h"
#include "generator/walk/walk.h"

namespace opbyop::generator {

struct SplitOptions {
  std::string entry = "main";
  // The ops in a loop's body and in a composite's decomposition are cases beside the op itself: neither hides a model.
  WalkOptions walk = {.inside_regions = true, .composites = Composites::kInside};
  // The cases of several ops that there are beside those of single ops.
  Granularity granularity;
  // A model without shardings has the same cases with each. kLocal: generator/shard/local_ops.h.
  Shards shards = Shards::kSharded;
  int64_t fold_limit = kDefaultFoldLimit;

  // An op on constants alone proves nothing if the compiler computes it; such a case is marked
  // (Case::no_runtime_input). If true, its operands become arguments, so that the device computes it.
  bool vary_constants = true;
  int id_digits = kIdHashDigits;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_WALK_SPLIT_OPTIONS_H_
