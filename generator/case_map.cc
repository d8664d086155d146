#include "generator/case_map.h"

#include <unordered_map>
#include <utility>

#include "generator/case_id.h"
#include "generator/describe_case.h"

namespace opbyop::generator {

Expected<CaseMap> CaseMap::Make(mlir::ModuleOp outer, const SplitOptions& options) {
  const Expected<mlir::ModuleOp> module = FindEntryModule(outer, options.entry);
  if (!module) return Unexpected(module.error());
  CaseMap map(*module, options);
  Expected<Walk> walk = WalkProgram(*module, options.entry, options.walk);
  if (!walk) return Unexpected(walk.error());
  map.walk_ = std::move(*walk);
  CanonicalHasher hasher(*module);
  llvm::DenseMap<Digest, int32_t> known;
  std::vector<IdParts> ids;
  for (const ReachedOp& reached : map.walk_.ops) {
    const CaseInputs inputs = map.InputsOf(reached.op);
    const Expected<Digest> digest = hasher.HashCase(reached.op, inputs);
    if (!digest) return Unexpected(digest.error());
    const auto [place, is_new] = known.try_emplace(*digest, static_cast<int32_t>(map.cases_.size()));
    map.index_[reached.op] = place->second;
    if (!is_new) continue;
    const Case& c = map.cases_.emplace_back(Entry{DescribeCase(reached.op, inputs, *digest), reached.op}).c;
    ids.push_back({CaseIdStem(c.op, c.target, c.inputs, c.outputs), c.hash});
  }
  std::vector<std::string> names = MakeIds(ids, options.id_digits);
  for (size_t i = 0; i < names.size(); ++i) {
    map.cases_[i].c.id = std::move(names[i]);
    map.cases_[i].c.file = "cases/" + map.cases_[i].c.id + ".mlir";
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
  return writer_->Write(entry.first, InputsOf(entry.first), {entry.c.id, {}});
}

}  // namespace opbyop::generator
