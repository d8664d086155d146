// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/comparison/conformance_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "reports/summary/summary.h"
#include "reports/view/first_line.h"
#include "reports/view/page_number.h"
#include "reports/view/table.h"

namespace opbyop::reports {
namespace {

constexpr size_t kShownDiagnostic = 200;
constexpr size_t kToolchainOnTerminal = 48;
constexpr std::string_view kNone = "–";  // the target has no such case

// The target's name, and the last stage of its runs if they do not compare numbers.
std::string TargetLabel(const View& view) {
  return view.run->header.target + (view.run->header.compile_only.empty() ? "" : " (compiled only)");
}

std::string EndText(const EndCount& end) {
  std::string text = fmt::format("{} {}", Grouped(end.cases), ToString(end.status));
  if (!end.stage.empty()) text += " in " + end.stage;
  return text;
}

// "12", "9/12: 2 crash in compile, 1 unsupported in parse"
std::string CellText(const OutcomeSummary& summary) {
  if (summary.cases == 0) return std::string(kNone);
  if (summary.passed == summary.cases) return Grouped(summary.cases);
  std::vector<std::string> ends;
  for (const EndCount& end : summary.ends) ends.push_back(EndText(end));
  return fmt::format("{}/{}: {}", Grouped(summary.passed), Grouped(summary.cases), fmt::join(ends, ", "));
}

int64_t CountShapes(const std::vector<const ComparedCase*>& cases) {
  std::set<std::string> shapes;
  for (const ComparedCase* compared : cases) shapes.insert(SignatureText(*compared->c));
  return static_cast<int64_t>(shapes.size());
}

std::string TypesOf(const std::vector<const ComparedCase*>& cases) {
  std::vector<std::string> types;
  for (const auto& [type, members] : ByType(cases)) types.push_back(type);
  return fmt::format("{}", fmt::join(types, " "));
}

// A summary for each run.
std::vector<OutcomeSummary> SummarizeAll(const std::vector<const ComparedCase*>& cases, size_t runs) {
  std::vector<OutcomeSummary> summaries;
  for (size_t run = 0; run < runs; ++run) summaries.push_back(Summarize(cases, run));
  return summaries;
}

// A row of the table: `line`, and a cell for each run.
Cells WithCells(Cells line, const std::vector<OutcomeSummary>& summaries) {
  for (const OutcomeSummary& summary : summaries) line.push_back(CellText(summary));
  return line;
}

Table TargetTable(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases,
                  size_t toolchain_limit) {
  Table table{{"target", "toolchain", "cases", "pass", "red", "neither"}, {}};
  std::vector<const ComparedCase*> all;
  for (const ComparedCase& compared : cases) all.push_back(&compared);
  for (size_t run = 0; run < runs.size(); ++run) {
    const OutcomeSummary summary = Summarize(all, run);
    int64_t red = 0;
    for (const EndCount& end : summary.ends) red += IsProblem(end.status) ? end.cases : 0;
    const View& view = *runs[run].view;
    table.body.push_back({TargetLabel(view), SafeText(Shorten(view.run->header.toolchain, toolchain_limit)),
                          Grouped(summary.cases), Grouped(summary.passed), Grouped(red),
                          Grouped(summary.cases - summary.passed - red)});
  }
  return table;
}

// The name and version of what compiled, without the device: a plugin's package, or the toolchain's text before " on ".
std::string CompilerOf(const View& view) {
  const RunHeader& header = view.run->header;
  const auto package = header.properties.find("plugin_package");
  return package == header.properties.end() ? header.toolchain.substr(0, header.toolchain.find(" on "))
                                            : package->second;
}

// Whether a case ended in the same stage with the same status on each of the runs, by their indices.
bool HasSameEnding(const ComparedCase& compared, const std::vector<size_t>& runs) {
  const std::optional<Outcome>& first = compared.outcomes[runs.front()];
  return std::ranges::all_of(runs, [&](size_t run) {
    const std::optional<Outcome>& outcome = compared.outcomes[run];
    return first && outcome && outcome->row->status == first->row->status && outcome->row->stage == first->row->stage;
  });
}

// Lines on compilers with several targets, whose rows of the table are no independent witnesses.
std::string OneCompilerLines(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases) {
  std::map<std::string, std::vector<size_t>> compilers;
  for (size_t run = 0; run < runs.size(); ++run) compilers[CompilerOf(*runs[run].view)].push_back(run);
  std::string lines;
  for (const auto& [compiler, members] : compilers) {
    if (members.size() == 1) continue;
    std::vector<std::string> targets;
    for (const size_t run : members) targets.push_back(runs[run].view->run->header.target);
    const auto alike =
        std::ranges::count_if(cases, [&](const auto& compared) { return HasSameEnding(compared, members); });
    lines += fmt::format("- One compiler, {}: {}; {} of {} {} alike on all of them.\n",
                         MarkdownCell(SafeText(Shorten(compiler, kShownDiagnostic))), fmt::join(targets, ", "),
                         Grouped(alike), CountText(cases.size(), "case"), alike == 1 ? "ends" : "end");
  }
  return lines.empty() ? "" : "\n" + lines;
}

Cells Head(const std::vector<ComparedRun>& runs, Cells head) {
  for (const ComparedRun& run : runs) head.push_back(TargetLabel(*run.view));
  return head;
}

// A command as it reads on another machine: without the folders of the program and of the run.
std::string WithoutFolders(std::string repro) {
  constexpr std::string_view kRun = " --run=";
  const size_t space = repro.find(' ');
  const size_t run = repro.find(kRun);
  if (!repro.starts_with('/') || space == std::string::npos) return repro;
  const std::string program = repro.substr(0, space);
  if (run != std::string::npos) {
    const size_t value = run + kRun.size();
    const auto differ = std::ranges::mismatch(program, std::string_view(repro).substr(value)).in1;
    const size_t common = program.substr(0, static_cast<size_t>(differ - program.begin())).rfind('/') + 1;
    if (common > 1) repro.erase(value, common);
  }
  return repro.substr(program.rfind('/') + 1);
}

// Lists the types and shapes of an op that pass on each target, and why the others do not.
std::string OpSection(const std::string& op, const std::vector<const ComparedCase*>& cases,
                      const std::vector<OutcomeSummary>& summaries, const std::vector<ComparedRun>& runs) {
  Table types{Head(runs, {"type", "shapes"}), {}};
  for (const auto& [type, members] : ByType(cases)) {
    types.body.push_back(WithCells({type, Grouped(CountShapes(members))}, SummarizeAll(members, runs.size())));
  }
  std::string text = fmt::format("\n### {}\n\n{}\n", MarkdownCell(op), TableMarkdown(types));
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const EndCount& end : summaries[run].ends) {
      const RowResult& row = *end.first->row;
      text += fmt::format("- {}, {}, first {}: {}\n", MarkdownCell(runs[run].view->run->header.target),
                          MarkdownCell(EndText(end)), MarkdownCell(SignatureText(*row.c)),
                          MarkdownCell(SafeText(Shorten(row.diagnostic, kShownDiagnostic))));
      if (!end.first->repro.empty()) text += fmt::format("  {}\n", MarkdownCode(WithoutFolders(end.first->repro)));
    }
  }
  return text;
}

}  // namespace

std::string ConformancePage(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases) {
  const CaseGroups ops = ByOp(cases);
  Table table{Head(runs, {"op", "types", "shapes"}), {}};
  std::string sections;
  for (const auto& [op, members] : ops) {
    const std::vector<OutcomeSummary> summaries = SummarizeAll(members, runs.size());
    table.body.push_back(WithCells({op, TypesOf(members), Grouped(CountShapes(members))}, summaries));
    const auto passes = [](const OutcomeSummary& summary) { return summary.passed == summary.cases; };
    if (!std::ranges::all_of(summaries, passes)) sections += OpSection(op, members, summaries, runs);
  }
  return fmt::format(
      "# Conformance\n\n"
      "How {} of {} end on {}. A pass means that every stage of the target passed and, where the target executes, that "
      "its results are right; of a target that only compiles it means that the case was compiled. *Neither* is "
      "unsupported, inconclusive, skipped or expected by the target's baseline.\n\n"
      "{}{}\n## Ops\n\n"
      "Cases that passed, or passed/all and how the others ended; the element types are those of the first result.\n\n"
      "{}{}{}",
      CountText(cases.size(), "case"), CountText(ops.size(), "op"), CountText(runs.size(), "target"),
      TableMarkdown(TargetTable(runs, cases, kShownDiagnostic)), OneCompilerLines(runs, cases), TableMarkdown(table),
      sections.empty() ? "" : "\n## What does not pass everywhere\n", sections);
}

std::string ConformanceSummary(const std::vector<ComparedRun>& runs, const std::vector<ComparedCase>& cases) {
  Table table{Head(runs, {"op"}), {}};
  for (const auto& [op, members] : ByOp(cases)) {
    Cells line = WithCells({op}, SummarizeAll(members, runs.size()));
    const auto differs = [&](const std::string& cell) { return cell != line[1]; };
    if (std::any_of(line.begin() + 1, line.end(), differs)) table.body.push_back(std::move(line));
  }
  std::string text = TableText(TargetTable(runs, cases, kToolchainOnTerminal));
  if (table.body.empty()) return text + "\nAll ops end alike on these targets.\n";
  return text + "\nOps on which the targets do not end alike, in cases:\n\n" + TableText(table);
}

}  // namespace opbyop::reports
