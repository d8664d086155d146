#include "reports/page_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "reports/blockers.h"
#include "reports/gaps.h"
#include "reports/op_label.h"
#include "reports/page_number.h"
#include "reports/page_strings.h"
#include "reports/safe_text.h"
#include "reports/web_page.h"
#include "support/replace_all.h"

namespace opbyop::reports {
namespace {

using Json = nlohmann::ordered_json;

// Coefficients near 1 differ in late digits.
Json Correlation(double value) {
  return std::isfinite(value) ? Json(std::strtod(fmt::format("{:.15g}", value).c_str(), nullptr)) : PageNumber(value);
}

class PageWriter {
 public:
  PageWriter(const View& view, const ProfileLinks& profiles) : view_(view), profiles_(profiles) {
    for (size_t i = 0; i < view.models.size(); ++i) model_index_.emplace(view.models[i].model->name, i);
    for (size_t i = 0; i < view.stages.size(); ++i) stage_index_.emplace(view.stages[i].name, i);
    for (size_t i = 0; i < view.ops.size(); ++i) op_index_.emplace(view.ops[i].op, i);
  }

  void Write(const TextSink& out) {
    Json page = {{"schema", "opbyop-page/1"}, {"run", RunFacts()}};
    page["statuses"] = Json::array();
    page["problems"] = Json::array();
    page["silent"] = Json::array();
    for (const Status status : kAllStatuses) {
      page["statuses"].push_back(std::string(ToString(status)));
      if (IsProblem(status)) page["problems"].push_back(static_cast<int>(status));
      if (SaysNothing(status)) page["silent"].push_back(static_cast<int>(status));
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
      if (const auto profile = profiles_.find(model.model->name); profile != profiles_.end()) {
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
      Json cells = Json::array();
      for (const StageCount& count : op.stages) {
        for (const int64_t value : {count.reached, count.passed, count.failed}) cells.push_back(value);
      }
      return Json{op.op, op.kind, op.cases, op.counts.by_status, std::move(cells)};
    });
    page["blockers"] = List(RankBlockers(view_), [&](const Blocker& b) {
      return Json{b.op,
                  StageIndex(b.stage),
                  static_cast<int>(b.status),
                  Intern(b.diagnostic),
                  b.diagnostics,
                  b.cases,
                  b.rows,
                  b.ops,
                  b.models,
                  b.unlocked};
    });
    page["gap_lines"] = Json::array();
    for (const Status status : kAllStatuses) {
      if (!SaysNothing(status)) continue;
      if (std::string line = GapLine(view_, status); !line.empty()) page["gap_lines"].push_back(std::move(line));
    }
    page["gaps"] = List(FindGaps(view_), [&](const Gap& gap) { return ToJson(gap); });
    // What grows with the rows is written as it is made: of 100,000 it would be a gigabyte of Json.
    const std::string head = Dump(page);
    out(ScriptSafe(std::string_view(head).substr(0, head.size() - 1)));
    const std::vector<Case>& cases = view_.manifest->cases;
    std::vector<bool> has_row(cases.size());
    for (const RowResult& row : view_.rows) has_row[row.case_index] = true;
    WriteList("cases", cases.size(), out,
              [&](size_t i) { return ToJson(cases[i], has_row[i] ? view_.record_of(i) : nullptr, has_row[i]); });
    WriteList("rows", view_.rows.size(), out, [&](size_t i) { return ToJson(view_.rows[i]); });
    WriteList("strings", strings_.size(), out, [&](size_t i) { return Json(strings_[i]); });
    out("}");
  }

 private:
  template <typename Items, typename Convert>
  static Json List(const Items& items, Convert convert) {
    Json list = Json::array();
    for (const auto& item : items) list.push_back(convert(item));
    return list;
  }

  static std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

  // The member `name` of the page, after others.
  template <typename ItemAt>
  static void WriteList(const char* name, size_t count, const TextSink& out, ItemAt item) {
    out(fmt::format(",\"{}\":[", name));
    for (size_t i = 0; i < count; ++i) out((i == 0 ? "" : ",") + ScriptSafe(Dump(item(i))));
    out("]");
  }

  int64_t Intern(std::string_view text) { return strings_.Intern(text); }

  // The case id occurs in file names and commands: taken out, these become one string for all cases.
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
                  {"seed", std::to_string(header.seed)},
                  {"start", header.start},
                  {"end", view_.run->footer.end},
                  {"wall_s", PageNumber(view_.run->footer.wall_s)},
                  {"git_sha", header.git_sha},
                  {"argv", header.argv},
                  {"host", header.host},
                  {"complete", view_.run->complete},
                  {"unmet", view_.unmet},
                  {"model_ops", view_.model_ops},
                  {"records", view_.records},
                  {"unknown_records", view_.unknown_records.size()}};
    return facts;
  }

  Json ToJson(const Gap& gap) {
    Json ops = List(gap.of, [&](const GapOp& op) {
      Json shapes = Json::array();
      for (const auto& [signature, cases] : ShapesOf(view_, op.cases)) {
        shapes.push_back(Intern(signature));
        shapes.push_back(cases);
      }
      return Json{Intern(op.op), op.cases.size(), op.rows, op.ops, std::move(shapes)};
    });
    return {static_cast<int>(gap.status),
            StageIndex(gap.stage),
            Intern(gap.reason),
            gap.reasons,
            gap.cases,
            gap.rows,
            gap.ops,
            gap.models,
            std::move(ops)};
  }

  Json ToJson(const Comparison& c) {
    Json worst = Json::array();
    for (const Comparison::Element& element : c.worst) {
      worst.push_back(fmt::format("[{}]", fmt::join(element.index, ", ")));
      worst.push_back(SafeText(element.got));
      worst.push_back(SafeText(element.expected));
      worst.push_back(PageNumber(element.bound_ratio));
    }
    return {c.output,
            Intern(c.dtype),
            c.elements,
            c.mismatches,
            PageNumber(c.max_abs),
            PageNumber(c.max_rel),
            PageNumber(c.max_ulp),
            Correlation(c.pcc),
            Correlation(c.cosine),
            PageNumber(c.rmse),
            c.nan_mismatches,
            c.inf_mismatches,
            PageNumber(c.bound_ratio),
            Intern(c.rule),
            Intern(c.relaxed),
            (c.constant ? 1 : 0) + (c.accepted ? 2 : 0),
            std::move(worst),
            Intern(c.policy),
            c.unbounded};
  }

  Json ToJson(const Case& c, const CaseRecord& record) {
    Json stages = Json::array();
    for (const StageRecord& stage : record.stages) {
      stages.push_back(Intern(stage.name));
      stages.push_back(static_cast<int>(stage.status));
      stages.push_back(PageNumber(stage.ms));
      stages.push_back(Intern(FirstLine(stage.diagnostic)));
    }
    const Timing& t = record.timing;
    return {std::move(stages),
            List(record.comparisons, [&](const Comparison& comparison) { return ToJson(comparison); }),
            t.n > 0 ? Json{t.n, PageNumber(t.min_us), PageNumber(t.median_us), PageNumber(t.p95_us)} : Json(0),
            record.artifact_bytes,
            record.peak_rss_kb,
            record.attempts,
            std::to_string(record.seed),
            record.worker,
            record.signal,
            InternAll(record.stderr_tail),
            record.start,
            PageNumber(record.wall_ms),
            InternFor(c, record.repro),
            record.batched,
            Intern(record.second_opinion.target.empty() ? "" : Describe(record.second_opinion)),
            List(record.second_opinion.comparisons, [&](const Comparison& comparison) { return ToJson(comparison); }),
            List(record.sets, [&](const InputSetRecord& set) {
              return Json{Intern(set.policy), std::to_string(set.seed),          static_cast<int>(set.status),
                          Intern(set.stage),  Intern(FirstLine(set.diagnostic)), set.unbounded};
            })};
  }

  // A case that the run did not choose keeps its place, for rows name cases by their number.
  Json ToJson(const Case& c, const CaseRecord* record, bool has_row) {
    if (!has_row) return 0;
    Json attributes = Json::array();
    for (const auto& [name, value] : c.attributes) {
      attributes.push_back(Intern(name));
      attributes.push_back(Intern(value));
    }
    Json origins = List(c.origins, [&](const Origin& origin) {
      return Json{model_index_.at(origin.model), origin.count, Intern(origin.framework_op),
                  InternAll(origin.module_path), InternAll(origin.locations)};
    });
    return {c.id,
            op_index_.at(OpLabel(c)),
            InternFor(c, c.file),
            Intern(SignatureText(c)),
            std::move(attributes),
            c.flops,
            c.bytes,
            std::move(origins),
            record ? ToJson(c, *record) : Json(0)};
  }

  Json ToJson(const RowResult& row) {
    Json baseline = 0;
    if (row.expectation) {
      baseline = {Intern(row.expectation->reason), Intern(row.expectation->issue), Intern(row.expectation->since)};
    }
    return {row.case_index,
            row.model_index,
            static_cast<int>(row.status),
            StageIndex(row.stage),
            row.ops,
            Intern(row.status == Status::kPass ? "" : Shorten(row.diagnostic, 2000)),
            std::move(baseline)};
  }

  const View& view_;
  const ProfileLinks& profiles_;
  std::unordered_map<std::string, size_t> model_index_;
  std::unordered_map<std::string, size_t> stage_index_;
  std::unordered_map<std::string, size_t> op_index_;
  PageStrings strings_;
};

}  // namespace

void PageData(const View& view, const ProfileLinks& profiles, const TextSink& out) {
  PageWriter(view, profiles).Write(out);
}

}  // namespace opbyop::reports
