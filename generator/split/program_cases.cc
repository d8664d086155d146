// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/program_cases.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "generator/program/canonical_groups.h"
#include "generator/program/case_writer.h"
#include "generator/program/process_grid.h"
#include "generator/shard/local_ops.h"
#include "generator/shard/op_sharding.h"
#include "ir/entry_function.h"
#include "ir/op_info.h"
#include "ir/sharding/read_sharding.h"
#include "llvm/ADT/DenseMap.h"

namespace opbyop::generator {
namespace {

// Whether the op only serves another op of a per-op file. The op under test is the one whose results are returned; the
// ops in its regions and callees belong to it.
bool IsFoldedPart(const ReachedOp& reached) {
  mlir::Operation* op = reached.op;
  if (reached.function != 0 || reached.region != WalkedRegion::kNone || !IsChainOp(op)) return false;
  return llvm::none_of(op->getUsers(),
                       [](mlir::Operation* user) { return user->getName().getStringRef() == "func.return"; });
}

void DropFoldedParts(mlir::ModuleOp module, Walk& walk) {
  if (!module->hasAttr(kCaseAttribute)) return;
  ConstantFolder folder(std::numeric_limits<int64_t>::max());
  llvm::erase_if(walk.ops, [&](const ReachedOp& reached) {
    return IsFoldedPart(reached) && folder.CanFold(reached.op->getResult(0));
  });
}

// Whether one device cannot run the op by itself, or has nothing to run: a collective, control flow around one, a
// manual computation (whose body is walked), a statement about a sharding.
bool IsBetweenDevices(mlir::Operation* op, ProcessGrid& grid) {
  const OpKind kind = KindOf(op->getName().getStringRef());
  return kind == OpKind::kCollective || kind == OpKind::kSharding || StatesSharding(op) ||
         mlir::isa<sdy::ManualComputationOp>(op) || grid.Concerns(op);
}

// Gives the ops the shapes of one device.
Expected<void> MakeLocal(ProgramCases& program) {
  ProcessGrid grid(program.module);
  llvm::erase_if(program.walk.ops, [&](const ReachedOp& reached) { return IsBetweenDevices(reached.op, grid); });
  Expected<LocalOps> local = LocalOps::Make(program.module);
  if (!local) return Unexpected(local.error());
  for (ReachedOp& reached : program.walk.ops) reached.op = local->Of(reached.op);
  program.not_divided = local->NotDivided();
  program.local = local->TakeModule();
  return {};
}

// A list for a person: the first ones, and how many more there are.
void Shorten(std::vector<std::string>& notes) {
  constexpr size_t kMost = 64;
  if (notes.size() <= kMost) return;
  const size_t more = notes.size() - kMost;
  notes.resize(kMost);
  notes.push_back(fmt::format("and {} more", more));
}

void AddElided(const CaseInputs& inputs, std::set<int64_t>& elided) {
  for (const CaseInputs::Input& input : inputs.inputs) {
    mlir::Operation* source = input.folded ? nullptr : input.value.getDefiningOp();
    if (source != nullptr && IsElided(source)) elided.insert(input.argument);
  }
}

}  // namespace

Expected<ProgramCases> FindCases(mlir::ModuleOp outer, const SplitOptions& options, FoldedParts folded) {
  ForeignAttributes foreign(outer);
  const std::string entry = EntryName(outer, options.entry);
  const Expected<mlir::ModuleOp> module = FindEntryModule(outer, entry);
  if (!module) return Unexpected(module.error());
  CanonicalizeGroups(*module);
  WalkOptions walked = options.walk;
  if (folded == FoldedParts::kDropped && (*module)->hasAttr(kCaseAttribute)) {
    // The op under test of a per-op file is one case with all that it contains.
    walked.inside_regions = false;
    if (walked.composites == Composites::kInside) walked.composites = Composites::kWhole;
  }
  Expected<Walk> walk = WalkProgram(*module, entry, walked);
  if (!walk) return Unexpected(walk.error());
  if (folded == FoldedParts::kDropped) DropFoldedParts(*module, *walk);
  ProgramCases program{.module = *module, .foreign = std::move(foreign), .local = nullptr, .walk = std::move(*walk)};
  if (options.shards == Shards::kLocal) {
    if (const Expected<void> done = MakeLocal(program); !done) return Unexpected(done.error());
  }
  std::optional<OpShardings> shardings;
  if (options.shards == Shards::kSharded) shardings.emplace(*module);
  program.case_of.reserve(program.walk.ops.size());
  CanonicalHasher hasher(*module);
  ProcessGrid grid(*module);
  ConstantFolder folder(options.fold_limit, options.vary_constants);
  llvm::DenseMap<Digest, int32_t> index;
  for (const ReachedOp& reached : program.walk.ops) {
    const CaseInputs inputs = FindInputs(reached.op, folder);
    Expected<Digest> digest = hasher.HashCase(reached.op, inputs);
    if (!digest) return Unexpected(digest.error());
    std::shared_ptr<const CaseSharding> sharding = shardings ? shardings->Of(reached.op, inputs) : nullptr;
    if (sharding) digest = WithSharding(*digest, *sharding);
    const auto [place, is_new] = index.try_emplace(*digest, static_cast<int32_t>(program.cases.size()));
    if (is_new) program.cases.push_back({*digest, reached.op, grid.Of(reached.op), std::move(sharding), {}});
    AddElided(inputs, program.cases[static_cast<size_t>(place->second)].elided);
    program.case_of.push_back(place->second);
  }
  if (shardings) {
    program.sharding = shardings->Of(mlir::cast<mlir::FunctionOpInterface>(program.walk.functions.front().op));
    program.not_divided = shardings->NotDivided();
  }
  Shorten(program.not_divided);
  return program;
}

}  // namespace opbyop::generator
