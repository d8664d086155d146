// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/scorecard.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "reports/summary/summary.h"
#include "reports/view/compared_cases.h"
#include "reports/view/first_line.h"
#include "reports/view/table.h"
#include "reports/view/xml_writer.h"

namespace opbyop::reports {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownDigits = 12;  // of a digest

// The badge, in pixels: DejaVu Sans and Verdana at 11 px are about 7 wide.
constexpr size_t kCharacter = 7;
constexpr size_t kMargin = 6;

Json ScoreJson(const Score& score) {
  return {{"cases", score.cases}, {"passed", score.passed}, {"unsupported", score.unsupported}, {"red", score.red}};
}

template <typename Values, typename Convert>
Json ByName(const Values& values, Convert convert) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = convert(value);
  return object;
}

Cells ScoreCells(std::string name, const Score& score) {
  return {std::move(name),
          Grouped(score.cases),
          Grouped(score.passed),
          Percent(score.rate()),
          Grouped(score.unsupported),
          Grouped(score.red),
          Grouped(score.cases - score.passed - score.unsupported - score.red)};
}

Table HeatMap(const ScoreCard& card) {
  Table table{{"op"}, {}};
  for (const auto& [type, score] : card.by_type) table.head.push_back(type);
  for (const auto& [op, types] : card.by_op_type) {
    Cells line = {op};
    for (const auto& [type, all] : card.by_type) {
      const auto found = types.find(type);
      if (found == types.end()) {
        line.emplace_back();
      } else {
        const Score& score = found->second;
        line.push_back(score.passed == score.cases ? Grouped(score.cases)
                                                   : fmt::format("{}/{}", Grouped(score.passed), Grouped(score.cases)));
      }
    }
    table.body.push_back(std::move(line));
  }
  return table;
}

std::string_view Reservation(const ScoreCard& card) {
  if (!card.complete) return "The run did not end: this is no score yet.";
  if (card.selected) return "Some cases were left out: this is the score of a part.";
  if (!card.executes) return "The target only compiles: a pass means that the case was compiled.";
  return "";
}

}  // namespace

void Score::Add(Status status) {
  ++cases;
  if (status == Status::kPass) ++passed;
  if (status == Status::kUnsupported) ++unsupported;
  if (IsProblem(status)) ++red;
}

std::string SuiteText(const SuiteInfo& suite) {
  return fmt::format("{} {} {}", suite.name, suite.version, suite.level);
}

ScoreCard MakeScoreCard(const View& view) {
  const RunHeader& header = view.run->header;
  const std::optional<SuiteInfo>& suite = view.manifest->suite;
  ScoreCard card{.title = suite ? "suite " + SuiteText(*suite) : CountText(view.models.size(), "model"),
                 .suite = suite,
                 .target = header.target,
                 .toolchain = SafeText(header.toolchain),
                 .policies = header.policy,
                 .manifest_digest = header.manifest_hash,
                 .run_id = header.run_id,
                 .revision = header.git_sha,
                 .executes = header.compile_only.empty(),
                 .complete = view.run->complete,
                 .selected = !header.selected.empty()};
  std::map<size_t, const RowResult*> worst;  // by case
  for (const RowResult& row : view.rows) {
    const RowResult*& found = worst[row.case_index];
    if (found == nullptr || SeverityOf(row.status) > SeverityOf(found->status)) found = &row;
  }
  for (const auto& [index, row] : worst) {
    const std::string type = ResultType(*row->c);
    card.total.Add(row->status);
    card.by_op[row->op].Add(row->status);
    card.by_type[type].Add(row->status);
    card.by_op_type[row->op][type].Add(row->status);
  }
  return card;
}

std::string ScoreCardJson(const ScoreCard& card) {
  const Json json = {
      {"schema", kScoreCardSchema},
      {"title", card.title},
      {"suite", card.suite
                    ? Json{{"name", card.suite->name}, {"version", card.suite->version}, {"level", card.suite->level}}
                    : Json()},
      {"target", card.target},
      {"toolchain", card.toolchain},
      {"policies", card.policies},
      {"manifest_sha256", card.manifest_digest},
      {"run_id", card.run_id},
      {"revision", card.revision},
      {"executes", card.executes},
      {"complete", card.complete},
      {"selected", card.selected},
      {"total", ScoreJson(card.total)},
      {"by_op", ByName(card.by_op, ScoreJson)},
      {"by_type", ByName(card.by_type, ScoreJson)},
      {"by_op_type", ByName(card.by_op_type, [](const auto& types) { return ByName(types, ScoreJson); })}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ScoreCardMarkdown(const ScoreCard& card) {
  const Cells head = {"", "cases", "pass", "score", "unsupported", "red", "other"};
  Table total{head, {ScoreCells("all", card.total)}}, ops{head, {}}, types{head, {}};
  for (const auto& [op, score] : card.by_op) ops.body.push_back(ScoreCells(op, score));
  for (const auto& [type, score] : card.by_type) types.body.push_back(ScoreCells(type, score));
  std::string text = fmt::format("# {}: {} of {}\n\n", MarkdownCell(card.target), Percent(card.total.rate()),
                                 MarkdownCell(card.title));
  if (const std::string_view reservation = Reservation(card); !reservation.empty()) {
    text += fmt::format("{}\n\n", reservation);
  }
  text += fmt::format("{}\n", TableMarkdown(total));
  text += fmt::format(
      "Toolchain: {}. Inputs: {}. Manifest: {}. Run: {}.{}\n", MarkdownCell(card.toolchain),
      MarkdownCell(card.policies), MarkdownCell(card.manifest_digest.substr(0, kShownDigits)),
      MarkdownCell(card.run_id),
      card.revision.empty() ? "" : fmt::format(" opbyop {}.", MarkdownCell(card.revision.substr(0, kShownDigits))));
  text +=
      fmt::format("\n## By op\n\n{}\n## By type of the first result\n\n{}", TableMarkdown(ops), TableMarkdown(types));
  text += fmt::format("\n## Op by type\n\nCases, or passed/cases where some do not pass.\n\n{}",
                      TableMarkdown(HeatMap(card)));
  return text;
}

std::string ScoreBadge(const ScoreCard& card) {
  const std::string of = card.suite ? fmt::format("{} {} {}", card.suite->name, card.suite->version, card.suite->level)
                                    : "StableHLO op by op";
  const std::string left = fmt::format("{}: {}", SafeText(of), SafeText(card.target));
  const std::string right = fmt::format("{} of {}", Percent(card.total.rate()), CountText(card.total.cases, "case")) +
                            (card.executes ? "" : " compiled") + (card.complete && !card.selected ? "" : " (part)");
  const size_t left_width = left.size() * kCharacter + 2 * kMargin;
  const size_t right_width = right.size() * kCharacter + 2 * kMargin;
  const char* colour = card.total.red > 0 ? "#b3261e" : card.total.passed == 0 ? "#9a6700" : "#2e7d32";
  const std::string width = std::to_string(left_width + right_width);
  XmlElement svg("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                         {"width", width},
                         {"height", "20"},
                         {"role", "img"},
                         {"aria-label", left + ", " + right}});
  const auto box = [&](size_t at, size_t wide, const char* fill) {
    AddElement(svg.node(), "rect",
               {{"x", std::to_string(at)}, {"width", std::to_string(wide)}, {"height", "20"}, {"fill", fill}});
  };
  const auto label = [&](size_t at, size_t wide, const std::string& text) {
    pugi::xml_node node = AddElement(svg.node(), "text",
                                     {{"x", std::to_string(at + kMargin)},
                                      {"y", "14"},
                                      {"fill", "#fff"},
                                      {"font-size", "11"},
                                      {"font-family", "Verdana, DejaVu Sans, sans-serif"},
                                      {"textLength", std::to_string(wide - 2 * kMargin)}});
    SetText(node, text);
  };
  box(0, left_width, "#454545");
  box(left_width, right_width, colour);
  label(0, left_width, left);
  label(left_width, right_width, right);
  return svg.Text(0);
}

}  // namespace opbyop::reports
