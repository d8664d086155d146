// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <set>
#include <utility>

#include "generator/split/splitter.h"
#include "ir/first_error.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Parser/Parser.h"

namespace opbyop::generator {
namespace {

bool IsNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool IsConstant(std::string_view item) { return item.starts_with("dense<"); }

// Infers the types of ops whose operands determine the shape of their result but not its element type.
llvm::LogicalResult InferShape(mlir::Operation* op, mlir::Type element, llvm::SmallVectorImpl<mlir::Type>& types) {
  const auto interface = op->getName().getInterface<mlir::InferShapedTypeOpInterface>();
  llvm::SmallVector<mlir::ShapedTypeComponents> components;
  if (!interface ||
      mlir::failed(interface->inferReturnTypeComponents(
          op->getContext(), op->getLoc(), mlir::ValueShapeRange(op->getOperands()), op->getDiscardableAttrDictionary(),
          op->getPropertiesStorage(), op->getRegions(), components))) {
    return op->emitError("the shape of its result is not inferred");
  }
  for (const mlir::ShapedTypeComponents& component : components) {
    types.push_back(mlir::RankedTensorType::get(component.getDims(), element));
  }
  return mlir::success();
}

// The result types that the op infers.
llvm::LogicalResult InferTypes(mlir::Operation* op, mlir::Type element, llvm::SmallVectorImpl<mlir::Type>& types) {
  if (element) return InferShape(op, element, types);
  const auto interface = op->getName().getInterface<mlir::InferTypeOpInterface>();
  if (!interface) return op->emitError("its result types are not inferred: the recipe must have `out`");
  return interface->inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                     op->getDiscardableAttrDictionary(), op->getPropertiesStorage(), op->getRegions(),
                                     types);
}

// Replaces an op without results by one with the inferred results.
llvm::LogicalResult InferResults(mlir::Operation* op, mlir::Type element) {
  llvm::SmallVector<mlir::Type> types;
  if (mlir::failed(InferTypes(op, element, types))) return mlir::failure();
  if (types.empty()) return mlir::success();
  mlir::OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(types);
  state.addAttributes(op->getAttrs());
  for (mlir::Region& region : op->getRegions()) state.addRegion()->takeBody(region);
  mlir::OpBuilder builder(op);
  builder.create(state);
  op->erase();
  return mlir::success();
}

}  // namespace

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> items;
  int depth = 0;
  bool quoted = false;
  std::string item;
  const auto end_item = [&] {
    const size_t begin = item.find_first_not_of(" \n");
    if (begin != std::string::npos) items.push_back(item.substr(begin, item.find_last_not_of(" \n") - begin + 1));
    item.clear();
  };
  char previous = ' ';
  for (const char c : text) {
    const bool is_arrow = c == '>' && previous == '-';
    previous = c;
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '<' || c == '(' || c == '[' || c == '{')) ++depth;
    if (!quoted && ((c == '>' && !is_arrow) || c == ')' || c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !quoted) {
      end_item();
    } else {
      item += c;
    }
  }
  end_item();
  return items;
}

std::string Substitute(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result(text);
  // A value may contain names itself; the limit ends a cycle of them.
  constexpr int kDeepest = 6;
  for (int depth = 0; depth < kDeepest; ++depth) {
    std::string next;
    bool changed = false;
    for (size_t i = 0; i < result.size(); ++i) {
      if (result[i] != '$') {
        next += result[i];
        continue;
      }
      const bool braced = i + 1 < result.size() && result[i + 1] == '{';
      const size_t begin = i + (braced ? 2 : 1);
      size_t end = begin;
      while (end < result.size() && IsNameCharacter(result[end])) ++end;
      const auto found = values.find(result.substr(begin, end - begin));
      if (found == values.end() || (braced && (end == result.size() || result[end] != '}'))) {
        next += '$';
        continue;
      }
      next += found->second;
      changed = true;
      i = braced ? end : end - 1;
    }
    result = std::move(next);
    if (!changed) break;
  }
  return result;
}

std::string TypeText(std::string_view item) {
  for (const std::string_view whole : {"tensor<", "tuple<", "memref<", "!stablehlo", "("}) {
    if (item.starts_with(whole)) return std::string(item);
  }
  const size_t first = item.find_first_of(" <");
  if (first == std::string_view::npos || item[first] == '<') return fmt::format("tensor<{}>", item);
  const std::string_view shape = item.substr(0, first);
  const std::string_view type = item.substr(item.find_first_not_of(' ', first));
  return shape == "scalar" ? fmt::format("tensor<{}>", type) : fmt::format("tensor<{}x{}>", shape, type);
}

OpText WriteOp(const Recipe& recipe, std::map<std::string, std::string> values, const std::string& id,
               const std::optional<std::vector<std::string>>& covers) {
  OpText text;
  values.emplace("id", id);
  std::vector<std::string> operands;
  std::vector<std::string> types;
  size_t count = 0;
  const auto add = [&](const std::string& item) {
    const std::string name = fmt::format("%v{}_{}", id, count);
    std::string type = IsConstant(item) ? item.substr(item.rfind(" : ") + 3) : TypeText(item);
    if (IsConstant(item)) {
      text.op += fmt::format("{} = stablehlo.constant {}\n", name, item);
    } else {
      text.arguments.push_back(fmt::format("{}: {}", name, type));
      text.argument_types.push_back(type);
    }
    values[std::to_string(count++)] = name;
    return std::pair(name, type);
  };
  for (const std::string& item : SplitList(Substitute(recipe.in, values))) {
    auto [name, type] = add(item);
    operands.push_back(std::move(name));
    types.push_back(std::move(type));
  }
  for (const std::string& item : SplitList(Substitute(recipe.captures, values))) add(item);
  for (const std::string& item : SplitList(Substitute(recipe.out, values))) {
    if (item.starts_with("_ ")) {
      text.element = item.substr(2);
    } else {
      text.results.push_back(TypeText(item));
    }
  }
  std::vector<std::string> attributes = SplitList(Substitute(recipe.with, values));
  if (covers) {
    std::vector<std::string> ids;
    for (const std::string& cover : FullIds(recipe.op, *covers)) ids.push_back("\"" + cover + "\"");
    attributes.push_back(fmt::format("{} = [{}]", kCoversAttribute, fmt::join(ids, ", ")));
  }
  std::string regions = Substitute(recipe.body, values);
  if (!regions.empty()) regions = " (" + regions + ")";
  text.op += fmt::format("{}\"{}\"({}){} {{{}}} : ({}) -> ({})\n",
                         text.results.empty() ? "" : fmt::format("%r{}:{} = ", id, text.results.size()), recipe.op,
                         fmt::join(operands, ", "), regions, fmt::join(attributes, ", "), fmt::join(types, ", "),
                         fmt::join(text.results, ", "));
  text.symbols = Substitute(recipe.symbols, values);
  return text;
}

void ProgramBuilder::Add(const Recipe& recipe, const std::vector<Binding>& bindings) {
  for (const Binding& binding : bindings) {
    programs_.push_back({&recipe, WriteOp(recipe, binding.values, std::to_string(programs_.size()), binding.covers)});
  }
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> ProgramBuilder::Parse(const Program* begin, const Program* end) {
  std::string text = "module {\n";
  std::vector<std::string> arguments;
  std::string ops;
  for (const Program* program = begin; program != end; ++program) {
    text += program->text.symbols;
    arguments.insert(arguments.end(), program->text.arguments.begin(), program->text.arguments.end());
    ops += program->text.op;
  }
  text += fmt::format("\nfunc.func @main({}) {{\n{}return\n}}\n}}\n", fmt::join(arguments, ", "), ops);

  const FirstError error(context_);
  const auto bad = [&] { return MakeError(ExitCode::kBadInput, error.text()); };
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context_, /*verifyAfterParse=*/false), "suite");
  if (!module) return bad();
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  const Program* program = begin;
  for (mlir::Operation& op : llvm::make_early_inc_range(main.getBody().front())) {
    if (!op.hasAttr(kCoversAttribute)) continue;
    // The position of the recipe becomes the location in the case's origin.
    op.setLoc(mlir::FileLineColLoc::get(&context_, program->recipe->file.filename().generic_string(),
                                        static_cast<unsigned>(program->recipe->line), 1));
    const mlir::Type element =
        program->text.element.empty() ? mlir::Type() : mlir::parseType(program->text.element, &context_);
    if (op.getNumResults() == 0 && mlir::failed(InferResults(&op, element))) return bad();
    ++program;
  }
  if (mlir::failed(mlir::verify(*module))) return bad();
  return module;
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> ProgramBuilder::Finish() {
  const Program* all = programs_.data();
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = Parse(all, all + programs_.size());
  if (module) return module;
  // Reports the first program of each recipe that is not valid by itself.
  std::string all_bad;
  const Recipe* bad = nullptr;
  for (const Program& program : programs_) {
    if (program.recipe == bad) continue;
    const Expected<mlir::OwningOpRef<mlir::ModuleOp>> alone = Parse(&program, &program + 1);
    if (alone) continue;
    bad = program.recipe;
    all_bad += fmt::format("{}{}:{}: the recipe makes a program that is not valid: {}\n({}) {}",
                           all_bad.empty() ? "" : "\n", bad->file.string(), bad->line, alone.error().message,
                           fmt::join(program.text.arguments, ", "), program.text.op);
  }
  return all_bad.empty() ? std::move(module) : MakeError(ExitCode::kBadInput, all_bad);
}

}  // namespace opbyop::generator
