// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device that is right except for one fault.
//
//   const Fault* fault = FindFault("negative_zero_lost");
//   auto outputs = RunFaulty(fault, module, arguments);     // nullptr: without a fault
//   CompareOutput(0, expected, (*outputs)[0].bytes);
#ifndef OPBYOP_VALIDATION_FAULT_INJECTION_FAULTY_DEVICE_H_
#define OPBYOP_VALIDATION_FAULT_INJECTION_FAULTY_DEVICE_H_

#include <string_view>
#include <vector>

#include "manifests/cases/grid.h"
#include "mlir/IR/BuiltinOps.h"
#include "reference/inputs/inputs.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {

// A file in a case's folder with the fault that the worker with `--fault named` uses.
inline constexpr std::string_view kFaultFile = "fault";

// Returns the results of @main as a device would store them, those of all processes of a grid in their order. Ops are
// changed and restored while it runs; a fault of the program stays in it.
Expected<std::vector<reference::InputData>> RunFaulty(const Fault* fault, mlir::ModuleOp module,
                                                      const reference::Values& arguments, const Grid& grid = {});

// Whether the fault may have an effect: it affects every program, or one of its ops is in this one.
bool Concerns(const Fault& fault, mlir::ModuleOp module);

}  // namespace opbyop::fault_injection

#endif  // OPBYOP_VALIDATION_FAULT_INJECTION_FAULTY_DEVICE_H_
