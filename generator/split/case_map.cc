// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/case_map.h"

#include <map>
#include <unordered_map>
#include <utility>

#include "generator/program/case_id.h"
#include "generator/program/describe_case.h"
#include "generator/program/placed_attributes.h"
#include "generator/split/kept_attributes.h"
#include "generator/split/program_cases.h"

namespace opbyop::generator {

Expected<CaseMap> CaseMap::Make(mlir::ModuleOp outer, const SplitOptions& options,
                                const std::vector<std::string>& kept) {
  if (options.shards == Shards::kLocal) {
    return MakeError(ExitCode::kUnsupported,
                     "the cases have the shapes of one device, and the program runs with those of all devices; split "
                     "the model with --shards=global");
  }
  Expected<ProgramCases> program = FindCases(outer, options, FoldedParts::kKept);
  if (!program) return Unexpected(program.error());
  CaseMap map(program->module, options);
  map.walk_ = std::move(program->walk);
  map.sharding_ = std::move(program->sharding);
  std::vector<IdParts> ids;
  std::map<std::pair<int32_t, std::vector<PlacedAttribute>>, int32_t> found;
  for (size_t i = 0; i < program->case_of.size(); ++i) {
    mlir::Operation* op = map.walk_.ops[i].op;
    std::vector<PlacedAttribute> attributes;
    if (!kept.empty()) attributes = KeptOf(program->foreign.Of(op, map.InputsOf(op)), kept);
    const auto [place, is_new] =
        found.try_emplace({program->case_of[i], attributes}, static_cast<int32_t>(map.cases_.size()));
    map.index_[op] = place->second;
    if (!is_new) continue;
    const ProgramCases::Distinct& distinct = program->cases[static_cast<size_t>(program->case_of[i])];
    Case c = DescribeCase(op, map.InputsOf(op), distinct.digest, distinct.grid, distinct.sharding);
    c.hash = HashWith(c.hash, attributes);
    ids.push_back({CaseIdStem(c.op, c.target, c.inputs, c.outputs, c.devices()), c.hash});
    map.cases_.push_back({std::move(c), op, std::move(attributes)});
  }
  std::vector<std::string> names = MakeIds(ids, options.id_digits);
  for (size_t i = 0; i < names.size(); ++i) {
    map.cases_[i].c.id = std::move(names[i]);
    map.cases_[i].c.file = "cases/" + map.cases_[i].c.id + ".mlir";
  }
  const auto entry = mlir::cast<mlir::FunctionOpInterface>(map.entry());
  for (const PlacedAttribute& attribute : KeptOf(program->foreign.OfWhole(entry), kept)) {
    PlaceAttribute(map.module_, entry, attribute);
  }
  return map;
}

const CaseMap::Entry* CaseMap::Find(mlir::Operation* op) const {
  const auto found = index_.find(op);
  return found == index_.end() ? nullptr : &cases_[static_cast<size_t>(found->second)];
}

size_t CaseMap::TakeIds(const std::vector<Case>& cases) {
  std::unordered_map<std::string, const Case*> by_hash;
  for (const Case& c : cases) by_hash[c.hash] = &c;
  size_t unknown = 0;
  for (Entry& entry : cases_) {
    const auto found = by_hash.find(entry.c.hash);
    if (found == by_hash.end()) {
      ++unknown;
    } else {
      entry.c.id = found->second->id;
    }
  }
  return unknown;
}

std::string CaseMap::Text(const Entry& entry) {
  if (!writer_) writer_ = std::make_unique<CaseWriter>(module_);
  return writer_->Write(entry.first, InputsOf(entry.first), {entry.c.id, {}}, entry.attributes);
}

}  // namespace opbyop::generator
