// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The XLA-style report: op_by_op_report-<job id>.json, as a pytest run with pytest-json-report would leave it.
//
// What its readers insist on (each has its test): values are strings, timestamps have no "Z" and six fraction
// digits, no ")" inside TensorDesc(...), op_name is there, the text after "OpTest model for: " is stable and
// unique, and the file name ends in "-<integer>.json": with "_<integer>.json" a benchmark collector takes it.
#ifndef OPBYOP_REPORTS_INGESTION_OP_BY_OP_REPORT_H_
#define OPBYOP_REPORTS_INGESTION_OP_BY_OP_REPORT_H_

#include <cstdint>
#include <string>

#include "reports/ingestion/optest.h"

namespace opbyop::reports {

// `shard` as ShardSuffix has it.
std::string OpByOpReportName(int64_t job_id, const std::string& shard = "");

class OpByOpReport : public RowReport {
 public:
  std::string Head(const View& view) const override;
  std::string Row(const OpTest& test, const View& view, bool first) const override;
  std::string Tail(const View& view) const override;
};

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_INGESTION_OP_BY_OP_REPORT_H_
