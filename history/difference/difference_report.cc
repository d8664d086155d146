// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/difference/difference_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/summary/summary.h"
#include "reports/view/table.h"
#include "support/text/count_text.h"
#include "support/text/safe_text.h"

namespace opbyop::history {
namespace {

constexpr size_t kMarkdownEntries = 18;  // with the lines around them, less than 30 lines
constexpr size_t kDiagnostic = 160;
constexpr size_t kShownOps = 3;
constexpr double kReportedDrift = 0.03;  // of all times; machines vary by less than this anyway

const SnapshotCase& CaseOf(const Difference& difference, const Change& change) {
  return change.after ? difference.after->cases[change.after->case_index]
                      : difference.before->cases[change.before->case_index];
}

const SnapshotRow& RowOf(const Change& change) { return change.after ? *change.after : *change.before; }

// The row whose cause explains the change: a fixed row had its cause before.
const SnapshotRow& CausedRow(const Change& change) {
  return change.kind == ChangeKind::kFixed ? *change.before : RowOf(change);
}

bool IsOfNumbers(ChangeKind kind) {
  return kind == ChangeKind::kSlower || kind == ChangeKind::kFaster || kind == ChangeKind::kWorse ||
         kind == ChangeKind::kBetter;
}

std::string EndText(const Difference& difference, const Change& change) {
  const SnapshotRow& row = CausedRow(change);
  std::string text(ToString(row.status));
  if (!row.stage.empty()) text += " in " + row.stage;
  const Snapshot& snapshot = change.kind == ChangeKind::kFixed ? *difference.before : *difference.after;
  const auto cause = snapshot.causes.find(row.cause);
  if (cause != snapshot.causes.end() && !cause->second.diagnostic.empty()) {
    text += ": " + SafeText(Shorten(cause->second.diagnostic, kDiagnostic));
  }
  return change.kind == ChangeKind::kFixed ? "was " + text : text;
}

std::string NumberText(const Change& change) {
  if (change.kind == ChangeKind::kSlower || change.kind == ChangeKind::kFaster) {
    return fmt::format("{:.4g} µs -> {:.4g} µs ({:+.0f} %), confidence {}", change.before_value, change.after_value,
                       100 * (change.after_value / change.before_value - 1), reports::Percent(change.confidence));
  }
  return fmt::format("worst error {:.3g} -> {:.3g} of its bound", change.before_value, change.after_value);
}

double SizeOf(const Change& change) {
  const double size = std::abs(std::log(change.after_value / change.before_value));
  return std::isnan(size) ? 0 : size;
}

std::string KeyOf(const Difference& difference, const Change& change) {
  if (IsOfNumbers(change.kind)) return CaseOf(difference, change).id;
  if (change.kind == ChangeKind::kGone) return "";
  if (change.kind == ChangeKind::kNew) return change.after->model + "\n" + change.after->cause;
  return CausedRow(change).cause;
}

std::string OpsText(const DifferenceEntry& entry) {
  std::vector<std::string> ops;
  for (const std::string& op : entry.ops) ops.push_back(SafeText(op));
  return SomeOf(ops, kShownOps);
}

std::string WhatText(const DifferenceEntry& entry) {
  std::string text = entry.what;
  if (!entry.owner.empty()) text += fmt::format(" [{}]", SafeText(entry.owner));
  if (!entry.issue.empty()) text += " " + SafeText(entry.issue);
  return text;
}

std::string ModelsText(const DifferenceEntry& entry) {
  return entry.models.size() == 1 ? SafeText(*entry.models.begin()) : CountText(entry.models.size(), "model");
}

std::string Headline(const Difference& difference, const std::vector<DifferenceEntry>& entries) {
  const auto worse = std::ranges::count_if(entries, &DifferenceEntry::worse);
  const auto fixed =
      std::ranges::count_if(entries, [](const DifferenceEntry& entry) { return entry.kind == ChangeKind::kFixed; });
  std::string text = difference.after->target + ": ";
  text += worse == 0 ? "nothing got worse" : CountText(worse, "thing") + " got worse";
  if (fixed > 0) text += fmt::format(", {} fixed", fixed);
  return text;
}

std::string RunText(const Snapshot& run) {
  int64_t passed = 0;
  for (const SnapshotRow& row : run.rows) passed += row.status == Status::kPass ? 1 : 0;
  const auto rows = static_cast<int64_t>(run.rows.size());
  std::string text = fmt::format("{} ({}): {} of {} pass", SafeText(run.run_id), SafeText(Shorten(run.toolchain, 60)),
                                 Grouped(passed), CountText(rows, "row"));
  if (!run.complete) text += ", did not end";
  if (run.partial) text += ", chosen rows alone";
  return text;
}

std::string TimesText(const Difference& difference) {
  if (!difference.untimed.empty()) return "Times were not compared: " + SafeText(difference.untimed) + ".";
  const Drift& drift = difference.drift;
  const double share = std::expm1(drift.log);
  std::string text = fmt::format("Times of {} compared, noise {:.1f} % from run to run", CountText(drift.cases, "case"),
                                 100 * drift.noise);
  if (std::abs(share) >= kReportedDrift) {
    text += fmt::format("; all together {:.0f} % {}, which is the machine or every op", 100 * std::abs(share),
                        share > 0 ? "slower" : "faster");
  }
  return text + ".";
}

}  // namespace

std::string UpToMachineText(int64_t rows) {
  return fmt::format("{} changed between passing and the failure that the baseline allows", CountText(rows, "row"));
}

std::vector<DifferenceEntry> EntriesOf(const Difference& difference) {
  std::map<std::pair<ChangeKind, std::string>, DifferenceEntry> entries;
  for (const Change& change : difference.changes) {
    DifferenceEntry& entry = entries[{change.kind, KeyOf(difference, change)}];
    const SnapshotCase& c = CaseOf(difference, change);
    const SnapshotRow& row = RowOf(change);
    if (entry.rows++ == 0) {
      entry.kind = change.kind;
      entry.first = row.model + "__" + c.id;
      if (IsOfNumbers(change.kind)) {
        entry.what = NumberText(change);
        entry.size = SizeOf(change);
      } else {
        entry.group = CausedRow(change).cause;
        entry.what = change.kind == ChangeKind::kGone ? "not in the run any more" : EndText(difference, change);
      }
      const auto cause = difference.after->causes.find(entry.group);
      if (cause != difference.after->causes.end()) {
        entry.issue = cause->second.issue;
        entry.owner = cause->second.owner;
      }
    }
    entry.worse = entry.worse || IsRegression(change);
    entry.ops.insert(c.op);
    entry.models.insert(row.model);
  }
  std::vector<DifferenceEntry> sorted;
  sorted.reserve(entries.size());
  for (auto& [key, entry] : entries) sorted.push_back(std::move(entry));
  std::ranges::sort(sorted, {}, [](const DifferenceEntry& entry) {
    return std::tuple(!entry.worse, entry.kind, -entry.size, -entry.rows, std::string_view(entry.first));
  });
  return sorted;
}

std::string DifferenceText(const Difference& difference) {
  const std::vector<DifferenceEntry> entries = EntriesOf(difference);
  std::string out = fmt::format("{}\n  {}\n  {}\n  {}\n", Headline(difference, entries), RunText(*difference.before),
                                RunText(*difference.after), TimesText(difference));
  if (difference.up_to_machine > 0) out += fmt::format("  {}: no change\n", UpToMachineText(difference.up_to_machine));
  for (const DifferenceEntry& entry : entries) {
    out += fmt::format("\n{}{}{}: {} of {} in {}\n    {}\n    {}{}\n", entry.worse ? "! " : "  ", TitleOf(entry.kind),
                       entry.group.empty() ? "" : " " + entry.group, CountText(entry.rows, "row"), OpsText(entry),
                       ModelsText(entry), WhatText(entry), entry.first,
                       entry.rows > 1 ? fmt::format(" and {} more", Grouped(entry.rows - 1)) : "");
  }
  return out;
}

std::string DifferenceMarkdown(const Difference& difference) {
  const std::vector<DifferenceEntry> entries = EntriesOf(difference);
  std::string out =
      fmt::format("### {}\n\n- before: {}\n- now: {}\n- {}\n", reports::MarkdownCell(Headline(difference, entries)),
                  reports::MarkdownCell(RunText(*difference.before)), reports::MarkdownCell(RunText(*difference.after)),
                  TimesText(difference));
  if (difference.up_to_machine > 0) out += fmt::format("- {}: no change\n", UpToMachineText(difference.up_to_machine));
  if (entries.empty()) return out;
  reports::Table table{{"", "rows", "op", "model", "what", "group"}, {}};
  for (size_t i = 0; i < std::min(entries.size(), kMarkdownEntries); ++i) {
    const DifferenceEntry& entry = entries[i];
    table.body.push_back({std::string(entry.worse ? "❌ " : "") + std::string(TitleOf(entry.kind)), Grouped(entry.rows),
                          OpsText(entry), ModelsText(entry), WhatText(entry), entry.group});
  }
  out += "\n" + reports::TableMarkdown(table);
  if (entries.size() > kMarkdownEntries) {
    out += fmt::format("\n{} more: `opbyop diff` without `--markdown` lists them.\n",
                       Grouped(static_cast<int64_t>(entries.size() - kMarkdownEntries)));
  }
  return out;
}

}  // namespace opbyop::history
