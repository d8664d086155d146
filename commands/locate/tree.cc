// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "support/text/safe_text.h"

namespace opbyop::locate {
namespace {

constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kPlainAgain = "\033[0m";

void Append(const Node& node, Style style, int depth, std::string& text) {
  const bool red = style == Style::kColored && IsFailure(node.verdict.status);
  const std::string indent(static_cast<size_t>(depth) * 2, ' ');
  text += fmt::format("{}{}{} {}: {}{}\n", indent, red ? kRed : "", node.kind, SafeText(node.what), node.verdict.Text(),
                      red ? kPlainAgain : "");
  // A row below a failing part that has none says why there is none.
  if (IsUnjudged(node.verdict.status) && !node.verdict.diagnostic.empty()) {
    text += fmt::format("{}  ({})\n", indent, SafeText(node.verdict.diagnostic));
  }
  for (const Node& part : node.parts) Append(part, style, depth + 1, text);
  for (const std::string& note : node.notes) text += fmt::format("{}  {}\n", indent, SafeText(note));
  if (node.ways) text += fmt::format("{}  {}\n", indent, SafeText(node.ways->Text()));
  if (!node.why.empty()) text += fmt::format("{}  => {}\n", indent, SafeText(node.why));
}

}  // namespace

std::string Verdict::Text() const {
  return stage.empty() ? std::string(ToString(status)) : fmt::format("{} in {}", ToString(status), stage);
}

Verdict VerdictOf(const CaseRecord& record) {
  Verdict verdict{record.status, IsFailure(record.status) ? record.stage : "", record.diagnostic};
  // One wrong output that its own bound refuses is proof; the weaker criterion is needed only if there is none.
  const auto refused = [](const Comparison& each, bool weak) { return !each.accepted && each.weak == weak; };
  verdict.weak = std::ranges::any_of(record.comparisons, [&](const Comparison& each) { return refused(each, true); }) &&
                 std::ranges::none_of(record.comparisons, [&](const Comparison& each) { return refused(each, false); });
  return verdict;
}

std::string Text(const Node& node, Style style) {
  std::string text;
  Append(node, style, 0, text);
  return text;
}

nlohmann::json ToJson(const ThreeWays& ways) {
  if (!ways.measured()) return {{"unmeasured", ways.unmeasured}};
  return {{"promised", ways.promised}, {"device", ways.device}};
}

nlohmann::json ToJson(const Node& node) {
  nlohmann::json json = {{"kind", node.kind},
                         {"what", node.what},
                         {"status", ToString(node.verdict.status)},
                         {"stage", node.verdict.stage},
                         {"diagnostic", node.verdict.diagnostic},
                         {"parts", nlohmann::json::array()}};
  if (!node.why.empty()) json["why"] = node.why;
  if (!node.notes.empty()) json["notes"] = node.notes;
  if (node.ways) json["three_ways"] = ToJson(*node.ways);
  for (const Node& part : node.parts) json["parts"].push_back(ToJson(part));
  return json;
}

}  // namespace opbyop::locate
