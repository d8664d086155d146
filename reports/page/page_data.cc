// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/page_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "reports/page/page_columns.h"
#include "reports/page/page_strings.h"
#include "reports/page/record_fields.h"
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
    Json page = {{"schema", "opbyop-page/5"}, {"run", RunFacts()}};
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
    if (!files_.tree.empty()) facts["tree"] = files_.tree;
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

  Json ToJson(const Comparison::Element& element) {
    return PackFields("element", element, {{"index", fmt::format("[{}]", fmt::join(element.index, ", "))}});
  }

  Json ToJson(const Comparison& c) {
    return PackFields("comparison", c, {{"pcc", Correlation(c.pcc)}, {"cosine", Correlation(c.cosine)}});
  }

  Json ToJson(const StageRecord& stage) {
    return PackFields("stage", stage, {{"diagnostic", Intern(FirstLine(stage.diagnostic))}});
  }

  Json ToJson(const Timing& t) { return t.n == 0 ? Json() : PackFields("timing", t); }

  Json ToJson(const InputSetRecord& set) {
    return PackFields("set", set, {{"diagnostic", Intern(FirstLine(set.diagnostic))}});
  }

  Json ToJson(const std::pair<const std::string, double>& figure) {
    return columns_.Pack("figure", {{"name", Intern(figure.first)}, {"value", PageNumber(figure.second)}});
  }

  Json ToJson(const Case& c, const CaseRecord& record) {
    const Differential& second = record.differential;
    return PackFields("record", record,
                      {{"repro", InternFor(c, record.repro)},
                       {"differential", Intern(second.target.empty() ? "" : Describe(second))},
                       {"second_comparisons", Value(second.comparisons)}});
  }

  // The member of a record in the form that its type has on the page.
  template <class M>
  Json Value(const M& member) {
    if constexpr (std::same_as<M, std::string>) {
      return Intern(member);
    } else if constexpr (std::same_as<M, bool>) {
      return FlagOf(member);
    } else if constexpr (std::same_as<M, uint64_t>) {
      return std::to_string(member);
    } else if constexpr (std::integral<M> || std::is_enum_v<M>) {
      return static_cast<int64_t>(member);
    } else if constexpr (std::same_as<M, double>) {
      return PageNumber(member);
    } else if constexpr (requires { ToJson(member); }) {
      return ToJson(member);
    } else if constexpr (requires { member.begin(); }) {
      return List(member, [&](const auto& item) { return Value(item); });
    } else {
      return nullptr;  // of no type that the page shows
    }
  }

  // Packs the members of a record, in the order of their table, then the others of `own`, which replaces what it names.
  template <class T>
  Json PackFields(std::string_view kind, const T& record, std::initializer_list<PageColumns::Member> own = {}) {
    std::vector<PageColumns::Member> members;
    const auto owned = [&](std::string_view key) {
      return std::ranges::find(own, key, [](const auto& member) { return std::string_view(member.name); });
    };
    ForEachFieldOnPage<T>([&](const auto& field) {
      const auto* mine = owned(field.key);
      members.push_back({field.key, mine != own.end() ? std::move(mine->value) : Value(record.*field.member)});
    });
    for (const PageColumns::Member& member : own) {
      if (std::ranges::none_of(members, [&](const auto& m) { return std::string_view(m.name) == member.name; })) {
        members.push_back({member.name, std::move(member.value)});
      }
    }
    return columns_.Pack(kind, std::span<const PageColumns::Member>(members));
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
    return columns_.Pack(
        "row", {{"case", PlaceOf(row.case_index)},
                {"model", row.model_index},
                {"status", static_cast<int>(row.status)},
                {"stage", StageIndex(row.stage)},
                {"ops", row.ops},
                {"diagnostic", Intern(Shorten(row.status == Status::kPass ? row.unjudged : row.diagnostic, 2000))},
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
