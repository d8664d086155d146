// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Meanings of custom calls and composites, as functions of StableHLO or CHLO: those that users give in files of their
// own, and then those that are shipped (reference/meanings/definitions/).
//
//   Expected<Meanings> meanings = Meanings::Load({"vendor.mlir"});
//   Expected<Applied> applied = meanings->Apply(*module);   // "vendor.scale as vendor.mlir defines it"
//
// A file NAME.py has functions of Python (reference/meanings/python_file.h). Any other has public functions, each with
// the name of a call's target or composite, or with one or several such names in the attribute `opbyop.meaning`, so that
// one name can be defined for several types. Private functions help them. Targets in the module's attribute
// `opbyop.identities` return their operands, of whatever type.
//
//   module attributes {opbyop.identities = ["vendor.layout"]} {
//     func.func @vendor.scale(%x: tensor<4xf32>) -> tensor<4xf32> { ... }
//     func.func @solve(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %side: tensor<i32> {opbyop.attribute = "side"})
//         -> tensor<?x?xf32> attributes {opbyop.meaning = "vendor.solve", opbyop.types = [f64]} { ... }
//     func.func private @qr(tensor<?x?xf32> {opbyop.is = "a"})
//         -> (tensor<?x?xf32> {opbyop.is = "packed"}, tensor<?xf32> {opbyop.is = "tau"})
//       attributes {opbyop.meaning = "vendor.qr", opbyop.property = "qr"}
//   }
//
// Dynamic dimensions are any size, further dimensions in front are a batch, and `opbyop.types` lists the element types
// that the float or complex types of the signature also stand for. `opbyop.where` restricts a definition to calls whose
// attributes have one of some values. A function without a body names a property that judges the results
// (reference/meanings/properties.h). docs/custom-calls.md describes all of it.
#ifndef OPBYOP_REFERENCE_MEANINGS_MEANINGS_H_
#define OPBYOP_REFERENCE_MEANINGS_MEANINGS_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "reference/meanings/property_judge.h"
#include "reference/meanings/python_file.h"
#include "reference/meanings/shipped_file.h"
#include "support/expected.h"

namespace opbyop::reference {

// The files of shipped definitions.
std::span<const ShippedFile> ShippedFiles();

struct Applied {
  std::string words;                   // which calls have a meaning, and whose; empty if none has
  std::optional<PropertyJudge> judge;  // judges the results of the program; nullopt: they are computed
};

class Meanings {
 public:
  Meanings() = default;

  // An error of PythonFile::Load or ReadModule, or kBadInput for a file that defines nothing, a public function without a body, or a target
  // that is defined twice for the same types.
  static Expected<Meanings> Load(const std::vector<std::filesystem::path>& files);

  // Replaces calls of defined targets, and composites, by calls of the definitions, which become private functions of
  // the module. A composite's own decomposition is then not used. Calls inside definitions stay as they are, and so
  // does a call whose definition is a property.
  Expected<Applied> Apply(mlir::ModuleOp module) const;

  // Returns a hook for EvalOptions::hook that evaluates the calls to which Apply has given a function of Python, and
  // calls `next`, which may be empty, for all other ops. It shares this object's files.
  EvalHook CallingPython(EvalHook next) const;

 private:
  struct File {
    std::string name;
    std::string text;
    std::set<std::string> targets;
    std::shared_ptr<const PythonFile> python;  // nullptr: definitions in MLIR, which `text` has
  };
  static Expected<File> Read(std::string name, std::string text, const std::string& path);
  static const std::vector<File>& Shipped();
  // Replaces those of `calls` that the file defines, and removes them from the list.
  static Expected<void> ApplyFile(const File& file, size_t number, std::vector<mlir::Operation*>& calls,
                                  mlir::ModuleOp module, Applied& applied);

  std::vector<File> files_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_MEANINGS_MEANINGS_H_
