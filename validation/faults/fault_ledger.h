// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stores the result of every fault on every case, in a file that stays readable if a call is killed.
//
//   auto ledger = FaultLedger::Open("out/faults/faults.jsonl", "domain,sparse,edge");
//   std::vector<const fault_injection::Fault*> left = (*ledger)->Left(c.id, faults);   // only new faults are run
//   (*ledger)->Append(findings);                                            // one line, written at once
//   for (const auto& [id, findings] : (*ledger)->All()) ...
#ifndef OPBYOP_VALIDATION_FAULTS_FAULT_LEDGER_H_
#define OPBYOP_VALIDATION_FAULTS_FAULT_LEDGER_H_

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "manifests/status/status.h"
#include "support/expected.h"
#include "support/files/line_log.h"
#include "validation/fault_injection/fault.h"

namespace opbyop {

// One fault on one case, under the first policy that found it, or under those in which it had an effect but was not
// found.
struct FaultFinding {
  std::string policy;
  Status status = Status::kPass;
  double ratio = 0;  // max error in units of its bound; if it was not found, the greatest over the policies
};

struct CaseFindings {
  std::string id;
  std::string op;
  std::set<std::string> tried;                 // names of the faults that were run, whether they had an effect or not
  std::string skipped;                         // why the case was not run
  std::string flagged;                         // how the device without a fault was refused: a false positive
  std::map<std::string, FaultFinding> faults;  // those that changed a byte of an output, by name
};

class FaultLedger {
 public:
  // Ignores findings under other policies, and lines that were cut off. The lines of a case add up; if several lines
  // have the same fault, or `skipped` or `flagged`, the last one counts.
  static Expected<std::unique_ptr<FaultLedger>> Open(const std::filesystem::path& file, std::string policies);

  // The `faults` that were not run on the case. Thread-safe, as is `Append`.
  std::vector<const fault_injection::Fault*> Left(const std::string& id,
                                                  const std::vector<const fault_injection::Fault*>& faults);
  Expected<void> Append(const CaseFindings& findings);
  const std::map<std::string, CaseFindings>& All() const { return cases_; }

 private:
  explicit FaultLedger(std::string policies) : policies_(std::move(policies)) {}
  void Merge(const CaseFindings& findings);

  std::string policies_;
  std::unique_ptr<LineLog> log_;
  std::mutex mutex_;
  std::map<std::string, CaseFindings> cases_;
};

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FAULTS_FAULT_LEDGER_H_
