// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "manifests/targets/arithmetic.h"
#include "reports/summary/blame.h"
#include "reports/summary/ranked_causes.h"
#include "reports/summary/shared_traits.h"
#include "reports/summary/unjudged_rows.h"
#include "reports/summary/whole_models.h"
#include "reports/view/first_line.h"
#include "reports/view/table.h"

namespace opbyop::reports {
namespace {

constexpr size_t kShownBlockers = 10;
constexpr size_t kShownKinds = 2;  // ops shown for a blocker
constexpr size_t kShownShared = 10;
constexpr size_t kShownTogether = 10;
constexpr size_t kShownGaps = 10;   // on a terminal
constexpr size_t kShownOps = 4;     // of a gap, on a terminal
constexpr size_t kShownShapes = 3;  // of an op

int64_t Other(const StageCount& count) { return count.reached - count.passed - count.failed; }

Table StageTable(const View& view) {
  Table table{{"stage", "reached", "pass", "fail", "other", "median ms", "total s"}, {}};
  for (const StageSummary& stage : view.stages) {
    table.body.push_back({stage.name, Grouped(stage.rows.reached), Grouped(stage.rows.passed),
                          Grouped(stage.rows.failed), Grouped(Other(stage.rows)),
                          fmt::format("{:.2f}", stage.median_ms), fmt::format("{:.1f}", stage.total_ms / 1000)});
  }
  return table;
}

Table ModelTable(const View& view) {
  Table table{{"model", "ops", "rows", "pass", "problems", "other", "pass of all rows"}, {}};
  const bool whole =
      std::ranges::any_of(view.models, [](const ModelSummary& model) { return model.whole.has_value(); });
  if (whole) table.head.emplace_back("whole model");
  for (const ModelSummary& model : view.models) {
    const Counts& counts = model.counts;
    const bool split = model.model->error.empty();
    table.body.push_back({model.model->name, Grouped(model.model->ops), Grouped(counts.rows), Grouped(counts.passed()),
                          Grouped(counts.problems()), Grouped(counts.rows - counts.passed() - counts.problems()),
                          split ? Percent(counts.pass_rate()) : "not split"});
    if (whole) table.body.back().push_back(WholeModelText(model));
  }
  return table;
}

// "stablehlo.add, stablehlo.tanh and 3 more"
std::string OpsText(const RankedCause& b) {
  std::vector<std::string> ops;
  for (const std::string& op : b.of) ops.push_back(SafeText(op));
  return SomeOf(ops, kShownKinds);
}

Table BlockerTable(const std::vector<RankedCause>& blockers) {
  Table table{{"group", "stage", "status", "ops", "rows", "cases", "models", "turns green", "diagnostic"}, {}};
  for (size_t i = 0; i < std::min(blockers.size(), kShownBlockers); ++i) {
    const RankedCause& b = blockers[i];
    table.body.push_back({b.id, b.stage, std::string(ToString(b.status)), OpsText(b), Grouped(b.rows), Grouped(b.cases),
                          std::to_string(b.models.size()), std::to_string(b.unlocked.size()),
                          SafeText(Shorten(b.diagnostic, 90))});
  }
  return table;
}

// The common traits of the red rows of each op, a line each.
std::string SharedLines(const View& view, const std::string& prefix) {
  const std::vector<std::string> sentences = SharedTraits(view).Sentences();
  std::string out;
  for (size_t i = 0; i < std::min(sentences.size(), kShownShared); ++i) out += prefix + SafeText(sentences[i]) + "\n";
  if (sentences.size() > kShownShared) {
    out += fmt::format("{}and {}\n", prefix, CountText(sentences.size() - kShownShared, "more such line"));
  }
  return out.empty() ? "" : "\n" + out;
}

// "f32[2,3] -> f32[2,3] (4 cases), ... and 3 more"
std::string ShapesText(const View& view, const UnjudgedOp& op, size_t most) {
  const auto shapes = ShapesOf(view, op.cases);
  std::string text;
  for (size_t i = 0; i < std::min(shapes.size(), most); ++i) {
    const auto& [signature, cases] = shapes[i];
    text += (i == 0 ? "" : "; ") + SafeText(signature) + (cases == 1 ? "" : " (" + CountText(cases, "case") + ")");
  }
  if (shapes.size() > most) text += fmt::format("; and {} more", Grouped(static_cast<int64_t>(shapes.size() - most)));
  return text;
}

std::string ReasonText(const UnjudgedGroup& gap) {
  std::string text(ToString(gap.status));
  if (!gap.stage.empty()) text += " in " + gap.stage;
  text += ": " + SafeText(Shorten(gap.reason, 160));
  if (gap.reasons > 1) text += fmt::format(" (and {} like it)", Grouped(gap.reasons - 1));
  return text;
}

std::string GapCounts(const UnjudgedGroup& gap) {
  return fmt::format("{} of the models, {}, {}", CountText(gap.ops, "op"), CountText(gap.rows, "row"),
                     CountText(gap.cases, "case"));
}

std::vector<std::string> GapLines(const View& view) {
  std::vector<std::string> lines;
  for (const Status status : kAllStatuses) {
    if (std::string line = IsUnjudged(status) ? UnjudgedLine(view, status) : ""; !line.empty()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string GapText(const View& view) {
  const std::vector<UnjudgedGroup> gaps = FindUnjudged(view);
  std::string out;
  for (const std::string& line : GapLines(view)) out += "\n" + line;
  if (!out.empty()) out += "\n";
  for (size_t i = 0; i < std::min(gaps.size(), kShownGaps); ++i) {
    const UnjudgedGroup& gap = gaps[i];
    out += fmt::format("  {}\n    {}\n", ReasonText(gap), GapCounts(gap));
    for (size_t k = 0; k < std::min(gap.of.size(), kShownOps); ++k) {
      out += fmt::format("      {}: {}\n", SafeText(gap.of[k].op), ShapesText(view, gap.of[k], kShownShapes));
    }
    if (gap.of.size() > kShownOps)
      out += fmt::format("      and {} of op\n", CountText(gap.of.size() - kShownOps, "other kind"));
  }
  if (gaps.size() > kShownGaps) out += fmt::format("  and {}\n", CountText(gaps.size() - kShownGaps, "other reason"));
  return out;
}

std::string GapMarkdown(const View& view) {
  const std::vector<UnjudgedGroup> gaps = FindUnjudged(view);
  if (gaps.empty()) return "";
  std::string out = "\n## What is not judged\n\n";
  for (const std::string& line : GapLines(view)) out += "- " + line + "\n";
  for (const UnjudgedGroup& gap : gaps) {
    out += fmt::format("\n**{}** ({})\n\n", MarkdownCell(ReasonText(gap)), GapCounts(gap));
    Table table{{"op", "ops of the models", "rows", "cases", "shapes"}, {}};
    for (const UnjudgedOp& op : gap.of) {
      table.body.push_back({SafeText(op.op), Grouped(op.ops), Grouped(op.rows),
                            Grouped(static_cast<int64_t>(op.cases.size())), ShapesText(view, op, 2 * kShownShapes)});
    }
    out += TableMarkdown(table);
  }
  return out;
}

// {"pass", "1,850"}, ... for every status that occurred.
std::vector<std::pair<std::string, std::string>> StatusCounts(const Counts& counts) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Status status : kAllStatuses) {
    if (counts[status] > 0) list.emplace_back(ToString(status), Grouped(counts[status]));
  }
  return list;
}

std::string StatusLine(const Counts& counts) {
  std::string line = fmt::format("{} pass of all rows", Percent(counts.pass_rate()));
  for (const auto& [status, count] : StatusCounts(counts)) line += fmt::format(", {} {}", count, status);
  return line;
}

// "1,460 cases: 1,400 of run A, 60 of run B": results that this run did not make.
std::string CachedText(const std::map<std::string, int64_t>& cached) {
  constexpr size_t kShownRuns = 3;
  std::vector<std::pair<int64_t, std::string>> runs;
  int64_t cases = 0;
  for (const auto& [run, count] : cached) {
    runs.emplace_back(count, run);
    cases += count;
  }
  std::ranges::sort(
      runs, [](const auto& a, const auto& b) { return std::tie(b.first, a.second) < std::tie(a.first, b.second); });
  std::string text = CountText(cases, "case") + ":";
  for (size_t i = 0; i < std::min(runs.size(), kShownRuns); ++i) {
    text += fmt::format("{} {} of run {}", i == 0 ? "" : ",", Grouped(runs[i].first), runs[i].second);
  }
  if (runs.size() > kShownRuns) text += fmt::format(", and {}", CountText(runs.size() - kShownRuns, "other run"));
  return text;
}

// "failed on 3 cases, which it leaves without a verdict on some inputs: 1 timeout, 2 crash"
std::string ReferenceText(const std::map<Status, int64_t>& ends) {
  int64_t cases = 0;
  std::string text;
  for (const auto& [status, count] : ends) {
    cases += count;
    text += fmt::format("{} {} {}", text.empty() ? "" : ",", Grouped(count), ToString(status));
  }
  return fmt::format("failed on {}, which it leaves without a verdict on some inputs:{}", CountText(cases, "case"),
                     text);
}

// The ids of the cases that are red though each of their ops passes: "window_a, window_b and 3 more".
std::string RedTogetherNames(const Blame& blame) {
  std::vector<std::string> ids;
  for (const RowResult* row : blame.RedTogether()) {
    if (std::ranges::find(ids, row->c->id) == ids.end()) ids.push_back(row->c->id);
  }
  return ids.empty() ? "" : SomeOf(ids, kShownTogether);
}

std::vector<std::pair<std::string, std::string>> Facts(const View& view) {
  const Run& run = *view.run;
  std::string models = Grouped(static_cast<int64_t>(view.models.size()));
  if (!view.unsplit.empty()) models += fmt::format(", {} of them could not be split", view.unsplit.size());
  std::string wall = fmt::format("{:.1f} s", run.footer.wall_s);
  if (!run.complete) {
    wall = "unknown: the run did not end";
  } else if (run.footer.wall_s > 0) {
    wall += fmt::format(", {:.1f} cases/s", static_cast<double>(view.records) / run.footer.wall_s);
  }
  std::vector<std::pair<std::string, std::string>> facts = {
      {"target", run.header.target + (run.header.toolchain.empty() ? "" : ", " + FirstLine(run.header.toolchain))},
      {"models", models},
      {"ops", Grouped(view.model_ops)},
      {"distinct cases", Grouped(view.cases)},
      {"rows", Grouped(view.totals.rows) + ": " + StatusLine(view.totals)},
      {"wall time", wall},
      {"run", run.header.run_id}};
  if (std::string text = CompiledOnly(run.header); !text.empty()) {
    facts.insert(facts.begin() + 1, {"device", std::move(text)});
  }
  if (const auto declared = run.header.properties.find(kDeclaredArithmetic); declared != run.header.properties.end()) {
    facts.emplace_back("declares", SafeText(declared->second));
  }
  if (const std::string compiled = CompiledOn(run.header); !compiled.empty()) facts.emplace_back("compiled", compiled);
  if (std::string text = OtherVersion(run.header); !text.empty()) facts.emplace_back("versions", std::move(text));
  const Blame blame(view);
  if (const std::string ids = RedTogetherNames(blame); !ids.empty()) facts.emplace_back("red together", ids);
  if (blame.explained() > 0) {
    const bool one = blame.explained() == 1;
    facts.emplace_back("explained",
                       fmt::format("{} of several ops {} red with one of {} ops, and {} not listed by cause",
                                   CountText(blame.explained(), "row"), one ? "is" : "are", one ? "its" : "their",
                                   one ? "is" : "are"));
  }
  if (!view.reference_ends.empty()) facts.emplace_back("reference", ReferenceText(view.reference_ends));
  if (!view.cached.empty()) facts.emplace_back("from cache", CachedText(view.cached));
  if (!run.bad_lines.empty()) facts.emplace_back("damaged", "results.jsonl: " + Describe(run.bad_lines));
  for (const RunEvent& event : run.events) facts.emplace_back("event", SafeText(event.text));
  if (!view.unknown_records.empty()) {
    facts.emplace_back("unknown",
                       fmt::format("{} of cases that the manifest lacks, the first {}",
                                   CountText(view.unknown_records.size(), "record"), view.unknown_records.front()));
  }
  return facts;
}

}  // namespace

std::string Headline(const View& view) {
  if (view.exit_code() == ExitCode::kNothingJudged) {
    return fmt::format(
        "nothing was judged: {} unsupported, inconclusive or skipped",
        view.totals.rows == 1 ? "the only row is" : fmt::format("all {} rows are", Grouped(view.totals.rows)));
  }
  std::string text = view.red() ? "needs attention" : "no unexpected result";
  if (!view.run->header.compile_only.empty()) text += ", compiled only";
  if (!OtherVersion(view.run->header).empty()) text += ", executed by another version than compiled it";
  std::vector<std::string> reasons = view.unmet;
  if (std::string together = RedTogetherText(Blame(view)); !together.empty()) reasons.push_back(std::move(together));
  if (!reasons.empty()) text += fmt::format(": {}", fmt::join(reasons, "; "));
  return text;
}

std::string CompiledOn(const RunHeader& header) {
  const auto of = [&](const char* key) {
    const auto found = header.compiled.find(key);
    return found == header.compiled.end() ? std::string("unknown") : FirstLine(found->second);
  };
  constexpr size_t kToSeconds = 19;
  return header.compiled.empty() ? ""
                                 : fmt::format("on {}, {}, {}", of("cpu"), of("os"), of("start").substr(0, kToSeconds));
}

std::string OtherVersion(const RunHeader& header) {
  const auto found = header.compiled.find("other_version");
  return found == header.compiled.end() ? "" : SafeText(found->second);
}

std::string CompiledOnly(const RunHeader& header) {
  return header.compile_only.empty() ? "" : "compiled only, not executed: " + SafeText(header.compile_only);
}

std::string Percent(double rate) {
  constexpr double kTenth = 0.001;
  double shown = std::round(rate / kTenth) * kTenth;
  if (rate < 1) shown = std::min(shown, 1 - kTenth);
  if (rate > 0) shown = std::max(shown, kTenth);
  return fmt::format("{:.1f} %", 100 * shown);
}

std::string SummaryText(const View& view) {
  std::string out = fmt::format("{:<16}{}\n", "result", Headline(view));
  for (const auto& [name, value] : Facts(view)) out += fmt::format("{:<16}{}\n", name, SafeText(value));
  const std::vector<RankedCause> blockers = RankCauses(view);
  if (!blockers.empty()) out += "\n" + TableText(BlockerTable(blockers));
  if (blockers.size() > kShownBlockers) out += fmt::format("... and {} more\n", blockers.size() - kShownBlockers);
  out += SharedLines(view, "");
  out += "\n" + TableText(StageTable(view)) + "\n" + TableText(ModelTable(view));
  for (const Model* model : view.unsplit) {
    out += fmt::format("\nnot split: {}: {}\n", model->name, SafeText(FirstLine(model->error)));
  }
  return out + GapText(view);
}

std::string SummaryMarkdown(const View& view) {
  std::string out = fmt::format("# {}: {}\n\n", MarkdownCell(view.run->header.target), MarkdownCell(Headline(view)));
  Table facts{{"run", ""}, {}};
  for (const auto& [name, value] : Facts(view)) facts.body.push_back({name, SafeText(value)});
  for (const auto& [name, value] : view.run->header.properties) facts.body.push_back({SafeText(name), SafeText(value)});
  out += TableMarkdown(facts);
  const std::vector<RankedCause> blockers = RankCauses(view);
  if (!blockers.empty()) {
    out +=
        "\n## What to fix first\n\nProblem rows by cause: stage, status and what the diagnostic says but for numbers "
        "and names. A fix turns a model green "
        "where the model has no other problem.\n\n" +
        TableMarkdown(BlockerTable(blockers));
  }
  if (blockers.size() > kShownBlockers) out += fmt::format("\n{} more.\n", blockers.size() - kShownBlockers);
  out += SharedLines(view, "- ");
  out += "\n## Stages\n\nRows that reached a stage; times are of distinct cases.\n\n" + TableMarkdown(StageTable(view));
  out += "\n## Models\n\n" + TableMarkdown(ModelTable(view));
  if (!view.unsplit.empty()) out += "\n## Models that could not be split\n\n";
  for (const Model* model : view.unsplit) {
    out += fmt::format("- {}: {}\n", MarkdownCell(model->name), MarkdownCell(SafeText(FirstLine(model->error))));
  }
  return out + GapMarkdown(view);
}

}  // namespace opbyop::reports
