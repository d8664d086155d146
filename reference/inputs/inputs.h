// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Generates the run-time inputs of a per-op program from a seed.
//
//   Expected<std::vector<InputData>> inputs = MakeInputs(module, InputKind::kDomain, SeedOf(case_id, seed));
//
// The values that an argument may have follow from the ops that read it: positive for log, in range for gather's
// indices, distinct for sort (the rows of reference/rules/op_rules.cc). Values depend only on the seed, the number of the
// argument and the number of the element, so they are the same on every machine and in every order.
#ifndef OPBYOP_REFERENCE_INPUTS_INPUTS_H_
#define OPBYOP_REFERENCE_INPUTS_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "manifests/policies/policy.h"
#include "mlir/IR/BuiltinOps.h"
#include "reference/tensor/element_type.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

// Draws `count` elements, from number `first` on, in stored form (support/dtype.h).
using ElementDraw = std::function<void(int64_t first, int64_t count, std::byte* out)>;

struct InputData {
  ElementType type;
  Shape shape;
  std::vector<std::byte> bytes;  // stored form; empty if `draw` is there instead
  ElementDraw draw = nullptr;
};

// How large arguments are given whose elements can be drawn one by one.
enum class LargeInputs : uint8_t {
  kWhole,
  kByBlocks,  // not drawn yet: `draw` does it, when and where the elements are wanted
};

// Hashes a case id and a seed to 64 bits. The seed is that of the run, or the one in a request (harness/slot/slot.h,
// InputSeed).
uint64_t SeedOf(std::string_view case_id, uint64_t seed);

// Returns one entry per argument of @main. Returns kUnsupported for arguments that are not plain tensors of static
// shape, and for kCaptured.
Expected<std::vector<InputData>> MakeInputs(mlir::ModuleOp module, InputKind kind, uint64_t seed,
                                            LargeInputs large = LargeInputs::kWhole);

// Whether two policies give this program the same inputs for every seed. `sweep` and `domain` do so unless the program
// is an elementwise function. Draws nothing. Returns false if it cannot decide.
bool DrawsSameInputs(mlir::ModuleOp module, InputKind kind, InputKind other);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_INPUTS_H_
