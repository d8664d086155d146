// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/pytest_junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "reports/ingestion/python_text.h"
#include "reports/view/first_line.h"
#include "reports/view/xml_writer.h"
#include "support/text/timestamp.h"

namespace opbyop::reports {
namespace {

constexpr size_t kMaxParameter = 1000;

// The reader drops the file on any other word. A failure that fits none of them is called `runtime`.
std::string_view FailureStage(const OpTest& test) {
  switch (test.status) {
    case OpTestStatus::kSuccess:
      return "success";
    case OpTestStatus::kCompileFailed:
      return "compile";
    case OpTestStatus::kGoldenFailed:
      return "golden";
    case OpTestStatus::kRunFailed:
    case OpTestStatus::kNone:
      return "runtime";
  }
  return "runtime";
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

void AddMetrics(Parameters& parameters, const CaseRecord& record) {
  for (const StageRecord& stage : record.stages) {
    parameters.emplace_back("ms_" + stage.name, fmt::format("{:.3f}", stage.ms));
  }
  if (const Comparison* worst = WorstComparison(record)) {
    parameters.emplace_back("pcc", fmt::format("{:.12g}", worst->pcc));
    parameters.emplace_back("max_abs", fmt::format("{:.6g}", worst->max_abs));
    parameters.emplace_back("max_ulp", fmt::format("{:.6g}", worst->max_ulp));
    parameters.emplace_back("bound_ratio", fmt::format("{:.6g}", worst->bound_ratio));
  }
  parameters.emplace_back("repro", record.repro);
}

// param_* become both config and op_params of the reader's OpTest. An attribute whose name is taken gets a prefix: the
// reader keeps one value for each name.
void AddParameters(pugi::xml_node properties, const OpTest& test, const RunHeader& header) {
  Parameters parameters = {{"model", test.model}};
  if (!header.compile_only.empty()) parameters.emplace_back("compile_only", SafeText(header.compile_only));
  if (test.row) {
    parameters.emplace_back("case", test.row->c->id);
    parameters.emplace_back("status", ToString(test.row->status));
    parameters.emplace_back("stage", test.row->stage);
    parameters.emplace_back("framework_op", test.framework_op);
    if (test.record) AddMetrics(parameters, *test.record);
    std::set<std::string> taken;
    for (const auto& [name, value] : parameters) taken.insert(name);
    for (const auto& [name, value] : test.row->c->attributes) {
      parameters.emplace_back(taken.count(name) ? "attribute_" + name : name, Shorten(value, kMaxParameter));
    }
  }
  for (const auto& [name, value] : parameters) AddProperty(properties, "param_" + name, value);
}

}  // namespace

std::string PytestJunitName(int64_t job_id, const std::string& shard) {
  return fmt::format("report{}_{}.xml", shard, job_id);
}

std::string PytestJunitReport::Head(const View& view) const {
  const RunHeader& header = view.run->header;
  int64_t skipped = 0;
  for (const Status status : kAllStatuses) skipped += CountsAsSkipped(status) ? view.totals[status] : 0;
  const int64_t tests = view.totals.rows + static_cast<int64_t>(view.unsplit.size());
  XmlElement properties("properties", {});
  AddProperty(properties.node(), "card", CardType(header));
  AddProperty(properties.node(), "git_sha", header.git_sha.empty() ? "unknown" : header.git_sha);
  return std::string(kXmlDeclaration) + OpeningTag("testsuites", {}, 0) +
         OpeningTag("testsuite",
                    {{"name", "pytest"},
                     {"errors", "0"},
                     {"failures", std::to_string(tests - view.totals.passed() - skipped)},
                     {"skipped", std::to_string(skipped)},
                     {"tests", std::to_string(tests)},
                     {"time", Seconds(view.run->footer.wall_s * 1000)},
                     {"timestamp", FormatTimestamp(ParseTimestamp(header.start).value_or(0))},
                     {"hostname", CardType(header)}},
                    1) +
         properties.Text(2);
}

std::string PytestJunitReport::Row(const OpTest& test, const View& view, bool) const {
  const RunHeader& header = view.run->header;
  XmlElement element("testcase", {{"classname", "opbyop." + header.target + "." + test.model},
                                  {"name", test.name},
                                  {"time", Seconds(test.wall_ms)}});
  pugi::xml_node node = element.node();
  pugi::xml_node properties = AddElement(node, "properties", {});
  AddProperty(properties, "backend", header.target.empty() ? "unknown" : header.target);
  AddProperty(properties, "op_name", test.op);
  AddProperty(properties, "op_kind", test.kind);
  AddProperty(properties, "framework_op_name", test.framework_op);
  AddProperty(properties, "frontend", test.frontend);
  AddProperty(properties, "start_timestamp", FormatTimestamp(test.start_us));
  AddProperty(properties, "input_shapes", PythonShapes(test.inputs));
  AddProperty(properties, "input_dtypes", PythonDtypes(test.inputs));
  AddProperty(properties, "failure_stage", FailureStage(test));
  if (!test.message.empty()) AddProperty(properties, "error_message", test.message);
  AddParameters(properties, test, header);

  if (test.skipped) {
    const bool expected = test.row && test.row->status == Status::kExpectedFail;
    AddElement(node, "skipped", {{"type", expected ? "pytest.xfail" : "pytest.skip"}, {"message", test.message}});
  } else if (!test.success) {
    SetText(AddElement(node, "failure", {{"message", test.message}}), test.message);
  }
  return element.Text(2);
}

std::string PytestJunitReport::Tail(const View&) const {
  return ClosingTag("testsuite", 1) + ClosingTag("testsuites", 0);
}

}  // namespace opbyop::reports
