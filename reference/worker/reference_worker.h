// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference as a worker (docs/worker-protocol.md): makes inputs, evaluates, compares.
//
//   ReferenceWorker worker;
//   return ServeWorker(ReferenceWorker::MakeHello(), worker);
//
// Verbs: `inputs` writes dir/input_<i>.npy; `compare` reads them and dir/output_<i>.npy and answers with
// "comparisons". With save_intermediates it also writes expected_<i>.npy and bound_<i>.npy. A case too large
// to evaluate in time is `skipped` with the estimate, and one for which it finds no inputs in time ends as `timeout`.
// What it cannot compare is `inconclusive`; `fail` says that the target is wrong, or changed files that are not its
// own.
#ifndef OPBYOP_REFERENCE_WORKER_REFERENCE_WORKER_H_
#define OPBYOP_REFERENCE_WORKER_REFERENCE_WORKER_H_

#include <filesystem>
#include <memory>
#include <string>

#include "manifests/policies/policy.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "protocol/worker_server.h"
#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

class ReferenceWorker : public protocol::WorkerHandler {
 public:
  explicit ReferenceWorker(WorkLimits limits = {});
  static protocol::Hello MakeHello();

  protocol::Reply Handle(const protocol::Request& request, protocol::StageEvents& events) override;

 private:
  Expected<mlir::ModuleOp> Load(const std::filesystem::path& file);
  protocol::Reply Inputs(const protocol::Request& request);
  protocol::Reply Compare(const protocol::Request& request);

  // How the program is evaluated for a request, plainly.
  EvalOptions OptionsFor(const protocol::Request& request, const Policy& policy, mlir::Operation* entry,
                         std::string_view op);
  // What it gives for these inputs of the request, with bounds. Of the same program, inputs and promise as the last
  // time it is not evaluated again: several devices, or several runs of one, may be judged by it.
  Expected<Values> Evaluate(const protocol::Request& request, mlir::Operation* entry, const EvalOptions& options,
                            Values arguments);

  WorkLimits limits_;
  // The program parsed last: `inputs` and `compare` of a case come in turn.
  std::unique_ptr<mlir::MLIRContext> context_;
  bool raised_ = false;     // the module was a compiler's IR and is its meaning in StableHLO now
  std::string not_raised_;  // why a compiler's IR cannot be said in StableHLO; empty where it can, or is it
  std::filesystem::path file_;
  std::filesystem::file_time_type written_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  int loads_ = 0;
  // The results that were evaluated last, and all that decides them; nothing where they are large.
  std::string evaluated_;
  Values results_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_REFERENCE_WORKER_H_
