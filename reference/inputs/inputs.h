// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Seeded run-time inputs of a per-op program.
//
//   Expected<std::vector<InputData>> inputs = MakeInputs(module, InputKind::kDomain, SeedOf(case_id, seed));
//
// What an argument may hold follows from the ops that read it: positive for log, in range for gather's
// indices, distinct for sort (one table, input_rules.h). Values depend on the seed, the argument's number and
// the element's number only: the same on every machine, in every order.
#ifndef OPBYOP_REFERENCE_INPUTS_INPUTS_H_
#define OPBYOP_REFERENCE_INPUTS_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "manifests/policies/policy.h"
#include "mlir/IR/BuiltinOps.h"
#include "reference/tensor/element_type.h"
#include "reference/tensor/tensor.h"
#include "support/expected.h"

namespace opbyop::reference {

struct InputData {
  ElementType type;
  Shape shape;
  std::vector<std::byte> bytes;  // stored form, support/dtype.h
};

// 64 bits of a case id and a seed: that of a run, or the one that a request gives (harness/slot/slot.h, InputSeed).
uint64_t SeedOf(std::string_view case_id, uint64_t seed);

// One entry per argument of @main. kUnsupported for arguments that are no plain tensors, and for kCaptured.
Expected<std::vector<InputData>> MakeInputs(mlir::ModuleOp module, InputKind kind, uint64_t seed);

// Whether two policies give this program the same inputs, whatever the seed: as `sweep` and `domain` do where it is no
// elementwise function. Nothing is drawn. False where there is no telling.
bool DrawsAs(mlir::ModuleOp module, InputKind kind, InputKind other);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_INPUTS_H_
