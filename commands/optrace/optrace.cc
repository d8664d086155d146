// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// optrace: exports, ranks, explains, compares and checks the record of a profiled run. `optrace --help` lists the
// verbs.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "commands/cli_pages.h"
#include "commands/command.h"
#include "manifests/optrace/trace_file.h"
#include "reports/optrace/clocks.h"
#include "reports/optrace/export.h"
#include "reports/optrace/insights.h"
#include "reports/optrace/operator_table.h"
#include "reports/optrace/profile_page.h"
#include "reports/optrace/top_text.h"
#include "reports/optrace/trace_diff.h"
#include "reports/optrace/verify.h"
#include "support/files/file.h"
#include "support/start_program.h"
#include "support/text/count_text.h"

namespace opbyop::optrace {
namespace {

using commands::Command;

template <typename... Args>
void Print(fmt::format_string<Args...> format, Args&&... args) {
  std::cout << fmt::format(format, std::forward<Args>(args)...);
}

ExitCode Report(const Error& error) {
  std::cerr << "optrace: " << error.message << '\n';
  return error.code;
}

// Reads a trace. Prints its peculiarities once, on standard error, for every verb.
Expected<Trace> Read(const std::string& path) {
  Expected<Trace> trace = ReadTrace(path);
  if (!trace) return trace;
  for (const Warning& warning : trace->warnings) std::cerr << "optrace: " << path << ": " << warning.text << '\n';
  if (trace->spans.empty()) {
    std::cerr << "optrace: " << path << ": no spans: nothing was recorded before the run ended; views will be empty\n";
  }
  return trace;
}

Command Export(CLI::App& parent) {
  struct Arguments {
    std::string trace, base, out = ".";
    std::vector<std::string> formats = {"html"};
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* app = parent.add_subcommand("export", "Write a trace in other formats.");
  std::string help = "What to write:";
  std::vector<std::string> names = {"all"};
  for (const Exporter& exporter : Exporters()) {
    names.emplace_back(exporter.name);
    help += fmt::format("\n{}: {}", exporter.name, exporter.help);
  }
  app->add_option("TRACE", arguments->trace, "optrace.ndjson")->required();
  app->add_option("--to", arguments->formats, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(names));
  app->add_option("-o,--output", arguments->out, "Folder to write into");
  app->add_option("--base", arguments->base, "html: another trace to compare with");
  return {app, [arguments] {
            const Expected<Trace> trace = Read(arguments->trace);
            if (!trace) return Report(trace.error());
            if (!arguments->base.empty()) {
              const Expected<Trace> base = Read(arguments->base);
              if (!base) return Report(base.error());
              const auto file = std::filesystem::path(arguments->out) / "profile.html";
              if (auto done = WriteFile(file, ProfilePage(*trace, &*base)); !done) return Report(done.error());
              std::cout << file.string() << '\n';
              std::erase(arguments->formats, "html");
            }
            const bool all = std::ranges::find(arguments->formats, "all") != arguments->formats.end();
            for (const Exporter& exporter : Exporters()) {
              const bool wanted =
                  all || std::ranges::find(arguments->formats, exporter.name) != arguments->formats.end();
              if (!wanted || (exporter.name == "html" && !arguments->base.empty())) continue;
              const Expected<Files> files = exporter.write(*trace, arguments->out);
              if (!files) return Report(files.error());
              for (const auto& file : *files) std::cout << file.string() << '\n';
            }
            return ExitCode::kOk;
          }};
}

Command Top(CLI::App& parent) {
  struct Arguments {
    std::string trace, by = "hlo";
    size_t count = 10;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* app = parent.add_subcommand("top", "The slowest operators, and what to do about them.");
  app->add_option("TRACE", arguments->trace, "optrace.ndjson")->required();
  app->add_option("-n", arguments->count, "How many");
  app->add_option("--by", arguments->by, "hlo or framework")->check(CLI::IsMember({"hlo", "framework"}));
  return {app, [arguments] {
            const Expected<Trace> trace = Read(arguments->trace);
            if (!trace) return Report(trace.error());
            const Grouping grouping = arguments->by == "hlo" ? Grouping::kHlo : Grouping::kFramework;
            const std::string table = TopTable(*trace, grouping, arguments->count);
            if (table.empty()) {
              return Report({ExitCode::kNothingToDo,
                             fmt::format("{}: no execution spans, so no operator has a time", arguments->trace)});
            }
            std::cout << table << InsightsText(*trace);
            return ExitCode::kOk;
          }};
}

// Prints all facts of one op in the trace.
void Explain(const Trace& trace, const Op& op) {
  std::string types;
  for (const TensorType& type : op.operands) types += (types.empty() ? "" : ", ") + TypeText(type);
  Print("{}\n  path      {}\n  location  {}\n  case      {}\n  operands  {}\n  {}\n", HloName(op), FrameworkPath(op),
        op.location.empty() ? "<unknown>" : op.location, op.case_id, types, op.text);
  int64_t total = 0, time = 0, count = 0;
  std::optional<Clock> clock;
  std::map<std::string, int64_t> stages;
  for (const Span& span : trace.spans) {
    if (span.section == Section::kExecution && span.op >= 0) total += span.dur_ps;
    if (span.op != op.id) continue;
    if (span.section == Section::kExecution) {
      time += span.dur_ps;
      ++count;
      clock = Join(clock, span.clock);
    } else {
      stages[fmt::format("{}: {}", ToString(span.section), span.name)] += span.dur_ps;
    }
  }
  Print("  time      {} in {} executions, {:.2f} % of the time on ops\n  clock     {}\n", TimeText(time), count,
        total == 0 ? 0.0 : 100.0 * static_cast<double>(time) / static_cast<double>(total), ClockName(clock));
  for (const auto& [name, duration] : stages) Print("  {} {}\n", name, TimeText(duration));
  for (const OpRun& run : trace.runs) {
    if (run.op != op.id) continue;
    Print("  status    {} ({}){}{}\n", StatusText(run.status), run.stage, run.diagnostic.empty() ? "" : ": ",
          run.diagnostic);
    Print("  repeats   n {}, min {}, median {}, p95 {}, max {}, clock {}\n", run.n, TimeText(run.min_ps),
          TimeText(run.median_ps), TimeText(run.p95_ps), TimeText(run.max_ps), ToString(run.clock));
  }
  for (const OutputCompare& compare : trace.compares) {
    if (compare.op != op.id) continue;
    const Comparison& c = compare.comparison;
    Print("  output {} {}: max {:.4g} ULP, abs {:.4g}, rel {:.4g}, PCC {:.8g}, {} of {} beyond their bound ({})\n",
          c.output, ToString(compare.mode), c.max_ulp, c.max_abs, c.max_rel, c.pcc, c.mismatches, c.elements, c.rule);
  }
}

Command ExplainCommand(CLI::App& parent) {
  struct Arguments {
    std::string trace, op;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* app = parent.add_subcommand("explain", "All that is known of an op.");
  app->add_option("TRACE", arguments->trace, "optrace.ndjson")->required();
  app->add_option("OP", arguments->op, "dot_general.3, a case id, dot_general or aten__addmm")->required();
  return {
      app, [arguments] {
        const Expected<Trace> trace = Read(arguments->trace);
        if (!trace) return Report(trace.error());
        size_t found = 0;
        for (const Op& op : trace->ops) {
          const std::string& wanted = arguments->op;
          if (HloName(op) != wanted && op.case_id != wanted && op.hlo != wanted && op.framework != wanted) continue;
          Explain(*trace, op);
          ++found;
        }
        if (found > 0) return ExitCode::kOk;
        return Report({ExitCode::kNothingToDo, fmt::format("{}: no op {} among its {} ops; `optrace top` lists names",
                                                           arguments->trace, arguments->op, trace->ops.size())});
      }};
}

std::string SideText(const std::optional<DiffSide>& side) { return side ? TimeText(side->time_ps) : "-"; }

Command Diff(CLI::App& parent) {
  struct Arguments {
    std::string base, candidate;
    size_t count = 20;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* app = parent.add_subcommand("diff", "Two traces of a model, op by op: the largest change first.");
  app->add_option("BASE", arguments->base, "optrace.ndjson")->required();
  app->add_option("CANDIDATE", arguments->candidate, "optrace.ndjson")->required();
  app->add_option("-n", arguments->count, "How many");
  return {
      app, [arguments] {
        const Expected<Trace> base = Read(arguments->base);
        if (!base) return Report(base.error());
        const Expected<Trace> candidate = Read(arguments->candidate);
        if (!candidate) return Report(candidate.error());
        const TraceDiff diff = DiffTraces(*base, *candidate);
        Print("sum of medians {} -> {} ({:+.2f} % of the base)\n", TimeText(diff.base_ps), TimeText(diff.candidate_ps),
              diff.base_ps == 0
                  ? 0.0
                  : 100.0 * static_cast<double>(diff.candidate_ps - diff.base_ps) / static_cast<double>(diff.base_ps));
        Print("{:>12} {:>12} {:>12} {:<7} {}\n", "base", "candidate", "change", "", "op");
        for (size_t i = 0; i < std::min(diff.rows.size(), arguments->count); ++i) {
          const DiffRow& row = diff.rows[i];
          const char* note = !row.base          ? "new"
                             : !row.candidate   ? "gone"
                             : row.other_clocks ? "clocks"
                             : row.noise        ? "noise"
                                                : "";
          Print("{:>12} {:>12} {:>12} {:<7} {}", SideText(row.base), SideText(row.candidate),
                (row.delta_ps < 0 ? "-" : "+") + TimeText(std::abs(row.delta_ps)), note, row.name);
          if (row.base && row.candidate && row.base->status != row.candidate->status) {
            Print("  {} -> {}", StatusText(row.base->status), StatusText(row.candidate->status));
          }
          Print("\n");
        }
        return ExitCode::kOk;
      }};
}

Command VerifyCommand(CLI::App& parent) {
  auto trace_path = std::make_shared<std::string>();
  CLI::App* app = parent.add_subcommand("verify", "Whether a trace is whole and consistent.");
  app->add_option("TRACE", *trace_path, "optrace.ndjson")->required();
  return {app, [trace_path] {
            const Expected<Trace> trace = Read(*trace_path);
            if (!trace) return Report(trace.error());
            const Verification verification = Verify(*trace);
            for (const std::string& defect : verification.defects) Print("defect: {}\n", defect);
            for (const std::string& gap : verification.gaps) Print("lacks:  {}\n", gap);
            Print("{}: {}, {}, {}, {}\n", *trace_path, CountText(trace->ops.size(), "op"),
                  CountText(trace->spans.size(), "span"), CountText(trace->compares.size(), "comparison"),
                  CountText(verification.defects.size(), "defect"));
            return verification.defects.empty() ? ExitCode::kOk : ExitCode::kUnexpectedResult;
          }};
}

int Main(int argc, char** argv) {
  CLI::App app("Where a model's time goes: reads optrace.ndjson.", "optrace");
  commands::AddProgramOptions(app);
  const std::vector<Command> commands = {Export(app), Top(app), ExplainCommand(app), Diff(app), VerifyCommand(app)};
  return commands::RunVerb(app, commands, argc, argv);
}

}  // namespace
}  // namespace opbyop::optrace

int main(int argc, char** argv) {
  if (const opbyop::Expected<void> started = opbyop::StartProgram(); !started)
    return static_cast<int>(opbyop::optrace::Report(started.error()));
  return opbyop::optrace::Main(argc, argv);
}
