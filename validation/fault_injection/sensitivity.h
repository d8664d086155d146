// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures which inputs find which fault: fault x policy over small cases, and what the usual criteria would have
// found.
//
//   Expected<std::vector<SensitivityCase>> cases = ReadCases("validation/fault_injection/cases", context);
//   Expected<Sensitivity> measured = Measure(*cases);
//   std::string table = ToMarkdown(*measured);                 // the block of docs/numerics/sensitivity.md
//
// Every run draws inputs, evaluates with bounds, lets the device inject its fault, and compares. A run in which the
// fault changes no byte is not counted.
#ifndef OPBYOP_VALIDATION_FAULT_INJECTION_SENSITIVITY_H_
#define OPBYOP_VALIDATION_FAULT_INJECTION_SENSITIVITY_H_

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "manifests/policies/policy.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "reference/inputs/inputs.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {

inline constexpr std::array kPolicies = {InputKind::kDomain, InputKind::kSparse, InputKind::kExactInt, InputKind::kEdge,
                                         InputKind::kCaptured};

struct SensitivityCase {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<reference::InputData> captured;  // a model's own operands; empty if no model has the case
};

// Reads the sections of all files of a folder, named by their first comment line, in the order of the files' names.
Expected<std::vector<SensitivityCase>> ReadCases(const std::filesystem::path& folder, mlir::MLIRContext& context);

// Cases of models with their operands in the model: of each op the two smallest cases with at most 100,000 elements.
// They are run under `captured` only.
Expected<std::vector<SensitivityCase>> ModelCases(const std::vector<std::string>& models, mlir::MLIRContext& context);

// One fault under one policy.
struct Finding {
  int shown = 0;      // runs (cases and seeds) in which the fault changed a byte
  int caught = 0;     // those of `shown` that the bounds refused
  double ratio = 0;   // max error / bound
  int pcc = 0;        // those of `shown` with a correlation below 0.99
  int allclose = 0;   // those of `shown` with |got - want| > 0.01 + 0.01 |want|, NaN equal to NaN
  std::string first;  // a case that was caught, or for a control one that was refused
};

struct Row {
  const Fault* fault;
  std::array<Finding, kPolicies.size()> by_policy;

  bool Caught() const;
  bool Shown() const;
};

struct Sensitivity {
  std::vector<Row> rows;  // in the order of Faults()
};

Expected<Sensitivity> Measure(const std::vector<SensitivityCase>& cases);

// The summary, faults and controls, for the marked block of the page.
std::string ToMarkdown(const Sensitivity& measured);

inline constexpr std::string_view kTableBegin = "<!-- sensitivity: begin, written by ./dev sensitivity -->\n";
inline constexpr std::string_view kTableEnd = "<!-- sensitivity: end -->";

}  // namespace opbyop::fault_injection

#endif  // OPBYOP_VALIDATION_FAULT_INJECTION_SENSITIVITY_H_
