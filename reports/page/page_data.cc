// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/page_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "reports/page/page_columns.h"
#include "reports/page/page_strings.h"
#include "reports/page/web_page.h"
#include "reports/summary/ranked_causes.h"
#include "reports/summary/scorecard.h"
#include "reports/summary/summary.h"
#include "reports/summary/unjudged_rows.h"
#include "reports/view/compared_cases.h"
#include "reports/view/first_line.h"
#include "reports/view/op_label.h"
#include "reports/view/page_number.h"
#include "support/text/replace_all.h"

namespace opbyop::reports {
namespace {

using Json = nlohmann::ordered_json;

// Coefficients near 1 differ only in late digits.
Json Correlation(double value) {
  return std::isfinite(value) ? Json(std::strtod(fmt::format("{:.15g}", value).c_str(), nullptr)) : PageNumber(value);
}

Json SafeTexts(const std::map<std::string, std::string>& texts) {
  Json object = Json::object();
  for (const auto& [name, text] : texts) object[SafeText(name)] = SafeText(text);
  return object;
}

// A truth value as one digit, for values that there are many of.
int FlagOf(bool flag) { return flag ? 1 : 0; }

class PageWriter {
 public:
  PageWriter(const View& view, const PageFiles& files) : view_(view), files_(files) {
    for (size_t i = 0; i < view.models.size(); ++i) model_index_.emplace(view.models[i].model->name, i);
    for (size_t i = 0; i < view.stages.size(); ++i) stage_index_.emplace(view.stages[i].name, i);
    for (size_t i = 0; i < view.ops.size(); ++i) op_index_.emplace(view.ops[i].op, i);
  }

  // Writes the beginning up to the list of cases, which Add continues and End closes.
  void Begin(const TextSink& out) {
    Json page = Head();
    page["blockers"] = List(RankCauses(view_), [&](const RankedCause& b) {
      return Json{{"id", b.id},
                  {"of", List(b.of, [](const std::string& op) { return Json(op); })},
                  {"stage", StageIndex(b.stage)},
                  {"status", static_cast<int>(b.status)},
                  {"diagnostic", Intern(b.diagnostic)},
                  {"diagnostics", b.diagnostics},
                  {"cases", b.cases},
                  {"rows", b.rows},
                  {"ops", b.ops},
                  {"shared", List(b.shared, [](const std::string& text) { return Json(SafeText(text)); })},
                  {"models", b.models},
                  {"unlocked", b.unlocked}};
    });
    page["gap_lines"] = Json::array();
    for (const Status status : kAllStatuses) {
      if (!IsUnjudged(status)) continue;
      if (std::string line = UnjudgedLine(view_, status); !line.empty()) page["gap_lines"].push_back(std::move(line));
    }
    page["gaps"] = List(FindUnjudged(view_), [&](const UnjudgedGroup& gap) { return ToJson(gap); });
    WriteHead(page, out);
  }

  // In the manifest's order. A case that the run did not choose keeps its place, because rows refer to cases by number.
  void Add(size_t case_index, const CaseRecord* record, const TextSink& out) {
    while (cases_ < case_index) WriteCase(nullptr, out);
    WriteCase(ToJson(case_index, record), out);
  }

  void End(const TextSink& out) {
    while (cases_ < view_.manifest->cases.size()) WriteCase(nullptr, out);
    std::vector<size_t> rows(view_.rows.size());
    std::iota(rows.begin(), rows.end(), size_t{0});
    WriteRest(rows, out);
  }

  void WriteOnly(const std::vector<size_t>& cases, const TextSink& out) {
    Json page = Head();
    for (const char* list : {"blockers", "gap_lines", "gaps"}) page[list] = Json::array();
    for (size_t i = 0; i < cases.size(); ++i) places_.emplace(cases[i], i);
    std::vector<size_t> rows;
    std::vector<bool> has_row(view_.manifest->cases.size());
    for (size_t i = 0; i < view_.rows.size(); ++i) {
      const size_t at = view_.rows[i].case_index;
      if (places_.contains(at)) rows.push_back(i);
      has_row[at] = true;
    }
    WriteHead(page, out);
    for (const size_t at : cases) WriteCase(has_row[at] ? ToJson(at, view_.record_of(at)) : Json(), out);
    WriteRest(rows, out);
  }

 private:
  Json Head() const {
    Json page = {{"schema", "opbyop-page/4"}, {"run", RunFacts()}};
    if (!files_.before.runs.empty()) page["before"] = ToJson(files_.before);
    page["statuses"] = Json::array();
    page["problems"] = Json::array();
    page["silent"] = Json::array();
    for (const Status status : kAllStatuses) {
      page["statuses"].push_back(std::string(ToString(status)));
      if (IsProblem(status)) page["problems"].push_back(static_cast<int>(status));
      if (IsUnjudged(status)) page["silent"].push_back(static_cast<int>(status));
    }
    page["stages"] = List(view_.stages, [](const StageSummary& stage) {
      return Json{{"name", stage.name},
                  {"reached", stage.rows.reached},
                  {"passed", stage.rows.passed},
                  {"failed", stage.rows.failed},
                  {"total_ms", PageNumber(stage.total_ms)},
                  {"median_ms", PageNumber(stage.median_ms)}};
    });
    page["models"] = List(view_.models, [&](const ModelSummary& model) {
      Json object = {{"name", model.model->name},         {"frontend", model.model->frontend},
                     {"producer", model.model->producer}, {"source", model.model->source},
                     {"ops", model.model->ops},           {"error", FirstLine(model.model->error)},
                     {"counts", model.counts.by_status}};
      if (const auto profile = files_.profiles.find(model.model->name); profile != files_.profiles.end()) {
        object["profile"] = {{"href", profile->second.href}, {"target", SafeText(profile->second.target)}};
      }
      if (const auto& whole = model.whole) {
        object["whole"] = {{"status", static_cast<int>(whole->status)},
                           {"stage", whole->stage},
                           {"diagnostic", SafeText(whole->diagnostic)},
                           {"compared", whole->compared},
                           {"weak", whole->weak},
                           {"range_error", PageNumber(whole->range_error)},
                           {"bound_ratio", PageNumber(whole->bound_ratio)},
                           {"wall_ms", PageNumber(whole->wall_ms)},
                           {"repro", whole->repro}};
      }
      return object;
    });
    page["ops"] = List(view_.ops, [](const OpSummary& op) {
      return Json{{"label", op.op},
                  {"kind", op.kind},
                  {"cases", op.cases},
                  {"counts", op.counts.by_status},
                  {"stages", List(op.stages, [](const StageCount& count) {
                     return Json{{"reached", count.reached}, {"passed", count.passed}, {"failed", count.failed}};
                   })}};
    });
    return page;
  }

  // Parts that grow with the rows are written as they are made: for 100,000 rows they would be a gigabyte of Json.
  void WriteHead(const Json& page, const TextSink& out) {
    const std::string head = Dump(page);
    out(ScriptSafe(std::string_view(head).substr(0, head.size() - 1)));
    out(",\"cases\":[");
  }

  void WriteCase(const Json& c, const TextSink& out) { out((cases_++ == 0 ? "" : ",") + ScriptSafe(Dump(c))); }

  void WriteRest(const std::vector<size_t>& rows, const TextSink& out) {
    out("]");
    WriteList("rows", rows.size(), out, [&](size_t i) { return ToJson(view_.rows[rows[i]]); });
    WriteList("strings", strings_.size(), out, [&](size_t i) { return Json(strings_[i]); });
    out(",\"columns\":" + Dump(columns_.ToJson()) + "}");
  }

  template <typename Items, typename Convert>
  static Json List(const Items& items, Convert convert) {
    Json list = Json::array();
    for (const auto& item : items) list.push_back(convert(item));
    return list;
  }

  static std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

  // Writes the member `name` of the page, after others.
  template <typename ItemAt>
  static void WriteList(const char* name, size_t count, const TextSink& out, ItemAt item) {
    out(fmt::format(",\"{}\":[", name));
    for (size_t i = 0; i < count; ++i) out((i == 0 ? "" : ",") + ScriptSafe(Dump(item(i))));
    out("]");
  }

  int64_t Intern(std::string_view text) { return strings_.Intern(text); }

  // The case id occurs in file names and commands. With a placeholder for it, these are one string for all cases.
  int64_t InternFor(const Case& c, std::string text) { return Intern(ReplaceAll(std::move(text), c.id, "{id}")); }

  Json InternAll(const std::vector<std::string>& texts) {
    return List(texts, [&](const std::string& text) { return Intern(text); });
  }

  int64_t StageIndex(const std::string& stage) const {
    const auto found = stage_index_.find(stage);
    return found == stage_index_.end() ? -1 : static_cast<int64_t>(found->second);
  }

  Json RunFacts() const {
    const RunHeader& header = view_.run->header;
    Json facts = {{"id", header.run_id},
                  {"target", header.target},
                  {"toolchain", SafeText(header.toolchain)},
                  {"policy", header.policy},
                  {"seed", header.fresh_seed ? fmt::format("{}, fresh {}", header.seed, *header.fresh_seed)
                                             : std::to_string(header.seed)},
                  {"start", header.start},
                  {"end", view_.run->footer.end},
                  {"wall_s", PageNumber(view_.run->footer.wall_s)},
                  {"git_sha", header.git_sha},
                  {"argv", header.argv},
                  {"host", header.host},
                  {"properties", SafeTexts(header.properties)},
                  {"complete", view_.run->complete},
                  {"unmet", view_.unmet},
                  {"model_ops", view_.model_ops},
                  {"records", view_.records},
                  {"unknown_records", view_.unknown_records.size()},
                  {"files", files_.programs.href},
                  {"suite", view_.manifest->suite ? SuiteText(*view_.manifest->suite) : ""},
                  {"manifest", header.manifest_hash},
                  {"score_card", files_.score_card}};
    if (const std::string compiled = CompiledOn(header); !compiled.empty()) facts["compiled"] = SafeText(compiled);
    if (std::string text = OtherVersion(header); !text.empty()) facts["other_version"] = std::move(text);
    if (!header.compile_only.empty()) facts["compile_only"] = SafeText(header.compile_only);
    return facts;
  }

  static Json ToJson(const RunsBefore& before) {
    Json json = {
        {"runs", List(before.runs, [](const EarlierRun& run) {
           return Json{
               {"id", run.id}, {"start", run.start}, {"rows", run.rows}, {"passed", run.passed}, {"href", run.href}};
         })}};
    if (before.red) json["red"] = *before.red;
    return json;
  }

  Json ToJson(const UnjudgedGroup& gap) {
    Json ops = List(gap.of, [&](const UnjudgedOp& op) {
      Json shapes = Json::array();
      for (const auto& [signature, cases] : ShapesOf(view_, op.cases)) {
        shapes.push_back(columns_.Pack("shape", {{"signature", Intern(signature)}, {"cases", cases}}));
      }
      return Json{{"op", Intern(op.op)},
                  {"cases", op.cases.size()},
                  {"rows", op.rows},
                  {"ops", op.ops},
                  {"shapes", std::move(shapes)}};
    });
    return {{"status", static_cast<int>(gap.status)},
            {"stage", StageIndex(gap.stage)},
            {"reason", Intern(gap.reason)},
            {"reasons", gap.reasons},
            {"cases", gap.cases},
            {"rows", gap.rows},
            {"ops", gap.ops},
            {"models", gap.models},
            {"of", std::move(ops)}};
  }

  Json ToJson(const Comparison& c) {
    Json worst = List(c.worst, [&](const Comparison::Element& element) {
      return columns_.Pack("element", {{"index", fmt::format("[{}]", fmt::join(element.index, ", "))},
                                       {"got", SafeText(element.got)},
                                       {"expected", SafeText(element.expected)},
                                       {"bound_ratio", PageNumber(element.bound_ratio)}});
    });
    return columns_.Pack("comparison", {{"output", c.output},
                                        {"dtype", Intern(c.dtype)},
                                        {"elements", c.elements},
                                        {"mismatches", c.mismatches},
                                        {"max_abs", PageNumber(c.max_abs)},
                                        {"max_rel", PageNumber(c.max_rel)},
                                        {"max_ulp", PageNumber(c.max_ulp)},
                                        {"pcc", Correlation(c.pcc)},
                                        {"cosine", Correlation(c.cosine)},
                                        {"rmse", PageNumber(c.rmse)},
                                        {"nan_mismatches", c.nan_mismatches},
                                        {"inf_mismatches", c.inf_mismatches},
                                        {"bound_ratio", PageNumber(c.bound_ratio)},
                                        {"rule", Intern(c.rule)},
                                        {"relaxed", Intern(c.relaxed)},
                                        {"constant", FlagOf(c.constant)},
                                        {"accepted", FlagOf(c.accepted)},
                                        {"worst", std::move(worst)},
                                        {"policy", Intern(c.policy)},
                                        {"unbounded", c.unbounded}});
  }

  Json ToJson(const std::vector<Comparison>& comparisons) {
    return List(comparisons, [&](const Comparison& comparison) { return ToJson(comparison); });
  }

  Json ToJson(const StageRecord& stage) {
    return columns_.Pack("stage", {{"name", Intern(stage.name)},
                                   {"status", static_cast<int>(stage.status)},
                                   {"ms", PageNumber(stage.ms)},
                                   {"diagnostic", Intern(FirstLine(stage.diagnostic))}});
  }

  Json ToJson(const Timing& t) {
    if (t.n == 0) return nullptr;
    return columns_.Pack("timing", {{"n", t.n},
                                    {"min_us", PageNumber(t.min_us)},
                                    {"median_us", PageNumber(t.median_us)},
                                    {"p95_us", PageNumber(t.p95_us)},
                                    {"first_call", t.first_call ? 1 : 0}});
  }

  Json ToJson(const std::map<std::string, double>& figures) {
    return List(figures, [&](const auto& figure) {
      return columns_.Pack("figure", {{"name", Intern(figure.first)}, {"value", PageNumber(figure.second)}});
    });
  }

  Json ToJson(const InputSetRecord& set) {
    return columns_.Pack("set", {{"policy", Intern(set.policy)},
                                 {"seed", std::to_string(set.seed)},
                                 {"status", static_cast<int>(set.status)},
                                 {"stage", Intern(set.stage)},
                                 {"diagnostic", Intern(FirstLine(set.diagnostic))},
                                 {"unbounded", set.unbounded}});
  }

  Json ToJson(const Case& c, const CaseRecord& record) {
    const Differential& second = record.differential;
    return columns_.Pack("record", {{"stages", List(record.stages, [&](const auto& stage) { return ToJson(stage); })},
                                    {"comparisons", ToJson(record.comparisons)},
                                    {"timing", ToJson(record.timing)},
                                    {"artifact_bytes", record.artifact_bytes},
                                    {"peak_rss_kb", record.peak_rss_kb},
                                    {"attempts", record.attempts},
                                    {"seed", std::to_string(record.seed)},
                                    {"worker", record.worker},
                                    {"signal", record.signal},
                                    {"stderr", InternAll(record.stderr_tail)},
                                    {"start", record.start},
                                    {"wall_ms", PageNumber(record.wall_ms)},
                                    {"repro", InternFor(c, record.repro)},
                                    {"batched", record.batched},
                                    {"cached_from", Intern(record.cached_from)},
                                    {"differential", Intern(second.target.empty() ? "" : Describe(second))},
                                    {"second_comparisons", ToJson(second.comparisons)},
                                    {"cost", ToJson(record.cost)},
                                    {"memory", ToJson(record.memory)},
                                    {"sets", List(record.sets, [&](const auto& set) { return ToJson(set); })}});
  }

  Json ToJson(size_t case_index, const CaseRecord* record) {
    const Case& c = view_.manifest->cases[case_index];
    Json attributes = List(c.attributes, [&](const auto& attribute) {
      return columns_.Pack("attribute", {{"name", Intern(attribute.first)}, {"value", Intern(attribute.second)}});
    });
    Json origins = List(c.origins, [&](const Origin& origin) {
      return columns_.Pack("origin", {{"model", model_index_.at(origin.model)},
                                      {"count", origin.count},
                                      {"framework_op", Intern(origin.framework_op)},
                                      {"module_path", InternAll(origin.module_path)},
                                      {"locations", InternAll(origin.locations)}});
    });
    const Json detail = columns_.Pack("detail", {{"file", InternFor(c, c.file)},
                                                 {"signature", Intern(SignatureText(c))},
                                                 {"attributes", std::move(attributes)},
                                                 {"flops", c.flops},
                                                 {"bytes", c.bytes},
                                                 {"record", record ? ToJson(c, *record) : Json()},
                                                 {"program", ProgramOf(case_index)}});
    return columns_.Pack("case", {{"id", c.id},
                                  {"op", op_index_.at(OpLabel(c))},
                                  {"dtype", Intern(ResultType(c))},
                                  {"wall_ms", record ? PageNumber(record->wall_ms) : Json(-1)},
                                  {"origins", std::move(origins)},
                                  {"detail", Dump(detail)}});
  }

  // The size of a case's file if it exists, and its text if the page contains it.
  Json ProgramOf(size_t case_index) {
    const auto found = files_.programs.of.find(case_index);
    if (found == files_.programs.of.end()) return nullptr;
    return columns_.Pack("program", {{"bytes", found->second.bytes}, {"text", found->second.text}});
  }

  Json ToJson(const RowResult& row) {
    Json baseline;
    if (row.expectation) {
      baseline = columns_.Pack("baseline", {{"reason", Intern(row.expectation->reason)},
                                            {"issue", Intern(row.expectation->issue)},
                                            {"since", Intern(row.expectation->since)},
                                            {"owner", Intern(row.expectation->owner)}});
    }
    return columns_.Pack("row",
                         {{"case", PlaceOf(row.case_index)},
                          {"model", row.model_index},
                          {"status", static_cast<int>(row.status)},
                          {"stage", StageIndex(row.stage)},
                          {"ops", row.ops},
                          {"diagnostic", Intern(row.status == Status::kPass ? "" : Shorten(row.diagnostic, 2000))},
                          {"baseline", std::move(baseline)}});
  }

  // A case's number in the page's list.
  size_t PlaceOf(size_t case_index) const {
    const auto place = places_.find(case_index);
    return place == places_.end() ? case_index : place->second;
  }

  const View& view_;
  const PageFiles& files_;
  size_t cases_ = 0;                           // in the list so far
  std::unordered_map<size_t, size_t> places_;  // of the chosen cases; empty if all are
  std::unordered_map<std::string, size_t> model_index_;
  std::unordered_map<std::string, size_t> stage_index_;
  std::unordered_map<std::string, size_t> op_index_;
  PageStrings strings_;
  PageColumns columns_;
};

}  // namespace

struct PageDataWriter::State {
  PageWriter writer;
  TextSink out;
};

PageDataWriter::PageDataWriter(const View& view, const PageFiles& files, TextSink out)
    : state_(std::make_unique<State>(State{PageWriter(view, files), std::move(out)})) {}

PageDataWriter::~PageDataWriter() = default;

void PageDataWriter::Begin() { state_->writer.Begin(state_->out); }

void PageDataWriter::Add(const RowResult& row, const CaseRecord* record) {
  if (last_case_ == row.case_index) return;
  last_case_ = row.case_index;
  state_->writer.Add(row.case_index, record, state_->out);
}

void PageDataWriter::End() { state_->writer.End(state_->out); }

void PageData(const View& view, const PageFiles& files, const TextSink& out) {
  PageDataWriter writer(view, files, out);
  writer.Begin();
  for (const RowResult& row : view.rows) writer.Add(row, view.RecordOf(row));
  writer.End();
}

void PageDataOf(const View& view, const std::vector<size_t>& cases, const TextSink& out) {
  const PageFiles none;
  PageWriter(view, none).WriteOnly(cases, out);
}

}  // namespace opbyop::reports
