// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/fault_injection/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "chained/capture_operands.h"
#include "generator/split/model_list.h"
#include "generator/split/splitter.h"
#include "ir/read_module.h"
#include "manifests/cases/case_order.h"
#include "reference/bounds/compare.h"
#include "reference/eval/evaluator.h"
#include "support/files/file.h"
#include "validation/fault_injection/faulty_device.h"

namespace opbyop::fault_injection {
namespace {

using reference::InputData;
using reference::Tensor;

constexpr std::string_view kMark = "// -----\n";
// Enough seeds that scalar indices reach the edges.
constexpr uint64_t kSeeds = 4;

Expected<std::vector<Tensor>> Decode(const std::vector<InputData>& stored) {
  std::vector<Tensor> tensors;
  for (const InputData& data : stored) {
    Expected<Tensor> t = reference::TensorFromBytes(data.type, data.shape, data.bytes);
    if (!t) return Unexpected(t.error());
    tensors.push_back(std::move(*t));
  }
  return tensors;
}

// numpy.allclose(got, want, rtol=1e-2, atol=1e-2, equal_nan=True), on booleans and integers as numbers.
bool AllClose(const Tensor& want, const Tensor& got) {
  const auto close = [](double w, double g) {
    if (std::isnan(w) || std::isnan(g)) return std::isnan(w) && std::isnan(g);
    if (std::isinf(w) || std::isinf(g)) return w == g;
    return std::fabs(g - w) <= 1e-2 + 1e-2 * std::fabs(w);
  };
  bool all = true;
  reference::WithStorage(want.kind(), [&]<typename T>() {
    for (size_t i = 0; i < want.data<T>().size(); ++i) {
      const T w = want.data<T>()[i];
      const T g = got.data<T>()[i];
      if constexpr (std::is_same_v<T, reference::Complex>) {
        all = all && close(w.real(), g.real()) && close(w.imag(), g.imag());
      } else {
        all = all && close(static_cast<double>(w), static_cast<double>(g));
      }
    }
  });
  return all;
}

// A case with inputs of one policy and the right results for them.
struct Trial {
  reference::Values arguments;
  std::vector<Tensor> expected;
  std::vector<InputData> right;
};

Expected<Trial> MakeTrial(const SensitivityCase& c, InputKind kind, uint64_t seed) {
  Expected<std::vector<InputData>> drawn = c.captured;
  if (kind != InputKind::kCaptured)
    drawn = reference::MakeInputs(c.module.get(), kind, reference::SeedOf(c.name, seed));
  if (!drawn) return Unexpected(drawn.error());
  const Expected<std::vector<Tensor>> inputs = Decode(*drawn);
  if (!inputs) return Unexpected(inputs.error());
  Trial trial;
  trial.arguments.assign(inputs->begin(), inputs->end());
  const Expected<mlir::Operation*> entry = reference::EntryOf(c.module.get());
  if (!entry) return Unexpected(entry.error());
  reference::Evaluator evaluator(c.module.get(), {.bounds = true, .exact_integers = kind == InputKind::kExactInt});
  Expected<reference::Values> results = evaluator.CallFunction(*entry, trial.arguments);
  if (!results) return Unexpected(results.error());
  for (reference::Value& value : *results) trial.expected.push_back(std::move(value.tensor()));
  Expected<std::vector<InputData>> right = RunFaulty(nullptr, c.module.get(), trial.arguments);
  if (!right) return Unexpected(right.error());
  trial.right = std::move(*right);
  return trial;
}

Expected<void> Try(const SensitivityCase& c, const Trial& trial, const Fault& fault, Finding& finding) {
  const Expected<std::vector<InputData>> got = RunFaulty(&fault, c.module.get(), trial.arguments);
  if (!got) return MakeError(got.error().code, fmt::format("{}: {}: {}", fault.name, c.name, got.error().message));
  bool shown = false;
  bool refused = false;
  bool correlates = true;
  bool close = true;
  const Expected<std::vector<Tensor>> decoded = Decode(*got);
  if (!decoded) return MakeError(decoded.error().code, fmt::format("{}: {}", fault.name, decoded.error().message));
  for (size_t i = 0; i < trial.expected.size(); ++i) {
    shown = shown || (*got)[i].bytes != trial.right[i].bytes;
    const Expected<Comparison> comparison =
        reference::CompareOutput(static_cast<int64_t>(i), trial.expected[i], (*got)[i].bytes);
    if (!comparison) {
      return MakeError(comparison.error().code,
                       fmt::format("{}: {}: {}", fault.name, c.name, comparison.error().message));
    }
    refused = refused || !comparison->accepted;
    finding.ratio = std::max(finding.ratio, comparison->bound_ratio);
    correlates = correlates && comparison->pcc >= 0.99;
    close = close && AllClose(trial.expected[i], (*decoded)[i]);
  }
  if (!shown) return {};
  ++finding.shown;
  finding.caught += refused;
  finding.pcc += !correlates;
  finding.allclose += !close;
  if (refused && finding.first.empty()) finding.first = c.name;
  return {};
}

std::string Ratio(double ratio) {
  if (std::isinf(ratio)) return "inf";
  if (ratio >= 1000) return fmt::format("1e{:.0f}", std::floor(std::log10(ratio)));
  return ratio >= 10 ? fmt::format("{:.0f}", ratio) : fmt::format("{:.1f}", ratio);
}

std::string Cell(const Finding& finding, bool legal) {
  if (finding.shown == 0) return "";
  if (legal) return fmt::format("{}/{} {}", finding.shown - finding.caught, finding.shown, Ratio(finding.ratio));
  return fmt::format("{}/{} {}", finding.caught, finding.shown, Ratio(finding.ratio));
}

// Returns the result of a criterion of others, such as allclose. It is measured on ordinary inputs, because users of
// such criteria run their tests on those.
std::string Peer(const Row& row, int Finding::* caught) {
  const Finding& ordinary = row.by_policy[0];
  if (ordinary.shown == 0) return "sees nothing";
  return ordinary.*caught == 0 ? "passes" : fmt::format("{}/{}", ordinary.*caught, ordinary.shown);
}

}  // namespace

bool Row::Caught() const {
  return std::ranges::any_of(by_policy, [](const Finding& f) { return f.caught > 0; });
}
bool Row::Shown() const {
  return std::ranges::any_of(by_policy, [](const Finding& f) { return f.shown > 0; });
}

Expected<std::vector<SensitivityCase>> ReadCases(const std::filesystem::path& folder, mlir::MLIRContext& context) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  if (files.empty()) return MakeError(ExitCode::kNoInput, fmt::format("{}: no .mlir file", folder.string()));
  std::ranges::sort(files);
  std::vector<SensitivityCase> cases;
  for (const std::filesystem::path& file : files) {
    const Expected<std::string> text = ReadFile(file);
    if (!text) return Unexpected(text.error());
    for (size_t at = 0; at < text->size();) {
      const size_t end = std::min(text->find(kMark, at), text->size());
      const std::string section = text->substr(at, end - at);
      at = end + kMark.size();
      const size_t line = section.find('\n');
      if (!section.starts_with("// ") || line == std::string::npos) {
        return MakeError(ExitCode::kBadInput,
                         fmt::format("{}: a section does not begin with `// <name>`", file.string()));
      }
      SensitivityCase c;
      c.name = section.substr(3, line - 3);
      Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
          ReadModuleFromBytes(section, fmt::format("{}#{}", file.string(), c.name), context);
      if (!module) return Unexpected(module.error());
      c.module = std::move(*module);
      cases.push_back(std::move(c));
    }
  }
  return cases;
}

Expected<std::vector<SensitivityCase>> ModelCases(const std::vector<std::string>& models, mlir::MLIRContext& context) {
  constexpr size_t kPerOp = 2;
  constexpr int64_t kMostElements = 100000;
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<InputData>> operands;
  generator::Splitter splitter({}, [&](const std::string& id, const std::string& text) -> Expected<void> {
    texts[id] = text;
    return {};
  });
  size_t turn = 0;
  for (const generator::ModelSource& source : generator::ListModels(models)) {
    if (source.error) return Unexpected(*source.error);
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(source.file, context);
    if (!module) return Unexpected(module.error());
    Model model;
    model.name = source.name;
    const Expected<generator::Splitter::Added> added = splitter.Add(turn++, module->get(), model);
    if (!added) return Unexpected(added.error());
    chained::CaptureOptions options;
    options.model = source.name;
    options.ranges = source.ranges;
    const Expected<int64_t> ops = chained::CaptureOperands(
        module->get(), options, [&](const std::string& hash, const std::vector<InputData>& captured) -> Expected<void> {
          int64_t elements = 0;
          for (const InputData& operand : captured) elements += reference::SizeOf(operand.shape);
          if (elements <= kMostElements) operands.try_emplace(hash, captured);
          return {};
        });
    if (!ops) return Unexpected(ops.error());
  }
  generator::SplitResult split = splitter.Finish();
  for (const generator::SplitResult::Renamed& renamed : split.renamed) texts[renamed.to] = texts[renamed.from];
  std::ranges::sort(split.manifest.cases, CheapestFirst());
  std::map<std::string, size_t> taken;
  std::vector<SensitivityCase> cases;
  for (const Case& c : split.manifest.cases) {
    const auto found = operands.find(c.hash);
    if (found == operands.end() || taken[c.op]++ >= kPerOp) continue;
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModuleFromBytes(texts[c.id], c.id, context);
    if (!module) return Unexpected(module.error());
    cases.push_back({c.id, std::move(*module), found->second});
  }
  return cases;
}

Expected<Sensitivity> Measure(const std::vector<SensitivityCase>& cases) {
  Sensitivity measured;
  for (const Fault& fault : Faults()) measured.rows.push_back({&fault, {}});
  for (const SensitivityCase& c : cases) {
    for (size_t p = 0; p < kPolicies.size(); ++p) {
      if ((kPolicies[p] == InputKind::kCaptured) == c.captured.empty()) continue;
      const uint64_t seeds = kPolicies[p] == InputKind::kCaptured ? 1 : kSeeds;
      for (uint64_t seed = 0; seed < seeds; ++seed) {
        const Expected<Trial> trial = MakeTrial(c, kPolicies[p], seed);
        if (!trial) return MakeError(trial.error().code, fmt::format("{}: {}", c.name, trial.error().message));
        for (Row& row : measured.rows) {
          if (!Concerns(*row.fault, c.module.get())) continue;
          if (const Expected<void> done = Try(c, *trial, *row.fault, row.by_policy[p]); !done) {
            return Unexpected(done.error());
          }
        }
      }
    }
  }
  return measured;
}

std::string ToMarkdown(const Sensitivity& measured) {
  int faults = 0;
  int caught = 0;
  int pcc = 0;
  int allclose = 0;
  std::array<int, kPolicies.size()> by_policy{};
  std::string rows;
  std::string controls;
  for (const Row& row : measured.rows) {
    const bool legal = row.fault->legal;
    std::string line = fmt::format("| {} | {} |", row.fault->name, row.fault->what);
    for (const Finding& finding : row.by_policy) line += fmt::format(" {} |", Cell(finding, legal));
    if (legal) {
      controls += line + "\n";
      continue;
    }
    const std::string by_pcc = Peer(row, &Finding::pcc);
    const std::string by_allclose = Peer(row, &Finding::allclose);
    rows += line + fmt::format(" {} | {} |\n", by_pcc, by_allclose);
    ++faults;
    caught += row.Caught();
    pcc += row.by_policy[0].pcc > 0;
    allclose += row.by_policy[0].allclose > 0;
    for (size_t p = 0; p < kPolicies.size(); ++p) by_policy[p] += row.by_policy[p].caught > 0;
  }
  std::string columns;
  std::string rules;
  std::string alone;
  for (size_t p = 0; p < kPolicies.size(); ++p) {
    columns += fmt::format(" {} |", ToString(kPolicies[p]));
    rules += "---|";
    alone += fmt::format("{}`{}` {}", p == 0 ? "" : ", ", ToString(kPolicies[p]), by_policy[p]);
  }
  std::string text = fmt::format(
      "{} faults: the derived bounds catch {}; by policy {}.\n"
      "On ordinary inputs (`domain`) PCC >= 0.99 catches {} and allclose(1e-2) {}.\n\n",
      faults, caught, alone, pcc, allclose);
  text += fmt::format("| fault | what the device does |{} PCC >= 0.99 | allclose 1e-2 |\n", columns);
  text += fmt::format("|---|---|{}---|---|\n{}", rules, rows);
  text += "\nControls: deviations that a correct device may have. Cells count the runs that were accepted.\n\n";
  text += fmt::format("| control | what the device does |{}\n|---|---|{}\n", columns, rules);
  return text + controls;
}

}  // namespace opbyop::fault_injection
