// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/case_map.h"

#include <unordered_map>
#include <utility>

#include "generator/program/case_id.h"
#include "generator/program/describe_case.h"
#include "generator/split/program_cases.h"

namespace opbyop::generator {

Expected<CaseMap> CaseMap::Make(mlir::ModuleOp outer, const SplitOptions& options) {
  Expected<ProgramCases> program = FindCases(outer, options, FoldedParts::kKept);
  if (!program) return Unexpected(program.error());
  CaseMap map(program->module, options);
  std::vector<IdParts> ids;
  for (const ProgramCases::Distinct& distinct : program->cases) {
    const CaseInputs inputs = map.InputsOf(distinct.op);
    const Case& c = map.cases_.emplace_back(Entry{DescribeCase(distinct.op, inputs, distinct.digest), distinct.op}).c;
    ids.push_back({CaseIdStem(c.op, c.target, c.inputs, c.outputs), c.hash});
  }
  map.walk_ = std::move(program->walk);
  for (size_t i = 0; i < program->case_of.size(); ++i) map.index_[map.walk_.ops[i].op] = program->case_of[i];
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
