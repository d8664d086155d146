// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the pytest-style JUnit that builder ingestion reads: report_<job id>.xml, one suite named pytest.
//
// Requirements of its reader (each has its test): suite timestamp and properties card and git_sha; a `backend` property
// on every case; failure_stage one of compile, golden, runtime, success; input_dtypes wherever input_shapes is; at most
// one <failure>; <skipped> with type and message. One bad case makes the reader drop the whole file.
#ifndef OPBYOP_REPORTS_INGESTION_PYTEST_JUNIT_H_
#define OPBYOP_REPORTS_INGESTION_PYTEST_JUNIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reports/ingestion/optest.h"

namespace opbyop::reports {

// `shard` is as ShardSuffix returns it.
std::string PytestJunitName(int64_t job_id, const std::string& shard = "");

class PytestJunitReport : public RowReport {
 public:
  std::string Head(const View& view) const override;
  std::string Row(const OpTest& test, const View& view, bool first) const override;
  std::string Tail(const View& view) const override;
};

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_INGESTION_PYTEST_JUNIT_H_
