// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/eval_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/entry_function.h"
#include "ir/program_file.h"
#include "ir/read_module.h"
#include "ir/sections.h"
#include "llvm/ADT/ScopeExit.h"
#include "manifests/policies/policy.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/eval/check.h"
#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"
#include "reference/inputs/inputs.h"
#include "reference/meanings/meanings.h"
#include "reference/worker/eval_progress.h"
#include "reference/worker/npy_argument.h"
#include "support/files/file.h"
#include "support/files/npy.h"

namespace opbyop::reference {
namespace {

constexpr int64_t kPrinted = 64;  // greatest number of elements of a result that are printed

void PrintResult(std::ostream& out, size_t i, const Value& value) {
  if (!value.is_tensor()) {
    out << fmt::format("result {}: {}\n", i, std::holds_alternative<Token>(value.v) ? "token" : "tuple");
    return;
  }
  const Tensor& t = value.tensor();
  std::string shape;
  for (const int64_t d : t.shape()) shape += fmt::format("{}x", d);
  out << fmt::format("result {}: tensor<{}{}> = [", i, shape, NameOf(t.type()));
  for (int64_t e = 0; e < std::min(t.size(), kPrinted); ++e) out << (e > 0 ? ", " : "") << ElementText(t, e);
  out << (t.size() > kPrinted ? ", ...]\n" : "]\n");
}

Expected<Values> Arguments(const EvalCommandOptions& options, mlir::ModuleOp module, mlir::Operation* entry) {
  mlir::Region& body = entry->getRegion(0);
  Values arguments;
  if (options.inputs.empty() && body.getNumArguments() > 0) {
    const Expected<InputKind> kind = ParseInputKind(options.policy);
    if (!kind) return Unexpected(kind.error());
    Expected<std::vector<InputData>> made =
        MakeInputs(module, *kind, SeedOf(options.file.filename().string(), options.seed));
    if (!made) return Unexpected(made.error());
    for (InputData& input : *made) {
      // Moves the bytes, so that the weights of a whole model are never in memory twice.
      const auto bytes = std::move(input.bytes);
      Expected<Tensor> tensor = TensorFromBytes(input.type, input.shape, bytes);
      if (!tensor) return Unexpected(tensor.error());
      arguments.emplace_back(std::move(*tensor));
    }
    return arguments;
  }
  Expected<std::vector<Tensor>> tensors = ReadArguments(options.inputs, entry);
  if (!tensors) {
    const bool is_count = tensors.error().code == ExitCode::kUsage;
    return MakeError(tensors.error().code, (is_count ? options.file.string() + ": " : "") + tensors.error().message);
  }
  for (Tensor& tensor : *tensors) arguments.emplace_back(std::move(tensor));
  return arguments;
}

// Renames the function that is asked for to @main, where the evaluation starts.
Expected<void> NameEntry(mlir::ModuleOp module, const std::string& asked) {
  if (asked == kMainFunction) return {};
  const Expected<mlir::ModuleOp> inner = FindEntryModule(module, asked);
  if (!inner) return Unexpected(inner.error());
  mlir::SymbolTable symbols(*inner);
  mlir::Operation* function = symbols.lookup(asked);
  if (mlir::Operation* main = symbols.lookup(kMainFunction)) {
    if (failed(symbols.renameToUnique(main, {}))) return Unexpected(NoEntry(module, asked));
  }
  if (failed(symbols.rename(function, kMainFunction))) return Unexpected(NoEntry(module, asked));
  return {};
}

// If a check fails with sums that are rounded once, evaluates again with sums that are rounded at every step: the
// expected value may have been computed in this way. The specification prescribes neither.
Expected<Values> EvaluateText(const EvalCommandOptions& options, const std::string& text, mlir::MLIRContext& context,
                              ProbeWriter& probe, CheckLog& log) {
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(text, options.file.string(), context);
  if (!module) return Unexpected(module.error());
  // An empty section is valid and does nothing.
  if (module->get().getBody()->empty()) return Values();
  const Expected<Meanings> meanings = Meanings::Load(options.meanings);
  if (!meanings) return Unexpected(meanings.error());
  if (const Expected<Applied> applied = meanings->Apply(module->get()); !applied) {
    return Unexpected(applied.error());
  }
  if (const Expected<void> named = NameEntry(module->get(), options.entry); !named) return Unexpected(named.error());
  const Expected<mlir::Operation*> entry = EntryOf(module->get());
  if (!entry) return Unexpected(entry.error());
  WorkLimits limits = LimitsOfMachine();
  limits.executions = options.max_executions;
  const Work work = EstimateWork(module->get());
  if (const auto reason = TooLarge(work, limits)) {
    const std::string_view hint = work.executions > limits.executions ? "; --max-executions raises it" : "";
    return MakeError(ExitCode::kUnsupported,
                     fmt::format("{}: unsupported: {}{}", options.file.string(), *reason, hint));
  }
  Expected<Values> arguments = Arguments(options, module->get(), *entry);
  if (!arguments) return arguments;
  const EvalHook hook = meanings->CallingPython(CheckHook(log));
  Evaluator evaluator(module->get(),
                      {.seed = options.seed,
                       .hook = options.progress ? options.progress->Counting(hook) : hook,
                       .observe = options.probe == ProbeKind::kNone
                                      ? std::function<Expected<void>(const OpContext&, const Values&)>()
                                      : [&](const OpContext& c, const Values& v) { return probe.Observe(c, v); },
                       .threads = options.threads});
  Expected<Values> results = evaluator.CallFunction(*entry, *arguments);
  if (!results || log.failures.empty()) return results;
  CheckLog stepped_log;
  Evaluator stepped(
      module->get(),
      {.round_every_step = true, .seed = options.seed, .hook = meanings->CallingPython(CheckHook(stepped_log))});
  Expected<Values> stepped_results = stepped.CallFunction(*entry, std::move(*arguments));
  if (!stepped_results || !stepped_log.failures.empty()) return results;
  log = std::move(stepped_log);
  return stepped_results;
}

// Creates the folder. Does nothing for the empty path.
Expected<void> MakeFolder(const std::filesystem::path& folder) {
  std::error_code failure;
  if (!folder.empty()) std::filesystem::create_directories(folder, failure);
  if (!failure) return {};
  return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be made: {}", folder.string(), failure.message()));
}

bool IsBlank(std::string_view text) {
  // A text is blank if it has only comments and white space.
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && !line.substr(first).starts_with("//")) return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

int64_t EvalReport::Count(EvalSection::Outcome outcome) const {
  return std::ranges::count_if(sections, [&](const EvalSection& s) { return s.outcome == outcome; });
}

ExitCode EvalReport::exit_code() const {
  if (Count(EvalSection::Outcome::kFailed) > 0) {
    if (sections.size() == 1) return sections.front().code;
    return ExitCode::kUnexpectedResult;
  }
  return Count(EvalSection::Outcome::kUnsupported) > 0 ? ExitCode::kUnsupported : ExitCode::kOk;
}

Expected<EvalReport> RunEval(const EvalCommandOptions& options, std::ostream& out) {
  const Expected<std::filesystem::path> file = ProgramFile(options.file);
  const Expected<std::string> text = file ? ReadFile(*file) : Unexpected(file.error());
  if (!text) return Unexpected(text.error());
  if (options.probe != ProbeKind::kNone && options.output_dir.empty()) {
    return MakeError(ExitCode::kUsage, "--probe needs --output, the folder that the values go to");
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const llvm::scope_exit forget([&] {
    if (options.progress) options.progress->Forget();
  });
  EvalReport report;
  const std::vector<Section> sections = options.split_input_file ? SectionsOf(*text) : std::vector<Section>{{1, *text}};
  for (const auto& [line, section_text] : sections) {
    EvalSection section;
    section.line = line;
    if (options.split_input_file && IsBlank(section_text)) {
      report.sections.push_back(std::move(section));
      continue;
    }
    CheckLog log;
    std::filesystem::path folder = options.output_dir;
    if (options.split_input_file && !folder.empty()) folder /= fmt::format("section_{}", report.sections.size());
    if (const Expected<void> made = MakeFolder(folder); !made) return Unexpected(made.error());
    ProbeWriter probe(folder, options.probe);
    const Expected<Values> results = EvaluateText(options, section_text, context, probe, log);
    // Writes the index after an error too: the values before an error are the most useful.
    if (options.probe != ProbeKind::kNone) {
      if (const Expected<void> done = probe.Finish(); !done) return Unexpected(done.error());
    }
    if (!results) {
      const bool unsupported = results.error().code == ExitCode::kUnsupported;
      section.outcome = unsupported ? EvalSection::Outcome::kUnsupported : EvalSection::Outcome::kFailed;
      section.code = results.error().code;
      section.messages.push_back(results.error().message);
    }
    if (!log.failures.empty()) {
      section.outcome = EvalSection::Outcome::kFailed;
      section.code = ExitCode::kUnexpectedResult;
      section.messages.insert(section.messages.begin(), log.failures.begin(), log.failures.end());
    }
    if (!options.quiet) out << log.printed;
    if (results) {
      for (size_t i = 0; i < results->size(); ++i) {
        if (!options.quiet && !options.split_input_file) PrintResult(out, i, (*results)[i]);
        if (options.output_dir.empty() || !(*results)[i].is_tensor()) continue;
        const Tensor& t = (*results)[i].tensor();
        const Expected<void> done =
            WriteNpy(folder / fmt::format("result_{}.npy", i), t.tensor_type(), TensorToBytes(t));
        if (!done) return Unexpected(done.error());
      }
    }
    for (const std::string& message : section.messages) {
      out << (section.outcome == EvalSection::Outcome::kFailed ? "failed: " : "") << message << "\n";
    }
    report.sections.push_back(std::move(section));
  }
  if (options.split_input_file) {
    const int64_t unsupported = report.Count(EvalSection::Outcome::kUnsupported);
    out << fmt::format("{} passed, {} failed", report.Count(EvalSection::Outcome::kPassed),
                       report.Count(EvalSection::Outcome::kFailed));
    if (unsupported > 0) out << fmt::format(", {} unsupported", unsupported);
    out << "\n";
  }
  return report;
}

}  // namespace opbyop::reference
