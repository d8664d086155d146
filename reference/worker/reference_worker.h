// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference as a worker (docs/worker-protocol.md): generates inputs, evaluates programs and compares outputs.
//
//   ReferenceWorker worker;
//   return ServeWorker(ReferenceWorker::MakeHello(), worker);
//
// Verbs: `inputs` writes dir/input_<i>.npy; `compare` reads them and dir/output_<i>.npy and answers with
// "comparisons". With save_intermediates it also writes expected_<i>.npy and bound_<i>.npy. A case that is too large
// to evaluate in time is `skipped` with the estimate; a case for which it finds no inputs in time ends as `timeout`.
// A case that it cannot compare is `inconclusive`. `fail` means that the target is wrong, or has changed files of the
// reference.
#ifndef OPBYOP_REFERENCE_WORKER_REFERENCE_WORKER_H_
#define OPBYOP_REFERENCE_WORKER_REFERENCE_WORKER_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "manifests/policies/policy.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "protocol/worker_server.h"
#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"
#include "reference/meanings/meanings.h"
#include "reference/worker/argument_files.h"
#include "reference/worker/output_judge.h"

namespace opbyop::reference {

class ReferenceWorker : public protocol::WorkerHandler {
 public:
  explicit ReferenceWorker(WorkLimits limits = {}, Meanings meanings = {});
  static protocol::Hello MakeHello();

  protocol::Reply Handle(const protocol::Request& request, protocol::StageEvents& events) override;

 private:
  Expected<mlir::ModuleOp> Load(const std::filesystem::path& file);
  protocol::Reply Inputs(const protocol::Request& request, const protocol::InputsVerb& asked);
  protocol::Reply Compare(const protocol::Request& request, const protocol::CompareVerb& compare);
  protocol::Reply CompareWith(ArgumentFiles& files, const protocol::Request& request,
                              const protocol::CompareVerb& compare, const Policy& policy, mlir::Operation* entry);

  // Judges a program whose results must have a property.
  protocol::Reply CompareByProperty(const protocol::Request& request, const Policy& policy, mlir::Operation* entry,
                                    const Values& arguments) const;
  // Judges an output of one op by blocks or rows (elementwise_judge.h, product_rows_judge.h, rows_judge.h). Returns
  // nullopt if it must be judged as a whole: the program is another one, or the output is not simply right.
  std::optional<Comparison> CompareByBlocks(const protocol::Request& request, const Policy& policy,
                                            mlir::Operation* entry, const EvalOptions& plain, const Values& arguments,
                                            OutputCriteria criteria) const;
  // True if the loaded program is a product beyond the limits, which is judged by sample and checksums
  // (product_judge.h) as long as its tensors fit into this machine.
  bool IsJudgedByChecksum(const protocol::Request& request);
  Expected<protocol::Reply> CompareByChecksum(const protocol::Request& request, const Policy& policy,
                                              mlir::Operation* entry, const EvalOptions& plain, const Values& arguments,
                                              OutputCriteria criteria);
  // Returns the options for the plain evaluation of a request's program.
  EvalOptions OptionsFor(const protocol::Request& request, const protocol::CompareVerb& compare, const Policy& policy,
                         mlir::Operation* entry, std::string_view op);
  // Evaluates the program on all processes of the grid, on the inputs with these digests, with bounds. If program, inputs and declared arithmetic are
  // the same as in the last call, returns the same results without evaluating again: they may judge several devices, or
  // several runs of one.
  Expected<Values> Evaluate(const std::vector<std::string>& digests, mlir::Operation* entry, const EvalOptions& options,
                            const Grid& grid, Values arguments);

  WorkLimits limits_;
  Meanings meanings_;
  // The last program that was parsed. It is kept because `inputs` and `compare` of a case follow each other.
  std::unique_ptr<mlir::MLIRContext> context_;
  bool raised_ = false;         // the module was a compiler's IR and has been raised to StableHLO
  Applied applied_;             // which calls of the module have a defined meaning
  std::string why_not_raised_;  // why a compiler's IR cannot be raised; empty if it can, or already is StableHLO
  std::filesystem::path file_;
  std::filesystem::file_time_type written_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  Work work_;  // of module_, on one process
  int loads_ = 0;
  // The last results, and a key of everything that they depend on. Empty if the results are large.
  std::string results_key_;
  Values results_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_REFERENCE_WORKER_H_
