// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Derives the seed of a case's inputs from its id and the seed of the run.
//
//   InputSeed("add_4_f32_1a2b3c4d", header.seed)
#ifndef OPBYOP_HARNESS_INPUTS_INPUT_SEED_H_
#define OPBYOP_HARNESS_INPUTS_INPUT_SEED_H_

#include <cstdint>
#include <string_view>

namespace opbyop::harness {

// Returns the seed as requests and records state it: the same on every machine and in every order. It has at most 53
// bits, so that no reader of JSON rounds it. Workers widen it to 64 bits (reference/inputs/inputs.h, SeedOf).
uint64_t InputSeed(std::string_view case_id, uint64_t run_seed);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_INPUTS_INPUT_SEED_H_
