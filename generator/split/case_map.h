// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps the ops of a program to cases by the same rules as `opbyop split`: same hashes, same ids.
//
//   Expected<CaseMap> map = CaseMap::Make(module, {.walk = {.inside_regions = true}});
//   const CaseMap::Entry* entry = map->Find(op);     // nullptr: the op is no case (constants, calls, returns)
//   WriteFile(entry->c.id + ".mlir", map->Text(*entry));
//
// It is for programs that run a model op by op (opbyop capture, opbyop profile).
#ifndef OPBYOP_GENERATOR_SPLIT_CASE_MAP_H_
#define OPBYOP_GENERATOR_SPLIT_CASE_MAP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "generator/program/case_writer.h"
#include "generator/program/constants.h"
#include "generator/walk/split_options.h"
#include "generator/walk/walk.h"
#include "llvm/ADT/DenseMap.h"
#include "manifests/cases/case.h"

namespace opbyop::generator {

class CaseMap {
 public:
  struct Entry {
    Case c;  // without origins
    mlir::Operation* first = nullptr;
    std::vector<PlacedAttribute> attributes;  // the kept ones
  };

  // `module` may contain the program in a nested module. Ops whose attributes of the `kept` dialects differ are
  // different cases, as in generator/split/kept_attributes.h; those of the module and its entry function stay in it.
  // Returns the errors of WalkProgram and of the hash.
  static Expected<CaseMap> Make(mlir::ModuleOp module, const SplitOptions& options,
                                const std::vector<std::string>& kept = {});

  // If true, the ops of a composite's decomposition are cases, and the composite is not.
  bool inlines_composites() const { return inlines_composites_; }

  // The module that contains the entry function, and that function.
  mlir::ModuleOp module() const { return module_; }
  mlir::Operation* entry() const { return walk_.functions.front().op; }

  // How the arguments and results of the program are divided among devices; null if its ops are no sharded cases.
  const std::shared_ptr<const CaseSharding>& sharding() const { return sharding_; }

  const Entry* Find(mlir::Operation* op) const;
  const std::vector<Entry>& cases() const { return cases_; }  // in order of first execution

  // Takes over the ids that a manifest gives to the same hashes. Returns the number of cases that the manifest lacks.
  size_t TakeIds(const std::vector<Case>& cases);

  // The values that are folded into the op's case, and those that are its arguments.
  CaseInputs InputsOf(mlir::Operation* op) { return FindInputs(op, folder_); }

  // The text of the per-op file.
  std::string Text(const Entry& entry);

 private:
  CaseMap(mlir::ModuleOp module, const SplitOptions& options)
      : module_(module),
        inlines_composites_(options.walk.composites == Composites::kInline),
        folder_(options.fold_limit, options.vary_constants) {}

  mlir::ModuleOp module_;
  bool inlines_composites_;
  ConstantFolder folder_;
  Walk walk_;
  std::vector<Entry> cases_;
  std::shared_ptr<const CaseSharding> sharding_;
  llvm::DenseMap<mlir::Operation*, int32_t> index_;
  std::unique_ptr<CaseWriter> writer_;  // created for the first text
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_CASE_MAP_H_
