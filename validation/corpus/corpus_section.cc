// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/corpus/corpus_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "generator/split/splitter.h"
#include "ir/read_module.h"
#include "ir/vhlo/write_artifact.h"
#include "mlir/IR/OperationSupport.h"

namespace opbyop {
namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

// The first pair of lines that differ.
std::string FirstDifference(const std::string& got, const std::string& expected) {
  static constexpr size_t kLongest = 160;
  auto [a, b] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  auto line = [](const std::string& text, std::string::const_iterator at) {
    size_t offset = at - text.begin();
    size_t start = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
    return text.substr(start, std::min(text.find('\n', offset) - start, kLongest));
  };
  return fmt::format("got '{}', expected '{}'", line(got, a), line(expected, b));
}

void CheckFixedPoint(const std::string& text, const std::string& name, mlir::MLIRContext& context,
                     SectionResult& result) {
  Expected<Module> again = ReadModuleFromBytes(text, name, context);
  if (!again) {
    result.problems.push_back("its print is rejected: " + again.error().message);
    return;
  }
  std::string second = PrintedText(**again);
  result.is_fixed_point = second == text;
  if (!result.is_fixed_point)
    result.problems.push_back("its print prints differently: " + FirstDifference(second, text));
}

// Artifacts of neighbouring versions often differ only in the version; such artifacts are read once.
class RoundTrip {
 public:
  RoundTrip(mlir::ModuleOp module, const std::string& text) : module_(module), text_(text) {}

  // The reason why `artifact`, written at `version`, is not the module; nothing if it is.
  std::optional<std::string> Problem(const std::string& artifact, const VhloVersion& version) {
    const std::string producer = "StableHLO_v" + ToString(version);
    std::string content = artifact;
    if (size_t at = content.find(producer); at != std::string::npos) content.erase(at, producer.size());
    if (content == last_) return std::nullopt;
    Expected<Module> module = ReadModuleFromBytes(artifact, "artifact", *module_->getContext());
    if (!module) return module.error().message;
    std::string back = PrintedText(**module);
    if (back != text_) {
      // A default that the text spells out cannot be distinguished from one that it leaves out.
      Expected<std::string> again = SerializePortableArtifact(**module, version);
      if (!again || *again != artifact) return FirstDifference(back, text_);
    }
    last_ = std::move(content);
    return std::nullopt;
  }

 private:
  mlir::ModuleOp module_;
  const std::string& text_;
  std::string last_;  // the last one that read back the same, without its producer
};

bool NamesReason(const std::string& message, const VhloVersion& version) {
  return message.find("cannot be written for version " + ToString(version)) != std::string::npos ||
         message.find("has no form in a portable artifact") != std::string::npos;
}

void CheckRoundTrips(mlir::ModuleOp module, const std::string& text, const SectionRules& rules, SectionResult& result) {
  RoundTrip trip(module, text);
  for (const VhloVersion& version : rules.versions) {
    Expected<std::string> artifact = SerializePortableArtifact(module, version);
    std::optional<std::string> problem;
    if (artifact) {
      problem = trip.Problem(*artifact, version);
      result.inexpressible.clear();
    } else {
      result.inexpressible = artifact.error().message;
      if (!NamesReason(result.inexpressible, version)) problem = "refused without a reason: " + result.inexpressible;
    }
    if (problem) {
      result.problems.push_back(fmt::format("version {}: {}", ToString(version), *problem));
      return;
    }
    if (artifact) ++result.versions_held;
  }
  result.is_round_trip = true;
}

bool Splits(mlir::ModuleOp module) {
  generator::Splitter splitter({.walk = {}},
                               [](const std::string&, const std::string&) -> Expected<void> { return {}; });
  Expected<generator::Splitter::Added> added = splitter.Add(0, module, {.name = "section"});
  return added && added->error.empty();
}

}  // namespace

std::string PrintedText(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

SectionResult JudgeSection(std::string_view text, const std::string& name, const SectionRules& rules,
                           mlir::MLIRContext& context) {
  SectionResult result;
  context.allowUnregisteredDialects(rules.may_have_unknown_dialects);
  Expected<Module> module = text.find_first_not_of(" \t\r\n") == std::string_view::npos
                                ? Expected<Module>(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)))
                                : ReadModuleFromBytes(text, name, context);
  result.is_accepted = module.has_value();
  result.agrees = result.is_accepted != rules.must_reject;
  if (!result.agrees) result.problems.push_back(module ? "is accepted, must be rejected" : module.error().message);
  if (!module) return result;
  std::string print = PrintedText(**module);
  CheckFixedPoint(print, name, context, result);
  CheckRoundTrips(**module, print, rules, result);
  result.splits = Splits(**module);
  return result;
}

}  // namespace opbyop
