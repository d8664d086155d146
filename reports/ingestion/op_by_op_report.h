// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the XLA-style report op_by_op_report-<job id>.json, in the form of pytest-json-report.
//
// Requirements of its readers (each has its test): values are strings; timestamps have no "Z" and six fraction digits;
// there is no ")" inside TensorDesc(...); op_name is present; the text after "OpTest model for: " is stable and unique;
// and the file name ends in "-<integer>.json", because a benchmark collector takes "_<integer>.json".
#ifndef OPBYOP_REPORTS_INGESTION_OP_BY_OP_REPORT_H_
#define OPBYOP_REPORTS_INGESTION_OP_BY_OP_REPORT_H_

#include <cstdint>
#include <string>

#include "reports/ingestion/optest.h"

namespace opbyop::reports {

// `shard` is as ShardSuffix returns it.
std::string OpByOpReportName(int64_t job_id, const std::string& shard = "");

class OpByOpReport : public RowReport {
 public:
  std::string Head(const View& view) const override;
  std::string Row(const OpTest& test, const View& view, bool first) const override;
  std::string Tail(const View& view) const override;
};

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_INGESTION_OP_BY_OP_REPORT_H_
