#include "reports/junit.h"

#include <fmt/format.h>

#include "reports/optest.h"
#include "reports/safe_text.h"
#include "reports/timestamp.h"
#include "reports/xml_writer.h"

namespace opbyop {
namespace {

// The element that says how a row ended; null for a pass.
const char* Verdict(Status status) {
  switch (status) {
    case Status::kPass:
      return nullptr;
    case Status::kFail:
    case Status::kFlaky:
    case Status::kUnexpectedPass:
      return "failure";
    case Status::kCrash:
    case Status::kTimeout:
    case Status::kOutOfMemory:
    case Status::kMissing:
      return "error";
    case Status::kUnsupported:
    case Status::kMistrusted:
    case Status::kSkipped:
    case Status::kExpectedFail:
      return "skipped";
  }
  return "error";
}

// What a person needs to go on: stages, numbers, the worker's last words, the command.
std::string Details(const RowResult& row) {
  std::string text = row.diagnostic + "\n";
  if (!row.record) return text;
  for (const StageRecord& stage : row.record->stages) {
    text += fmt::format("{:<24} {:<13} {:.3f} ms\n", stage.name, ToString(stage.status), stage.ms);
  }
  if (const Comparison* worst = WorstComparison(*row.record)) {
    text += fmt::format(
        "output {} {}: {} of {} elements beyond their bound ({}), max abs {:.6g}, max rel {:.6g}, max ULP {:.6g}, "
        "PCC {:.12g}, error / bound {:.6g}\n",
        worst->output, worst->dtype, worst->mismatches, worst->elements, worst->rule, worst->max_abs, worst->max_rel,
        worst->max_ulp, worst->pcc, worst->bound_ratio);
  }
  for (const std::string& line : row.record->stderr_tail) text += "stderr: " + line + "\n";
  if (!row.record->repro.empty()) text += "repro: " + row.record->repro + "\n";
  return text;
}

void AddRow(pugi::xml_node suite, const RowResult& row) {
  pugi::xml_node node = AddElement(suite, "testcase",
                                   {{"classname", row.model},
                                    {"name", row.name},
                                    {"file", row.c->file},
                                    {"time", Seconds(row.record ? row.record->wall_ms : 0)}});
  const char* verdict = Verdict(row.status);
  if (!verdict) return;
  SetText(AddElement(node, verdict, {{"type", ToString(row.status)}, {"message", Message(row)}}), Details(row));
}

void AddRun(pugi::xml_node suite, const View& view) {
  pugi::xml_node node = AddElement(
      suite, "testcase", {{"classname", "opbyop"}, {"name", "run"}, {"time", Seconds(view.run->footer.wall_s * 1000)}});
  if (view.run->complete) return;
  AddElement(node, "error",
             {{"type", "incomplete"}, {"message", "the results have no footer: the run ended before its last case"}});
}

void AddUnsplit(pugi::xml_node suite, const Model& model) {
  pugi::xml_node node = AddElement(
      suite, "testcase",
      {{"classname", model.name}, {"name", model.name + "__split"}, {"file", model.source}, {"time", "0.0"}});
  AddElement(node, "error", {{"type", "split"}, {"message", Shorten("split: " + FirstLine(model.error), 500)}});
}

}  // namespace

std::string Junit(const View& view) {
  int64_t failures = 0;
  int64_t errors = static_cast<int64_t>(view.unsplit.size()) + (view.run->complete ? 0 : 1);
  int64_t skipped = 0;
  for (const RowResult& row : view.rows) {
    const char* verdict = Verdict(row.status);
    const std::string_view word = verdict ? verdict : "";
    failures += word == "failure";
    errors += word == "error";
    skipped += word == "skipped";
  }
  const RunHeader& header = view.run->header;
  XmlDocument xml("testsuites");
  pugi::xml_node suite = AddElement(xml.root(), "testsuite",
                                    {{"name", "opbyop." + header.target},
                                     {"tests", std::to_string(view.rows.size() + view.unsplit.size() + 1)},
                                     {"failures", std::to_string(failures)},
                                     {"errors", std::to_string(errors)},
                                     {"skipped", std::to_string(skipped)},
                                     {"time", Seconds(view.run->footer.wall_s * 1000)},
                                     {"timestamp", FormatTimestamp(ParseTimestamp(header.start).value_or(0))}});
  AddRun(suite, view);
  for (const Model* model : view.unsplit) AddUnsplit(suite, *model);
  for (const RowResult& row : view.rows) AddRow(suite, row);
  return xml.Text();
}

}  // namespace opbyop
