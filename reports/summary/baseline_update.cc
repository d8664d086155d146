// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/baseline_update.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tuple>

#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "manifests/targets/target.h"
#include "reports/view/fingerprint.h"
#include "reports/view/first_line.h"
#include "support/text/pattern.h"

namespace opbyop::reports {
namespace {

constexpr std::string_view kEntries = "entries:";
constexpr size_t kMaxReason = 200;

using Lines = std::vector<std::string>;

Lines LinesOf(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

size_t Indent(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Untrusted text as a YAML scalar.
std::string Scalar(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
  if (!is_plain) return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

Row RowOf(const RowResult& row) { return {row.c, row.model}; }

// Ids by case: a case that fails in one model fails in all.
std::vector<std::string> IdsOf(const std::vector<const RowResult*>& rows) {
  std::vector<std::string> ids;
  std::set<std::string> known;
  for (const RowResult* row : rows) {
    if (known.insert(row->c->id).second) ids.push_back("*__" + row->c->id);
  }
  return ids;
}

// The lines of the entry in block style, with its dash at `indent`.
Lines Written(const BaselineEntry& entry, size_t indent) {
  Lines lines;
  if (entry.ids.size() == 1) {
    lines.push_back("- id: " + Scalar(entry.ids.front()));
  } else if (!entry.ids.empty()) {
    lines.emplace_back("- ids:");
    for (const std::string& id : entry.ids) lines.push_back("  - " + Scalar(id));
  }
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) lines.push_back(fmt::format("  {}: {}", key, value));
  };
  const auto text = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) add(key, Scalar(value));
  };
  text("op", entry.op);
  text("dtype", entry.dtype);
  add("stage", entry.stage);
  add("status", std::string(ToString(entry.status)));
  if (entry.may_pass) add("may_pass", "true");
  if (!entry.policies.empty()) add("policies", fmt::format("[{}]", fmt::join(entry.policies, ", ")));
  text("toolchain", entry.toolchain);
  text("diagnostic", entry.diagnostic);
  text("reason", entry.reason);
  text("issue", entry.issue);
  text("owner", entry.owner);
  add("since", entry.since);
  for (std::string& line : lines) line.insert(0, indent, ' ');
  return lines;
}

// The numbers in a comparison's diagnostic depend on the inputs, and a limit does not name the cause.
bool DiagnosticNamesCause(const RowEnd& end) {
  return end.stage != kCompareStage && !end.diagnostic.empty() &&
         (end.status == Status::kFail || end.status == Status::kCrash);
}

using GroupKey = std::tuple<std::string, std::string, Status, std::vector<std::string>, std::string, bool>;

BaselineEntry EntryOf(const GroupKey& key, const std::vector<const RowResult*>& rows, const RunHeader& header) {
  const auto& [op, stage, status, policies, fingerprint, may_pass] = key;
  const RowResult& first = *rows.front();
  BaselineEntry entry;
  entry.ids = IdsOf(rows);
  entry.stage = stage;
  entry.status = status;
  entry.may_pass = may_pass;
  // A failure on the inputs of every policy does not depend on the policy.
  if (fmt::format("{}", fmt::join(policies, ",")) != header.policy) entry.policies = policies;
  if (DiagnosticNamesCause(EndOf(first))) {
    entry.diagnostic = PatternOf(fingerprint);
    const Expected<Pattern> pattern = Pattern::Compile(entry.diagnostic);
    const auto found = [&](const RowResult* row) { return pattern->IsFoundIn(row->diagnostic); };
    if (!pattern || !std::ranges::all_of(rows, found)) entry.diagnostic.clear();
  }
  entry.reason = first.diagnostic.empty() ? fmt::format("{} in {}, without a diagnostic", ToString(status), stage)
                                          : Shorten(SafeText(first.diagnostic), kMaxReason);
  entry.since = header.start.substr(0, header.start.find('T'));
  return entry;
}

class Updater {
 public:
  Updater(const View& view, const Baseline& old, const std::string& text)
      : view_(view), old_(old), lines_(LinesOf(text)) {
    Baseline active = old;
    active.KeepFor(view.run->header);
    for (const BaselineEntry& entry : active.entries) active_.insert(entry.line);
  }

  BaselineUpdate Run() {
    for (const BaselineEntry& entry : old_.entries) Judge(entry);
    std::map<GroupKey, std::vector<const RowResult*>> groups;
    for (const RowResult& row : view_.rows) {
      // A failure that only the further draw found may be absent on another night.
      const bool only_fresh = row.fixed && !IsFailure(row.fixed->recorded_status);
      const RowResult& known = only_fresh ? row : OfFixedDraws(row);
      const RowEnd end = EndOf(known);
      if (row.fixed && !only_fresh && row.recorded_status != known.recorded_status) {
        update_.still_red.push_back(row.name);
      }
      const bool expected = std::ranges::any_of(
          stay_, [&](const BaselineEntry& entry) { return AppliesTo(entry, RowOf(row)) && Expects(entry, end); });
      if (expected) continue;
      if (known.recorded && IsFailure(end.status) && !known.stage.empty()) {
        groups[{row.c->op, known.stage, end.status, known.failed_policies,
                Fingerprint(known.diagnostic, row.c->id, row.c->op), only_fresh}]
            .push_back(&known);
      } else if (IsProblem(row.status)) {
        update_.still_red.push_back(row.name);
      }
    }
    for (const auto& [key, rows] : groups) {
      added_.push_back(EntryOf(key, rows, view_.run->header));
      update_.rows += static_cast<int64_t>(rows.size());
    }
    update_.added = static_cast<int64_t>(added_.size());
    update_.text = Text();
    return std::move(update_);
  }

 private:
  void Judge(const BaselineEntry& entry) {
    std::vector<const RowResult*> as_said;
    bool passed = false;
    bool ran = false;
    for (const RowResult& each : view_.rows) {
      const RowResult& row = OfFixedDraws(each);
      if (!row.recorded || !AppliesTo(entry, RowOf(row))) continue;
      const bool row_passed = row.recorded_status == Status::kPass;
      const bool said = Expects(entry, EndOf(row)) || (row_passed && entry.may_pass);
      if (row.recorded_status == Status::kFlaky && !said) continue;
      ran = true;
      passed |= row_passed && !entry.may_pass;
      if (said) as_said.push_back(&row);
    }
    if (entry.status == Status::kFlaky || !active_.contains(entry.line) || !ran || (!as_said.empty() && !passed)) {
      ++update_.kept;
      stay_.push_back(entry);
      return;
    }
    if (as_said.empty()) {
      ++update_.removed;
      replaced_[entry.line] = {};
      return;
    }
    BaselineEntry narrow = entry;
    narrow.ids = IdsOf(as_said);
    narrow.op = narrow.dtype = "";
    ++update_.narrowed;
    replaced_[entry.line] = Written(narrow, DashOf(entry));
    stay_.push_back(std::move(narrow));
  }

  // The column of the entry's dash; lines that are indented further belong to the entry.
  size_t DashOf(const BaselineEntry& entry) const {
    return entry.line > 0 && static_cast<size_t>(entry.line) <= lines_.size() ? Indent(lines_[entry.line - 1]) : 0;
  }

  std::string Text() const {
    Lines out;
    size_t entries = std::string::npos;  // after the last line of the entries
    size_t indent = 0;
    bool inside = false;
    for (size_t i = 0; i < lines_.size();) {
      const std::string& line = lines_[i];
      const bool is_key = !line.empty() && line[0] != ' ' && line[0] != '-' && line[0] != '#';
      if (is_key) inside = line.starts_with(kEntries);
      if (is_key && inside) {
        const bool is_flow = line.find('[') != std::string::npos;
        out.push_back(is_flow ? std::string(kEntries) : line);
        entries = out.size();
        ++i;
        continue;
      }
      const auto replaced = replaced_.find(static_cast<int>(i) + 1);
      if (inside && line.substr(Indent(line)).starts_with("-")) indent = Indent(line);
      if (replaced == replaced_.end()) {
        out.push_back(line);
        ++i;
      } else {
        out.insert(out.end(), replaced->second.begin(), replaced->second.end());
        const size_t dash = Indent(line);
        for (++i; i < lines_.size() && !lines_[i].empty() && Indent(lines_[i]) > dash;) ++i;
      }
      const bool is_comment = line.empty() || line.substr(Indent(line)).starts_with("#");
      if (inside && !is_comment) entries = out.size();
    }
    if (entries == std::string::npos) {
      out.emplace_back(kEntries);
      entries = out.size();
    }
    Lines added;
    for (const BaselineEntry& entry : added_) {
      for (std::string& line : Written(entry, DashOfBlock(indent))) added.push_back(std::move(line));
    }
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(entries), added.begin(), added.end());
    if (update_.kept + update_.narrowed + update_.added == 0) {
      for (std::string& line : out) line = line.starts_with(kEntries) ? std::string(kEntries) + " []" : line;
    }
    return fmt::format("{}\n", fmt::join(out, "\n"));
  }

  size_t DashOfBlock(size_t last) const { return old_.entries.empty() ? last : DashOf(old_.entries.front()); }

  const View& view_;
  const Baseline& old_;
  const Lines lines_;
  std::set<int> active_;  // lines of the entries that the run can judge
  std::vector<BaselineEntry> stay_;
  std::map<int, Lines> replaced_;  // by the line of the entry
  std::vector<BaselineEntry> added_;
  BaselineUpdate update_;
};

}  // namespace

std::string PatternOf(std::string_view fingerprint) {
  constexpr std::pair<std::string_view, std::string_view> kAny[] = {
      {"{case}", "[\\w.]+"}, {"{op}", "[\\w.]+"}, {"{path}", "\\S*"}, {"tensor<#>", "tensor<.*"}, {"#", "[-+.?#\\w]+"}};
  constexpr std::string_view kSpecial = "\\.^$|()[]{}*+?";
  std::string pattern;
  while (!fingerprint.empty()) {
    const auto any = std::ranges::find_if(kAny, [&](const auto& pair) { return fingerprint.starts_with(pair.first); });
    if (any != std::end(kAny)) {
      pattern += any->second;
      fingerprint.remove_prefix(any->first.size());
      continue;
    }
    if (kSpecial.find(fingerprint.front()) != std::string_view::npos) pattern += '\\';
    pattern += fingerprint.front();
    fingerprint.remove_prefix(1);
  }
  return pattern;
}

Expected<BaselineUpdate> UpdateEntries(const View& view, const std::filesystem::path& file, const std::string& text) {
  const Expected<Baseline> old = ParseBaseline(text, file);
  if (!old) return Unexpected(old.error());
  BaselineUpdate update = Updater(view, *old, text).Run();
  const Expected<Baseline> updated = ParseBaseline(update.text, file);
  const auto entries = static_cast<size_t>(update.kept + update.narrowed + update.added);
  if (updated && updated->entries.size() == entries && updated->floor == old->floor &&
      updated->floor_rows == old->floor_rows) {
    return update;
  }
  return MakeError(ExitCode::kBadInput,
                   fmt::format("{}: its entries cannot be changed line by line; write each on lines of its own, "
                               "beginning with `- `",
                               file.string()));
}

}  // namespace opbyop::reports
