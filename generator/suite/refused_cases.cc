// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns the tables of programs to break into cases and their manifest.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "generator/program/case_id.h"
#include "generator/program/signature.h"
#include "generator/suite/program.h"
#include "generator/suite/refused.h"
#include "generator/suite/suite_command.h"
#include "ir/first_error.h"
#include "ir/op_info.h"
#include "ir/read_module.h"
#include "ir/register.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "support/files/sha256.h"

namespace opbyop::generator {
namespace {

// Parses types of invalid programs: a text that is no type is kept as it is.
class TypeReader {
 public:
  TypeReader() : context_(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    RegisterAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  std::vector<TensorType> Read(const std::vector<std::string>& texts) {
    const FirstError quiet(context_);
    std::vector<TensorType> types;
    for (const std::string& text : texts) {
      const mlir::Type type = mlir::parseType(text, &context_);
      types.push_back(type ? ToTensorType(type) : TensorType{{}, text});
    }
    return types;
  }

  mlir::MLIRContext& context() { return context_; }

 private:
  mlir::MLIRContext context_;
};

std::map<std::string, std::string> AttributesOf(const OneProgram& program) {
  std::map<std::string, std::string> attributes;
  for (const std::string& item : SplitList(Substitute(program.recipe.with, program.values))) {
    const size_t equals = item.find(" = ");
    attributes[item.substr(0, equals)] = equals == std::string::npos ? "unit" : item.substr(equals + 3);
  }
  return attributes;
}

std::string PlaceOf(const Recipe& recipe) {
  return fmt::format("refused/{}:{}", recipe.file.filename().string(), recipe.line);
}

// The program whose text is in a case's file, and the name of the case.
struct NamedProgram {
  Case c;
  std::string stem;
  std::string text;
};

class RefusedCases {
 public:
  explicit RefusedCases(const CaseSink& sink) : sink_(sink) {}

  Expected<void> Add(const BreakableProgram& program) {
    const Recipe& recipe = program.valid.recipe;
    const std::string valid = ModuleText(program.valid, program.grid);
    const auto bad = [&](std::string_view what, const std::string& text) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("{}:{}: {}\n{}", recipe.file.string(), recipe.line, what, text));
    };
    if (const auto read = ReadModuleFromBytes(valid, "valid", types_.context()); !read) {
      return bad("the program that is to be broken is not valid: " + read.error().message, valid);
    }
    const std::string short_name = Identifier(ShortName(recipe.op));
    const std::string valid_name = fmt::format("valid_{}_{}", short_name, Sha256Hex(valid).substr(0, kIdHashDigits));
    if (valid_.insert(valid_name).second) {
      if (Expected<void> stored = sink_(valid_name, "// " + valid_name + "\n" + valid); !stored) return stored;
    }
    const std::string model = ModelName(recipe.op);
    if (models_.empty() || models_.back().name != model) {
      models_.push_back({.name = model, .source = recipe.op, .frontend = "suite"});
    }
    for (const BrokenProgram& broken : program.broken) {
      const OpText op = WriteOp(broken.program.recipe, broken.program.values, "", std::nullopt);
      NamedProgram named;
      named.text = ModuleText(broken.program, program.grid);
      const std::string id = fmt::format("{}.{}", ShortName(recipe.op), broken.constraint);
      named.stem = fmt::format("{}_{}", short_name, broken.constraint);
      if (!texts_.insert(id + named.text).second) return bad(id + " is broken twice by the same program", named.text);
      if (named.text == valid) return bad(id + " is not broken: nothing is changed", valid);
      Case& c = named.c;
      c.op = recipe.op;
      c.kind = KindOf(recipe.op);
      c.hash = Sha256Hex(id + "\n" + named.text);
      c.inputs = types_.Read(op.argument_types);
      c.outputs = types_.Read(op.results);
      c.attributes = AttributesOf(broken.program);
      c.grid = program.grid;
      c.breach = std::make_shared<const Breach>(Breach{id, broken.rule, fmt::format("cases/{}.mlir", valid_name)});
      c.origins.push_back({.model = model, .count = 1, .locations = {PlaceOf(recipe)}});
      ++models_.back().ops;
      programs_.push_back(std::move(named));
    }
    return {};
  }

  Expected<SplitResult> Finish() {
    std::vector<IdParts> parts;
    for (const NamedProgram& program : programs_) parts.push_back({program.stem, program.c.hash});
    const std::vector<std::string> ids = MakeIds(parts);
    SplitResult result;
    for (size_t i = 0; i < ids.size(); ++i) {
      Case& c = programs_[i].c;
      c.id = ids[i];
      c.file = fmt::format("cases/{}.mlir", c.id);
      const std::string text =
          fmt::format("// {}: breaks {}, {}\n{}", c.id, c.breach->constraint, c.breach->rule, programs_[i].text);
      if (Expected<void> stored = sink_(c.id, text); !stored) return Unexpected(stored.error());
      result.manifest.cases.push_back(std::move(c));
    }
    std::ranges::sort(result.manifest.cases, {}, &Case::id);
    result.manifest.models = std::move(models_);
    return result;
  }

 private:
  const CaseSink& sink_;
  TypeReader types_;
  std::vector<Model> models_;
  std::vector<NamedProgram> programs_;
  std::set<std::string> valid_;
  std::set<std::string> texts_;
};

}  // namespace

Expected<SplitResult> MakeRefusedCases(const Suite& suite, const std::string& ops, const CaseSink& sink) {
  // Models are in order of the ops' names, like those of valid programs.
  std::map<std::string, std::vector<const BreakableProgram*>> by_op;
  for (const BreakableProgram& program : suite.breakable) {
    const std::string& op = program.valid.recipe.op;
    if (MatchesOp(ops, op)) by_op[op].push_back(&program);
  }
  if (by_op.empty()) {
    return MakeError(
        ExitCode::kNothingToDo,
        fmt::format("no op of the suite {} matches {} and has programs that must be refused", suite.name, ops));
  }
  RefusedCases cases(sink);
  for (const auto& [op, programs] : by_op) {
    for (const BreakableProgram* program : programs) {
      if (Expected<void> added = cases.Add(*program); !added) return Unexpected(added.error());
    }
  }
  Expected<SplitResult> result = cases.Finish();
  if (result) DescribeSuite(suite, kRefusedLevel, result->manifest);
  return result;
}

}  // namespace opbyop::generator
