// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/op_by_op_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/ingestion/python_text.h"
#include "reports/view/first_line.h"
#include "support/text/timestamp.h"

namespace opbyop::reports {
namespace {

using Json = nlohmann::ordered_json;

// Python's str(bool): the reader compares with "True", and would read a JSON boolean as failure.
std::string PythonBool(bool value) { return value ? "True" : "False"; }

Json Property(const OpTest& test) {
  const auto wall_us = static_cast<int64_t>(test.wall_ms * 1000);
  Json record = {{"test_start_ts", FormatTimestamp(test.start_us)},
                 {"test_end_ts", FormatTimestamp(test.start_us + wall_us)},
                 {"success", PythonBool(test.success)},
                 {"skipped", PythonBool(test.skipped)},
                 {"error_message", test.message},
                 {"frontend", test.frontend},
                 {"model_name", test.model},
                 {"op_kind", test.kind},
                 {"op_name", test.op},
                 {"framework_op_name", test.framework_op},
                 {"inputs", PythonTensorDescs(test.inputs)},
                 {"outputs", PythonTensorDescs(test.outputs)}};
  return {{"OpTest model for: " + test.name, std::move(record)}};
}

std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string OpByOpReportName(int64_t job_id, const std::string& shard) {
  return fmt::format("op_by_op_report{}-{}.json", shard, job_id);
}

std::string OpByOpReport::Head(const View& view) const {
  const RunHeader& header = view.run->header;
  const std::string created = FormatTimestamp(ParseTimestamp(header.start).value_or(0));
  return fmt::format(
      "{{\"created\":{},\"exitcode\":{},\"environment\":{},\"tests\":[{{\"nodeid\":{},\"outcome\":{},"
      "\"user_properties\":[\n",
      Dump(created), view.red() ? 1 : 0, Dump({{"target", header.target}, {"toolchain", header.toolchain}}),
      Dump("opbyop::" + header.target), view.red() ? "\"failed\"" : "\"passed\"");
}

std::string OpByOpReport::Row(const OpTest& test, const View&, bool first) const {
  return (first ? "" : ",\n") + Dump(Property(test));
}

std::string OpByOpReport::Tail(const View&) const { return "\n]}]}\n"; }

}  // namespace opbyop::reports
