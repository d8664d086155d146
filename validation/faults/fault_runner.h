// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every fault on one case, through the worker protocol and the verdict of the harness.
//
//   FaultRunner runner(settings, scratch);                   // one per thread: it has workers of its own
//   Expected<CaseFindings> findings = runner.Run(c, ledger->Left(c.id, faults));
//
// A case's inputs are generated once per policy. The device without a fault runs first and must pass; a fault counts
// where it changes a byte of its outputs. What one policy has caught is not tried under those after it.
#ifndef OPBYOP_VALIDATION_FAULTS_FAULT_RUNNER_H_
#define OPBYOP_VALIDATION_FAULTS_FAULT_RUNNER_H_

#include <filesystem>
#include <memory>
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

  // Where none of the faults concerns the case nothing is run. An error where workers do not start or the case's file
  // cannot be read.
  Expected<CaseFindings> Run(const Case& c, const std::vector<const fault_injection::Fault*>& faults);

 private:
  // Those that concern the case.
  Expected<std::vector<const fault_injection::Fault*>> Concerning(
      const Case& c, const std::vector<const fault_injection::Fault*>& faults);
  // How the case ends on the device with this fault. `outputs` gets the bytes of its outputs; where they are
  // `right` nothing is compared.
  CaseRecord Judge(const Trial& trial, const std::string& fault, const std::vector<std::string>& right,
                   std::vector<std::string>& outputs);

  const FaultSettings& settings_;
  harness::Scratch& scratch_;
  TrialBench bench_;
  std::unique_ptr<mlir::MLIRContext> context_;
  int programs_ = 0;
};

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FAULTS_FAULT_RUNNER_H_
