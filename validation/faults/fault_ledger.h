// What became of every fault on every case, in a file that a killed call leaves readable.
//
//   auto ledger = FaultLedger::Open("out/faults/faults.jsonl");
//   if (!(*ledger)->Has(c.id, digest)) (*ledger)->Append(findings);      // one line, written at once
//   for (const CaseFindings& findings : (*ledger)->All()) ...
#ifndef OPBYOP_VALIDATION_FAULTS_FAULT_LEDGER_H_
#define OPBYOP_VALIDATION_FAULTS_FAULT_LEDGER_H_

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "manifests/status.h"
#include "support/expected.h"
#include "support/line_log.h"

namespace opbyop {

// One fault on one case, under the first policy that found it, or under those that it showed under and escaped.
struct FaultFinding {
  std::string policy;
  Status status = Status::kPass;
  double ratio = 0;  // greatest error in units of its bound; under policies that it escaped, the greatest of these
};

struct CaseFindings {
  std::string id;
  std::string op;
  std::string tried;                           // which faults and policies: what was found with others is found anew
  std::string skipped;                         // why the case was not run
  std::string accused;                         // how the device without a fault was refused: a false alarm
  std::map<std::string, FaultFinding> faults;  // those that changed a byte of an output, by name
};

class FaultLedger {
 public:
  // The last line of a case counts; a line cut short does not.
  static Expected<std::unique_ptr<FaultLedger>> Open(const std::filesystem::path& file);

  bool Has(const std::string& id, const std::string& tried);
  // Thread-safe, as `Has` is.
  Expected<void> Append(CaseFindings findings);
  const std::map<std::string, CaseFindings>& All() const { return cases_; }

 private:
  std::unique_ptr<LineLog> log_;
  std::mutex mutex_;
  std::map<std::string, CaseFindings> cases_;
};

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FAULTS_FAULT_LEDGER_H_
