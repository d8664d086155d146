// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs every fault on one case, with the worker protocol and the verdict of the harness.
//
//   FaultRunner runner(settings, scratch);                   // one per thread: it has its own workers
//   Expected<CaseFindings> findings = runner.Run(c, ledger->Left(c.id, faults));
//
// A case's inputs are generated once per policy. The device without a fault runs first and must pass. A fault counts if
// it changes a byte of the outputs. A fault that one policy has caught is not run under the later ones.
#ifndef OPBYOP_VALIDATION_FAULTS_FAULT_RUNNER_H_
#define OPBYOP_VALIDATION_FAULTS_FAULT_RUNNER_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/worker/scratch.h"
#include "manifests/cases/case.h"
#include "manifests/targets/target.h"
#include "mlir/IR/MLIRContext.h"
#include "validation/fault_injection/fault.h"
#include "validation/faults/fault_ledger.h"
#include "validation/trial_bench.h"

namespace opbyop {

struct FaultSettings {
  std::filesystem::path folder;              // of the manifest
  Target device;                             // validation/faults/faulty.yaml
  std::vector<harness::RunPolicy> policies;  // in the nightly's order
};

class FaultRunner {
 public:
  FaultRunner(const FaultSettings& settings, harness::Scratch& scratch);

  // Runs nothing if none of the faults concerns the case. Returns an error if workers do not start or the case's file
  // cannot be read.
  Expected<CaseFindings> Run(const Case& c, const std::vector<const fault_injection::Fault*>& faults);

 private:
  // The faults that concern the case.
  Expected<std::vector<const fault_injection::Fault*>> Concerning(
      const Case& c, const std::vector<const fault_injection::Fault*>& faults);
  using Outputs = std::vector<std::string>;  // the bytes of each

  // The verdict on the case for the device with this fault. `outputs` receives its outputs; if they are `right`, nothing
  // is compared.
  CaseRecord Judge(const Trial& trial, const std::string& fault, const Outputs& right, Outputs& outputs);
  // nullopt: the device with this fault says nothing about the case. A fault that shows rarely is tried if it would be
  // red at each execution; then the verdict is that on the first execution that is red, or on the last one.
  std::optional<CaseRecord> JudgeFault(const Trial& trial, const fault_injection::Fault& fault, const Outputs& right);

  const FaultSettings& settings_;
  harness::Scratch& scratch_;
  TrialBench bench_;
  std::unique_ptr<mlir::MLIRContext> context_;
  int programs_ = 0;
};

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FAULTS_FAULT_RUNNER_H_
