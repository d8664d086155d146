// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "generator/program/process_grid.h"
#include "generator/suite/op_module.h"
#include "generator/suite/pair_parts.h"
#include "generator/suite/program.h"
#include "generator/suite/suite_command.h"
#include "generator/suite/yaml_text.h"
#include "ir/register.h"
#include "ir/sdy/sdy.h"
#include "manifests/formats/yaml.h"
#include "mlir/AsmParser/AsmParser.h"
#include "support/sharding/sdy_text.h"

namespace opbyop::generator {
namespace {

// Programs that differ in their element types only.
using Alike = std::vector<mlir::Operation*>;

void StateGrid(mlir::ModuleOp module, int64_t replicas, int64_t partitions) {
  mlir::Builder builder(module.getContext());
  module->setAttr(kReplicasAttribute, builder.getI32IntegerAttr(static_cast<int32_t>(replicas)));
  module->setAttr(kPartitionsAttribute, builder.getI32IntegerAttr(static_cast<int32_t>(partitions)));
}

// "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"
std::string IdsText(const std::vector<std::vector<int64_t>>& rows) {
  std::vector<std::string> lists;
  lists.reserve(rows.size());
  for (const auto& row : rows) lists.push_back(fmt::format("[{}]", fmt::join(row, ", ")));
  return fmt::format("dense<[{}]> : tensor<{}x{}xi64>", fmt::join(lists, ", "), rows.size(), rows[0].size());
}

// Two dimensions that the devices divide. The second has room for windows and slices of five elements.
std::array<int64_t, 2> MatrixFor(const Mesh& mesh) {
  const int64_t n = mesh.devices() < 4 ? 2 * mesh.devices() : mesh.devices();
  return {n, 2 * n};
}

// The same for the way that divides unevenly: the last device along the second axis has fewer of them, or none.
std::array<int64_t, 2> UnevenMatrixFor(const Mesh& mesh) {
  const int64_t n = MatrixFor(mesh)[0] + 1;
  return {n, 2 * n};
}

// The names that recipes may use, with their values.
std::map<std::string, std::string> NamesOf(const Mesh& mesh, const std::array<int64_t, 2>& matrix) {
  const int64_t devices = mesh.devices();
  const auto [n, m] = matrix;
  const auto all = GroupsAlong(Axes{{.stride = 1, .size = devices}}, devices);
  std::vector<std::vector<int64_t>> ring, line, unequal(2);
  for (int64_t i = 0; i < devices; ++i) {
    ring.push_back({i, (i + 1) % devices});
    if (i > 0) line.push_back({i, i - 1});
    unequal[0].push_back(i + 1 < devices ? i : -1);
    unequal[1].push_back(i == 0 ? devices - 1 : -1);
  }
  std::vector<std::vector<int64_t>> first_axis(1), second_axis(1);
  for (int64_t i = 0; i < mesh.rows; ++i) first_axis[0].push_back(i);
  for (int64_t i = 0; i < mesh.columns; ++i) second_axis[0].push_back(i);
  if (devices > 2) {
    for (auto& row : unequal) row.pop_back();
  }
  std::map<std::string, std::string> names = {
      {"n", std::to_string(n)},
      {"m", std::to_string(m)},
      {"channel", "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"},
      {"along_x", IdsText(GroupsAlong(mesh.X(), devices))},
      {"along_y", IdsText(GroupsAlong(mesh.Y(), devices))},
      {"all", IdsText(all)},
      {"ring", IdsText(ring)},
      {"line", IdsText(line)},
      {"unequal", IdsText(unequal)},
      {"first_axis", IdsText(first_axis)},
      {"second_axis", IdsText(second_axis)},
      {"swap", mesh.rows > 1 && mesh.columns > 1 ? IdsText({{0, 1}, {1, 0}}) : IdsText({{0, 0}})}};
  for (const auto& [name, size] : {std::pair("A", mesh.rows), std::pair("B", mesh.columns), std::pair("N", devices)}) {
    names[name] = std::to_string(size);
    names[fmt::format("{}3", name)] = std::to_string(3 * size);
  }
  return names;
}

std::vector<Binding> WithNames(std::vector<Binding> bindings, const std::map<std::string, std::string>& names) {
  for (Binding& binding : bindings) binding.values.insert(names.begin(), names.end());
  return bindings;
}

// The ops that recipes made in @main of a module.
std::vector<mlir::Operation*> MadeIn(mlir::ModuleOp module) {
  std::vector<mlir::Operation*> made;
  for (mlir::Operation& op : module.lookupSymbol<mlir::func::FuncOp>("main").getBody().front()) {
    if (op.hasAttr(kCoversAttribute)) made.push_back(&op);
  }
  return made;
}

int64_t ScalarsOf(mlir::Operation* op) {
  return llvm::count_if(op->getOperandTypes(),
                        [](mlir::Type type) { return llvm::cast<mlir::RankedTensorType>(type).getRank() == 0; });
}

// Adds the op with the divisions stated on its arguments and results.
Expected<void> AddDivided(mlir::Operation* op, Way way, const OpDivision& division, const Mesh& mesh, OpModule& model) {
  mlir::IRMapping mapping;
  mlir::Operation* copy = model.Add(op, std::string(ToString(way)), mapping);
  std::vector<Division> all = division.operands;
  all.insert(all.end(), division.results.begin(), division.results.end());
  const Expected<std::vector<std::string>> texts = ToSdyTexts(all, mesh.devices());
  if (!texts) return Unexpected(texts.error());
  std::vector<sdy::TensorShardingAttr> attributes;
  for (const std::string& text : *texts) {
    attributes.push_back(
        llvm::dyn_cast_or_null<sdy::TensorShardingAttr>(mlir::parseAttribute(text, model.module().getContext())));
    if (!attributes.back()) return MakeError(ExitCode::kInternal, "no sharding: " + text);
  }
  for (unsigned i = 0; i < copy->getNumOperands(); ++i) {
    model.SetAttribute(copy->getOperand(i), "sdy.sharding", attributes[i]);
  }
  copy->setAttr("sdy.sharding", sdy::TensorShardingPerValueAttr::get(
                                    copy->getContext(), llvm::ArrayRef(attributes).drop_front(copy->getNumOperands())));
  return {};
}

class MeshMaker {
 public:
  MeshMaker(const Suite& suite, const Mesh& mesh, Level level, const std::string& ops, CaseSink sink)
      : suite_(suite),
        level_(level),
        ops_(ops),
        names_(NamesOf(mesh, MatrixFor(mesh))),
        context_(Registry(), mlir::MLIRContext::Threading::DISABLED),
        splitter_({.walk = {}, .vary_constants = false}, std::move(sink)) {
    context_.loadAllAvailableDialects();
    made_.mesh = mesh;
  }

  Expected<MeshSuite> Make(const std::filesystem::path& folder) {
    Expected<YamlMap> never = LoadYaml(folder / "mesh/never.yaml");
    if (!never) return Unexpected(never.error());
    never->Schema(kMeshSchema);
    if (std::optional<YamlMap> reasons = never->Map("never")) {
      const nlohmann::json texts = reasons->ToJson();
      for (const auto& [op, reason] : texts.items()) made_.never[op] = YamlText(reason);
    }
    if (const auto failure = never->Finish()) return Unexpected(*failure);
    for (const auto make : {&MeshMaker::AddCollectives, &MeshMaker::AddSharded}) {
      if (const Expected<void> done = (this->*make)(folder); !done) return Unexpected(done.error());
    }
    if (turn_ == 0) {
      return MakeError(ExitCode::kNothingToDo,
                       fmt::format("no op of the suite {} matches {} and runs on a mesh", suite_.name, ops_));
    }
    made_.result = splitter_.Finish();
    DescribeSuite(suite_, fmt::format("mesh-{}{}", made_.mesh.Text(), level_ == Level::kSmoke ? "" : "-full"),
                  made_.result.manifest);
    return std::move(made_);
  }

 private:
  static mlir::DialectRegistry Registry() {
    mlir::DialectRegistry registry;
    RegisterAllDialects(registry);
    return registry;
  }

  Expected<void> Split(mlir::ModuleOp module, const std::string& op, const std::string& name) {
    const Expected<Splitter::Added> added =
        splitter_.Add(turn_++, module, {.name = ModelName(name), .source = op, .frontend = "suite"});
    if (!added) return Unexpected(added.error());
    if (!added->error.empty()) return MakeError(ExitCode::kBadInput, op + ": " + added->error);
    return {};
  }

  // By op and grid: a module states one grid.
  Expected<void> AddCollectives(const std::filesystem::path& folder) {
    std::vector<Recipe> recipes;
    if (const auto read = ReadRecipes(folder / "mesh/collectives.yaml", suite_.sets, recipes); !read) return read;
    std::map<std::pair<std::string, std::string>, ProgramBuilder> builders;
    for (const Recipe& recipe : recipes) {
      if (!MatchesOp(ops_, recipe.op)) continue;
      for (const Binding& binding : WithNames(Combine(recipe, level_), names_)) {
        const std::string& grid = binding.values.at("grid");
        builders.try_emplace({recipe.op, grid}, context_).first->second.Add(recipe, {binding});
        ++made_.collectives[recipe.op][binding.values.at("form")];
      }
    }
    const Mesh& mesh = made_.mesh;
    const std::map<std::string, std::pair<int64_t, int64_t>> grids = {
        {"replicas", {mesh.devices(), 1}}, {"partitions", {1, mesh.devices()}}, {"both", {mesh.rows, mesh.columns}}};
    for (auto& [key, builder] : builders) {
      const auto& [op, grid] = key;
      const auto counts = grids.find(grid);
      if (counts == grids.end()) return MakeError(ExitCode::kBadInput, "collectives.yaml: unknown `grid` " + grid);
      const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = builder.Finish();
      if (!module) return Unexpected(module.error());
      StateGrid(**module, counts->second.first, counts->second.second);
      if (const Expected<void> done = Split(**module, op, fmt::format("{}.{}", op, grid)); !done) return done;
    }
    return {};
  }

  Expected<void> AddSharded(const std::filesystem::path& folder) {
    const Expected<PairRules> rules = LoadPairRules(folder);
    if (!rules) return Unexpected(rules.error());
    Expected<PairParts> parts = PairParts::Make(context_, suite_, *rules, level_);
    if (!parts) return Unexpected(parts.error());
    std::vector<Recipe> recipes;
    if (const auto read = ReadRecipes(folder / "mesh/sharded.yaml", suite_.sets, recipes); !read) return read;
    const auto even = Programs(*parts, recipes, MatrixFor(made_.mesh));
    if (!even) return Unexpected(even.error());
    const auto uneven = Programs(*parts, recipes, UnevenMatrixFor(made_.mesh));
    if (!uneven) return Unexpected(uneven.error());
    for (const auto& [op, rows] : *even) {
      OpModule model(parts->module());
      StateGrid(model.module(), 1, made_.mesh.devices());
      for (const Way way : kWays) {
        for (const Alike& row : way == Way::kUneven ? uneven->at(op) : rows) {
          if (const Expected<void> done = AddWay(way, row, made_.sharded[op][way], model); !done) return done;
        }
      }
      const Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = model.Finish();
      if (!module) return Unexpected(module.error());
      if (const Expected<void> done = Split(**module, op, op); !done) return done;
    }
    return {};
  }

  // By op: elementwise ones on matrices of this shape, and those of recipes with $n and $m of it.
  Expected<std::map<std::string, std::vector<Alike>>> Programs(PairParts& parts, const std::vector<Recipe>& recipes,
                                                               const std::array<int64_t, 2>& shape) {
    std::map<std::string, std::vector<Alike>> programs = ByElement(parts, shape);
    for (const Recipe& recipe : recipes) {
      if (!MatchesOp(ops_, recipe.op)) continue;
      ProgramBuilder builder(context_);
      builder.Add(recipe, WithNames(Combine(recipe, level_), NamesOf(made_.mesh, shape)));
      Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = builder.Finish();
      if (!module) return Unexpected(module.error());
      Alike& alike = programs[recipe.op].emplace_back(MadeIn(**module));
      for (mlir::Operation* op : alike) op->removeAttr(kCoversAttribute);
      modules_.push_back(std::move(*module));
    }
    return programs;
  }

  // The elementwise ops of the suite, once for each of their element types.
  std::map<std::string, std::vector<Alike>> ByElement(PairParts& parts, const std::array<int64_t, 2>& shape) {
    std::map<std::string, std::vector<Alike>> programs;
    for (const std::string& op : parts.Ops()) {
      if (!MatchesOp(ops_, op)) continue;
      // Those with the fewest scalars, one for each choice of elements, in the order of the suite.
      std::vector<PairPart> fewest;
      for (const PairPart& part : parts.Of(op)) {
        if (!PairParts::CanReshape(part)) continue;
        if (!fewest.empty() && ScalarsOf(part.op) < ScalarsOf(fewest.front().op)) fewest.clear();
        if (fewest.empty() || ScalarsOf(part.op) == ScalarsOf(fewest.front().op)) fewest.push_back(part);
      }
      Alike alike;
      std::set<std::string> elements;
      for (const PairPart& part : fewest) {
        std::string types;
        for (const mlir::Value operand : part.op->getOperands()) types += ElementText(operand.getType()) + " ";
        if (!elements.insert(types).second) continue;
        if (const std::optional<PairPart> reshaped = parts.Reshaped(part, shape)) alike.push_back(reshaped->op);
      }
      if (!alike.empty()) programs[op] = {std::move(alike)};
    }
    return programs;
  }

  Expected<void> AddWay(Way way, const Alike& row, MeshSuite::Cell& cell, OpModule& model) {
    const bool all = level_ == Level::kFull || way == Way::kContracting;
    const size_t count = all ? row.size() : std::min<size_t>(row.size(), 1);
    for (size_t i = 0; i < count; ++i) {
      mlir::Operation* op = row[(i + static_cast<size_t>(way)) % row.size()];
      const Divided divided = Divide(way, op, made_.mesh);
      for (const OpDivision& division : divided.divisions) {
        if (const Expected<void> done = AddDivided(op, way, division, made_.mesh, model); !done) return done;
      }
      cell.programs += divided.divisions.size();
      if (cell.reason.empty()) cell.reason = divided.reason;
    }
    if (cell.programs > 0) cell.reason.clear();
    return {};
  }

  const Suite& suite_;
  Level level_;
  const std::string& ops_;
  const std::map<std::string, std::string> names_;
  mlir::MLIRContext context_;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules_;  // of the recipes' programs
  Splitter splitter_;
  size_t turn_ = 0;
  MeshSuite made_;
};

}  // namespace

Expected<MeshSuite> MakeMeshSuite(const Suite& suite, const std::filesystem::path& folder, const Mesh& mesh,
                                  Level level, const std::string& ops, CaseSink sink) {
  return MeshMaker(suite, mesh, level, ops, std::move(sink)).Make(folder);
}

}  // namespace opbyop::generator
