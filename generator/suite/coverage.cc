// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/coverage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <string_view>
#include <vector>

#include "generator/suite/mesh.h"
#include "generator/suite/refused.h"
#include "generator/suite/suite_command.h"
#include "ir/read_module.h"
#include "manifests/formats/yaml.h"
#include "mlir/IR/MLIRContext.h"
#include "support/dtype.h"

namespace opbyop::generator {
namespace {

constexpr std::string_view kQuantized = "!quant.uniform<";

void ReplaceAllOf(std::string& text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The program with tensors of `to` instead of `from`.
std::string Retyped(std::string text, std::string_view from, std::string_view to) {
  ReplaceAllOf(text, fmt::format("x{}>", from), fmt::format("x{}>", to));
  ReplaceAllOf(text, fmt::format("<{}>", from), fmt::format("<{}>", to));
  return text;
}

// The element types that `program` may have instead of `from`.
std::set<std::string> TypesTaken(const std::string& program, std::string_view from, mlir::MLIRContext& context) {
  std::set<std::string> types;
  std::vector<std::string_view> all = AllDtypes();
  all.emplace_back("!quant.uniform<i8:f32, 0.5>");  // stands for all quantized types
  for (const std::string_view to : all) {
    if (to == "index") continue;  // no element type of StableHLO
    const std::string text = Retyped(program, from, to);
    if (text == program && to != from) continue;
    if (ReadModuleFromBytes(text, "coverage", context)) types.insert(ElementName(std::string(to)));
  }
  return types;
}

// The shortest program of an op for each uniform element type. Programs with constants are left out, because their
// values depend on the type too.
using Samples = std::map<std::string, std::string>;

std::set<std::string> ElementsOf(const Case& c) {
  std::set<std::string> types;
  for (const TensorType& type : c.inputs) types.insert(ElementName(type.dtype));
  for (const TensorType& type : c.outputs) types.insert(ElementName(type.dtype));
  return types;
}

// Adds the ids that the case exercises; `unknown` gets those that are no requirement.
void CountCovers(const Case& c, const std::set<std::string>& types, const Requirements& requirements,
                 Coverage& coverage, std::set<std::string>& unknown) {
  for (const std::string& id : c.covers) {
    const size_t dot = id.rfind('.');
    const auto known = requirements.find(id.substr(0, dot));
    if (known == requirements.end() || !std::ranges::count(known->second.ids, id.substr(dot + 1))) unknown.insert(id);
    coverage.ops[id.substr(0, dot)].types_of[id.substr(dot + 1)].insert(types.begin(), types.end());
  }
}

void Count(const Manifest& manifest, bool full, const Requirements& requirements, Coverage& coverage) {
  std::set<std::string> unknown(coverage.unknown.begin(), coverage.unknown.end());
  for (const Case& c : manifest.cases) {
    OpCoverage& op = coverage.ops[std::string(ShortName(c.op))];
    ++(full ? op.full : op.smoke);
    if (!full) continue;
    const std::set<std::string> types = ElementsOf(c);
    op.types.insert(types.begin(), types.end());
    CountCovers(c, types, requirements, coverage, unknown);
  }
  coverage.unknown.assign(unknown.begin(), unknown.end());
}

void CountMesh(const Manifest& mesh, const Requirements& requirements, Coverage& coverage) {
  std::set<std::string> unknown(coverage.unknown.begin(), coverage.unknown.end());
  for (const Case& c : mesh.cases) CountCovers(c, ElementsOf(c), requirements, coverage, unknown);
  coverage.unknown.assign(unknown.begin(), unknown.end());
}

void CountBroken(const Manifest& refused, const Requirements& requirements, Coverage& coverage) {
  for (const Case& c : refused.cases) {
    const std::string& id = c.breach->constraint;
    const size_t dot = id.rfind('.');
    OpCoverage& op = coverage.ops[id.substr(0, dot)];
    ++op.refused;
    op.broken.insert(id.substr(dot + 1));
    const auto known = requirements.find(id.substr(0, dot));
    if (known == requirements.end() || !std::ranges::count(known->second.ids, id.substr(dot + 1))) {
      coverage.unknown.push_back(id);
    }
  }
}

size_t Covered(const Requirement& requirement, const OpCoverage& op, char kind) {
  return std::ranges::count_if(requirement.ids,
                               [&](const std::string& id) { return id[0] == kind && op.types_of.contains(id); });
}

size_t All(const Requirement& requirement, char kind) {
  return std::ranges::count_if(requirement.ids, [&](const std::string& id) { return id[0] == kind; });
}

// The ids that models exercise, those with the same element types together: "C1 C2: bf16 f32; C13: f32".
std::string InModels(const Requirement& requirement, const OpInModels& use) {
  std::vector<std::pair<std::string, std::set<std::string>>> groups;  // in order of the ids
  for (const std::string& id : requirement.ids) {
    const auto types = use.types_of.find(id);
    if (types == use.types_of.end()) continue;
    const auto same = std::ranges::find(groups, types->second, &decltype(groups)::value_type::second);
    if (same == groups.end()) {
      groups.emplace_back(id, types->second);
    } else {
      same->first += " " + id;
    }
  }
  std::string text;
  for (const auto& [ids, types] : groups) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", ids, fmt::join(types, " "));
  }
  return text.empty() ? "-" : text;
}

std::string Share(size_t part, size_t whole) {
  if (whole == 0) return "-";
  constexpr double kPercent = 100;
  return fmt::format("{} of {} ({:.1f} %)", part, whole,
                     kPercent * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

std::string ElementName(const std::string& dtype) { return dtype.starts_with(kQuantized) ? "quantized" : dtype; }

Expected<Requirements> LoadRequirements(const std::filesystem::path& folder) {
  Expected<YamlMap> top = LoadYaml(folder / "requirements.yaml");
  if (!top) return Unexpected(top.error());
  top->Schema(kRequirementsSchema);
  Requirements all;
  for (YamlMap& map : top->Maps("ops")) {
    Requirement requirement;
    constexpr int64_t kMost = 1000;
    const int64_t constraints = map.Integer("constraints", 0, {0, kMost});
    for (int64_t i = 1; i <= constraints; ++i) requirement.ids.push_back(fmt::format("C{}", i));
    const std::vector<std::string> semantics = map.Strings("semantics");
    for (size_t i = 0; i < semantics.size(); ++i) {
      requirement.ids.push_back(fmt::format("S{}", i + 1));
      requirement.words[requirement.ids.back()] = semantics[i];
    }
    requirement.open = map.StringMap("open");
    requirement.unbroken = map.StringMap("unbroken");
    for (const std::string& op : map.Strings("ops")) {
      if (!all.emplace(op, requirement).second) map.Fail(ExitCode::kBadInput, fmt::format("`{}` is there twice", op));
    }
    map.Finish();
  }
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  return all;
}

Expected<SuiteCases> MakeAllCases(const Suite& suite, const std::filesystem::path& folder) {
  SuiteCases cases;
  const CaseSink drop = [](const std::string&, const std::string&) -> Expected<void> { return {}; };
  Expected<SplitResult> smoke = MakeCases(suite, Level::kSmoke, "*", drop);
  if (!smoke) return Unexpected(smoke.error());
  std::mutex mutex;
  Expected<SplitResult> full =
      MakeCases(suite, Level::kFull, "*", [&](const std::string& id, const std::string& text) -> Expected<void> {
        const std::lock_guard<std::mutex> lock(mutex);
        cases.texts[id] = text;
        return {};
      });
  if (!full) return Unexpected(full.error());
  if (!suite.breakable.empty()) {
    Expected<SplitResult> refused = MakeRefusedCases(suite, "*", drop);
    if (!refused) return Unexpected(refused.error());
    cases.refused = std::move(refused->manifest);
  }
  if (!folder.empty()) {
    Expected<MeshSuite> mesh = MakeMeshSuite(suite, folder, kUsualMesh, Level::kSmoke, "*", drop);
    if (!mesh) return Unexpected(mesh.error());
    cases.mesh = std::move(mesh->result.manifest);
  }
  cases.smoke = std::move(smoke->manifest);
  cases.full = std::move(full->manifest);
  return cases;
}

Coverage CountCoverage(const SuiteCases& cases, const Requirements& requirements) {
  Coverage coverage{.requirements = requirements};
  Count(cases.smoke, false, requirements, coverage);
  Count(cases.full, true, requirements, coverage);
  CountMesh(cases.mesh, requirements, coverage);
  CountBroken(cases.refused, requirements, coverage);
  std::map<std::string, Samples> samples;
  for (const Case& c : cases.full.cases) {
    const std::string& text = cases.texts.at(c.id);
    if (text.find("stablehlo.constant") != std::string::npos) continue;
    Samples& of_op = samples[std::string(ShortName(c.op))];
    std::set<std::string> types;
    for (const TensorType& type : c.inputs) types.insert(type.dtype);
    for (const std::string& type : types) {
      std::string& sample = of_op[type];
      if (sample.empty() || text.size() < sample.size()) sample = text;
    }
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const auto& [name, of_op] : samples) {
    OpCoverage& op = coverage.ops[name];
    for (const std::string_view from : {"f32", "i32", "i1", "complex<f32>"}) {
      const auto sample = of_op.find(std::string(from));
      if (sample == of_op.end()) continue;
      for (const std::string& type : TypesTaken(sample->second, from, context)) {
        if (!op.types.contains(type)) op.missing_types.insert(type);
      }
    }
  }
  return coverage;
}

std::string CoveragePage(const Suite& suite, const Coverage& coverage) {
  size_t smoke = 0, full = 0, constraints = 0, constraints_of = 0, sentences = 0, sentences_of = 0;
  size_t types = 0, types_of = 0, ops = 0, refused = 0, broken = 0, pairs = 0, pairs_of = 0;
  std::string rows;
  std::string open;
  std::string unbroken;
  for (const auto& [name, requirement] : coverage.requirements) {
    static const OpCoverage kNone;
    static const OpInModels kUnused;
    const auto found = coverage.ops.find(name);
    const OpCoverage& op = found == coverage.ops.end() ? kNone : found->second;
    const auto used = coverage.models.find(name);
    const OpInModels& use = used == coverage.models.end() ? kUnused : used->second;
    for (const auto& [id, of_models] : use.types_of) {
      const auto covered = op.types_of.find(id);
      pairs_of += of_models.size();
      pairs += std::ranges::count_if(of_models, [&](const std::string& type) {
        return covered != op.types_of.end() && covered->second.contains(type);
      });
    }
    smoke += op.smoke;
    full += op.full;
    refused += op.refused;
    broken += op.broken.size();
    ops += op.types_of.empty() ? 0 : 1;
    const size_t c = Covered(requirement, op, 'C'), c_of = All(requirement, 'C');
    const size_t s = Covered(requirement, op, 'S'), s_of = All(requirement, 'S');
    constraints += c;
    constraints_of += c_of;
    sentences += s;
    sentences_of += s_of;
    types += op.types.size();
    types_of += op.types.size() + op.missing_types.size();
    std::vector<std::string> counts;
    for (const std::string& id : requirement.ids) {
      const auto covered = op.types_of.find(id);
      counts.push_back(fmt::format("{} {}", id, covered == op.types_of.end() ? 0 : covered->second.size()));
      if (covered != op.types_of.end()) continue;
      const auto reason = requirement.open.find(id);
      open += fmt::format("| {}.{} | {} |\n", name, id,
                          reason == requirement.open.end() ? "no recipe yet" : reason->second);
    }
    for (const std::string& id : requirement.ids) {
      if (id[0] != 'C' || op.broken.contains(id)) continue;
      const auto reason = requirement.unbroken.find(id);
      unbroken += fmt::format("| {}.{} | {} |\n", name, id,
                              reason == requirement.unbroken.end() ? "no program yet" : reason->second);
    }
    if (!op.missing_types.empty()) {
      const auto reason = requirement.open.find(std::string(kElementsKey));
      open += fmt::format("| {}, elements of `{}` | {} |\n", name, fmt::join(op.missing_types, "`, `"),
                          reason == requirement.open.end() ? "no recipe yet" : reason->second);
    }
    if (!use.lacking.empty()) {
      const auto reason = requirement.open.find(std::string(kModelsKey));
      open += fmt::format("| {}, {} of the combinations of types and ranks in models | {} |\n", name,
                          use.lacking.size(), reason == requirement.open.end() ? "no recipe yet" : reason->second);
    }
    rows += fmt::format("| {} | {} | {} | {} | {} of {} | {} of {} | {} of {} | {} of {} | {} | {} |\n", name, op.smoke,
                        op.full, op.refused, c, c_of, op.broken.size(), c_of, s, s_of, op.types.size(),
                        op.types.size() + op.missing_types.size(), fmt::join(counts, ", "), InModels(requirement, use));
  }
  return fmt::format(
      R"(# Coverage of the suite {} {}

Written by `opbyop suite {} --coverage docs/coverage.md`; [the suite](design/suite.md) explains the words.

| | covered |
|---|---|
| ops | {} |
| constraints | {} |
| constraints that a program breaks | {} |
| sentences of the semantics | {} |
| element types that ops take | {} |
| pairs of a constraint and an element type in models | {} |
| cases | {} smoke, {} full, {} that must be refused |

A constraint is covered by a valid program to which it applies, and broken by a program that must be refused
(`opbyop suite {} --refused`). A type counts as taken by an op if a program of the op is valid with it in place of another.
Quantized types count as one. Models are those of `fixtures/models`, `fixtures/zoo/small` and `fixtures/zoo/real`: an op of theirs exercises the
constraints of the suite's cases that have the same element types and ranks.

## Not covered

| what | why |
|---|---|
{}
## Not broken

| constraint | why no program breaks it |
|---|---|
{}
## By op

The last column but one has for each id how many element types the cases that exercise it have; [sentences](coverage-sentences.md) has the words of
those that begin with S. The last column has the constraints and element types that models exercise.

| op | smoke | full | refused | constraints | broken | semantics | types | id and types | in models |
|---|---:|---:|---:|---:|---:|---:|---:|---|---|
{})",
      suite.name, suite.version, suite.name, Share(ops, coverage.requirements.size()),
      Share(constraints, constraints_of), Share(broken, constraints_of), Share(sentences, sentences_of),
      Share(types, types_of), Share(pairs, pairs_of), smoke, full, refused, suite.name, open, unbroken, rows);
}

std::filesystem::path SentencesFile(const std::filesystem::path& coverage_page) {
  return coverage_page.parent_path() / "coverage-sentences.md";
}

std::string SentencesPage(const Suite& suite, const Coverage& coverage) {
  std::string words;
  for (const auto& [name, requirement] : coverage.requirements) {
    for (const auto& [id, word] : requirement.words) words += fmt::format("| {}.{} | {} |\n", name, id, word);
  }
  return fmt::format(R"(# Sentences of the semantics

What the suite {} {} means by the ids of [its coverage](coverage.md) that begin with S.

| id | what |
|---|---|
{})",
                     suite.name, suite.version, words);
}

}  // namespace opbyop::generator
