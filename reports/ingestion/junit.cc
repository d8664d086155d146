// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "reports/ingestion/optest.h"
#include "reports/summary/summary.h"
#include "reports/view/first_line.h"
#include "reports/view/xml_writer.h"
#include "support/text/timestamp.h"

namespace opbyop::reports {
namespace {

// The name of the element for the status; null for a pass.
const char* Verdict(Status status) {
  if (status == Status::kPass) return nullptr;
  if (!IsProblem(status)) return "skipped";
  return IsDeath(status) || status == Status::kMissing ? "error" : "failure";
}

// The details that a person needs to continue: stages, numbers, the end of the worker's log, the command.
std::string Details(const RowResult& row, const CaseRecord* record) {
  std::string text = row.diagnostic + "\n";
  if (!record) return text;
  for (const StageRecord& stage : record->stages) {
    text += fmt::format("{:<24} {:<13} {:.3f} ms\n", stage.name, ToString(stage.status), stage.ms);
  }
  if (const Comparison* worst = WorstComparison(*record)) {
    text += fmt::format(
        "output {} {}: {} of {} elements beyond their bound ({}), max abs {:.6g}, max rel {:.6g}, max ULP {:.6g}, "
        "PCC {:.12g}, error / bound {:.6g}, error / rounding {:.6g}\n",
        worst->output, worst->dtype, worst->mismatches, worst->elements, worst->rule, worst->max_abs, worst->max_rel,
        worst->max_ulp, worst->pcc, worst->bound_ratio, worst->precision_ratio);
  }
  for (const std::string& line : record->stderr_tail) text += "stderr: " + line + "\n";
  if (!record->repro.empty()) text += "repro: " + record->repro + "\n";
  return text;
}

// A fault of the run as a whole.
struct RunFault {
  const char* type;
  std::string message;
};

std::optional<RunFault> RunFaultOf(const View& view) {
  if (!view.run->bad_lines.empty()) {
    return RunFault{"damaged", "results.jsonl: " + Describe(view.run->bad_lines)};
  }
  if (!view.run->complete) {
    return RunFault{"incomplete",
                    "the results have no footer: the run ended before its last case, or was of some only"};
  }
  if (!view.run->events.empty()) return RunFault{"event", view.run->events.front().text};
  if (!view.unmet.empty()) return RunFault{"demands", fmt::format("{}", fmt::join(view.unmet, "; "))};
  if (view.judged_nothing()) return RunFault{"nothing_judged", Headline(view)};
  return std::nullopt;
}

// Adds what CTest's JUnit cannot express, in the words of GoogleTest's XML (suites/xml_listener.h).
void AddProperties(const RowResult& row, const CaseRecord* record, const RunHeader& header, pugi::xml_node node) {
  const pugi::xml_node properties = AddElement(node, "properties", {});
  AddProperty(properties, "op", row.c->op);
  AddProperty(properties, "model", row.model);
  AddProperty(properties, "case", row.c->id);
  AddProperty(properties, "outcome", ToString(row.status));
  if (record == nullptr) return;
  AddProperty(properties, "stage", record->stage);
  AddProperty(properties, "reason", row.status == Status::kPass ? CompiledOnly(header) : record->diagnostic);
  AddProperty(properties, "repro", record->repro);
  if (const std::string unjudged = UnjudgedPolicies(*record); !unjudged.empty()) {
    AddProperty(properties, "unjudged", unjudged);
  }
}

std::string RunEntry(const View& view) {
  XmlElement element("testcase",
                     {{"classname", "opbyop"}, {"name", "run"}, {"time", Seconds(view.run->footer.wall_s * 1000)}});
  if (const std::optional<RunFault> fault = RunFaultOf(view)) {
    AddElement(element.node(), "error", {{"type", fault->type}, {"message", fault->message}});
  }
  return element.Text(2);
}

std::string UnsplitEntry(const Model& model) {
  XmlElement element(
      "testcase",
      {{"classname", model.name}, {"name", model.name + "__split"}, {"file", model.source}, {"time", "0.0"}});
  AddElement(element.node(), "error",
             {{"type", "split"}, {"message", Shorten("split: " + FirstLine(model.error), 500)}});
  return element.Text(2);
}

int64_t CountOf(std::string_view verdict, const Counts& counts) {
  int64_t count = 0;
  for (const Status status : kAllStatuses) {
    const char* word = Verdict(status);
    if (word != nullptr && verdict == word) count += counts[status];
  }
  return count;
}

}  // namespace

std::string JunitReport::Head(const View& view) const {
  const RunHeader& header = view.run->header;
  const auto unsplit = static_cast<int64_t>(view.unsplit.size());
  const int64_t errors = CountOf("error", view.totals) + unsplit + (RunFaultOf(view) ? 1 : 0);
  std::string text = std::string(kXmlDeclaration) + OpeningTag("testsuites", {}, 0) +
                     OpeningTag("testsuite",
                                {{"name", "opbyop." + header.target},
                                 {"tests", std::to_string(view.totals.rows + unsplit + 1)},
                                 {"failures", std::to_string(CountOf("failure", view.totals))},
                                 {"errors", std::to_string(errors)},
                                 {"skipped", std::to_string(CountOf("skipped", view.totals))},
                                 {"time", Seconds(view.run->footer.wall_s * 1000)},
                                 {"timestamp", FormatTimestamp(ParseTimestamp(header.start).value_or(0))}},
                                1);
  text += RunEntry(view);
  for (const Model* model : view.unsplit) text += UnsplitEntry(*model);
  return text;
}

std::string JunitReport::Row(const OpTest& test, const View& view, bool) const {
  if (test.row == nullptr) return "";  // a model that could not be split, which the head contains
  const RowResult& row = *test.row;
  XmlElement element(
      "testcase",
      {{"classname", row.model}, {"name", row.name}, {"file", row.c->file}, {"time", Seconds(test.wall_ms)}});
  AddProperties(row, test.record, view.run->header, element.node());
  if (const char* verdict = Verdict(row.status)) {
    SetText(AddElement(element.node(), verdict, {{"type", ToString(row.status)}, {"message", Message(row)}}),
            Details(row, test.record));
  }
  return element.Text(2);
}

std::string JunitReport::Tail(const View&) const { return ClosingTag("testsuite", 1) + ClosingTag("testsuites", 0); }

}  // namespace opbyop::reports
