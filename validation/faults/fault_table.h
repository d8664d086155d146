// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Summarizes the faults' findings as the table of docs/numerics/faults.md.
//
//   const FaultTable table(ledger->All(), faults, policies, promise, left_out);
//   table.Markdown();              // for the marked block of the page
//   table.Complaints();            // escapes without a proof, false positives; empty if there are none
#ifndef OPBYOP_VALIDATION_FAULTS_FAULT_TABLE_H_
#define OPBYOP_VALIDATION_FAULTS_FAULT_TABLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "validation/fault_injection/fault.h"
#include "validation/faults/fault_ledger.h"
#include "validation/faults/promise.h"

namespace opbyop {

inline constexpr std::string_view kFaultsBegin = "<!-- faults: begin, written by ./dev faults -->\n";
inline constexpr std::string_view kFaultsEnd = "<!-- faults: end -->";

class FaultTable {
 public:
  // `policies` are in the nightly's order. `left_out` are the ids of cases that were not run, which the table lists.
  FaultTable(const std::map<std::string, CaseFindings>& cases, const std::vector<const fault_injection::Fault*>& faults,
             std::vector<std::string> policies, const Promise& promise, std::vector<std::string> left_out = {});

  std::string Markdown() const;
  const std::vector<std::string>& Complaints() const { return complaints_; }

 private:
  struct Row {
    const fault_injection::Fault* fault = nullptr;
    int64_t affected = 0;                   // cases in which it changed a byte of an output
    int64_t red = 0;                        // those of `affected` that are red
    int64_t promised = 0;                   // those that are not red, but have a proof
    std::map<std::string, int64_t> caught;  // red cases by the first policy that caught them
  };
  void Count(const CaseFindings& findings, Row& row, const FaultFinding& finding);

  std::vector<Row> rows_;  // in the order of the faults
  std::vector<std::string> policies_;
  std::vector<std::string> left_out_;
  std::vector<std::string> complaints_;
  const Promise& promise_;
  int64_t cases_ = 0;
  int64_t skipped_ = 0;
  int64_t unbounded_ = 0;  // faults in one op of a pair that change no element with a finite bound
};

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FAULTS_FAULT_TABLE_H_
