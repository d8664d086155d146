// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Subtle faults that a device may have, by name, to measure the suite's sensitivity.
//
//   const Fault* fault = FindFault("dot_accumulates_bf16");
//   Expected<std::vector<DeviceOutput>> outputs = RunFaulty(*fault, module, arguments);   // faulty_device.h
//
// A fault is one of five small things: an op that is computed wrongly (`op`), a result of the program that is changed
// (`results`), stored bytes that are changed (`bytes`, and `parts` of a divided output), or another program
// (`program`). Everything else the device computes correctly, by the reference's exact evaluation. A legal fault is a
// control: a deviation that a correct device may have, and that must not be refused.
#ifndef OPBYOP_VALIDATION_FAULT_INJECTION_FAULT_H_
#define OPBYOP_VALIDATION_FAULT_INJECTION_FAULT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/sharding/shards.h"
#include "validation/fault_injection/faulty_op.h"

namespace opbyop::fault_injection {

// Evaluates the program on other arguments, for results that an earlier run left behind.
using Rerun = std::function<Expected<reference::Values>(reference::Values)>;

struct ProgramResults {
  std::vector<reference::Tensor>& tensors;
  const reference::Values& arguments;
  const Rerun& rerun;
};

// Computes an op wrongly.
using OpFault = std::function<Expected<reference::Values>(FaultyOp&)>;

struct Fault {
  std::string name;
  std::string what;  // a sentence for the table
  std::string ops;   // full names of the ops that it affects, separated by spaces; empty: every program
  bool legal = false;
  OpFault op;
  std::function<Expected<void>(ProgramResults)> results;
  std::function<void(reference::ElementType, std::vector<std::byte>&)> bytes;
  // Changes the program before it is evaluated.
  std::function<void(mlir::ModuleOp)> program;
  // Changes the parts of one output of a sharded case, those of all processes in their order.
  std::function<void(const ShardedTensor&, std::vector<std::vector<std::byte>>&)> parts;
  // The name of a fault that shows at each execution. This one is the same and shows in one of kRarity. Empty: it shows
  // at each.
  std::string always;
  // The only op that is wrong: its number among those of @main that are no constants. A fault of results or of bytes
  // then changes those of the op. nullopt: every op is wrong, or what the program returns.
  std::optional<size_t> place;

  static constexpr uint64_t kRarity = 50;

  bool is_rare() const { return !always.empty(); }
  bool ChangesOp(std::string_view op_name) const;
};

// All faults of a single process, grouped by family.
const std::vector<Fault>& Faults();
// Each of them twice, for programs of two ops: as `NAME@0` in the first op alone, and as `NAME@1` in the second.
const std::vector<Fault>& FaultsOfPairs();
// The faults of collectives and of partitioned programs, for programs on a grid.
const std::vector<Fault>& MeshFaults();
// The faults that only programs of several ops show.
const std::vector<Fault>& ProgramFaults();
// Returns the fault of any list; nullptr if there is none with that name.
const Fault* FindFault(std::string_view name);

// Adds faults of ops to a family, a row each:
//
//   const OpFaults op(faults);
//   op("gather_fills_zero", "slices out of bounds are zero", "stablehlo.gather", &GatherFills);
class OpFaults {
 public:
  explicit OpFaults(std::vector<Fault>& faults) : faults_(faults) {}
  void operator()(std::string name, std::string what, std::string ops, OpFault fault, bool legal = false) const;

 private:
  std::vector<Fault>& faults_;
};

// The families; each appends its faults.
void AddAccumulationFaults(std::vector<Fault>& faults);
void AddLineFaults(std::vector<Fault>& faults);
void AddNormalizationFaults(std::vector<Fault>& faults);
void AddRoundingFaults(std::vector<Fault>& faults);
void AddFunctionFaults(std::vector<Fault>& faults);
void AddIntegerFaults(std::vector<Fault>& faults);
void AddComparisonFaults(std::vector<Fault>& faults);
void AddWindowFaults(std::vector<Fault>& faults);
void AddMovementFaults(std::vector<Fault>& faults);
void AddIndexFaults(std::vector<Fault>& faults);
void AddResultFaults(std::vector<Fault>& faults);
void AddCollectiveFaults(std::vector<Fault>& faults);
void AddPartitionFaults(std::vector<Fault>& faults);

}  // namespace opbyop::fault_injection

#endif  // OPBYOP_VALIDATION_FAULT_INJECTION_FAULT_H_
