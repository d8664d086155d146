// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Meanings that users give to custom calls and composites, as functions of StableHLO or CHLO in files of their own.
//
//   Expected<Meanings> meanings = Meanings::Load({"vendor.mlir"});
//   Expected<std::string> used = meanings->Apply(*module);   // "vendor.scale as vendor.mlir defines it"
//
// A file has public functions, each with the name of a call's target or composite, or with that name in the attribute
// `opbyop.meaning`, so that one name can be defined for several types. Private functions help them. Targets in the
// module's attribute `opbyop.identities` return their operands, of whatever type.
//
//   module attributes {opbyop.identities = ["vendor.layout"]} {
//     func.func @vendor.scale(%x: tensor<4xf32>) -> tensor<4xf32> { ... }
//     func.func @scale_8(%x: tensor<8xf32>) -> tensor<8xf32> attributes {opbyop.meaning = "vendor.scale"} { ... }
//   }
#ifndef OPBYOP_REFERENCE_RAISE_MEANINGS_H_
#define OPBYOP_REFERENCE_RAISE_MEANINGS_H_

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop::reference {

class Meanings {
 public:
  Meanings() = default;

  // An error of ReadModule, or kBadInput for a file that defines nothing, a public function without a body, or a target
  // that is defined twice for the same types.
  static Expected<Meanings> Load(const std::vector<std::filesystem::path>& files);

  // Replaces calls of defined targets, and composites, by calls of the definitions, which become private functions of
  // the module. A composite's own decomposition is then not used. Calls inside definitions stay as they are. Returns
  // what was replaced, in words; empty if nothing was.
  Expected<std::string> Apply(mlir::ModuleOp module) const;

 private:
  struct File {
    std::string name;
    std::string text;
    std::set<std::string> targets;
  };
  std::vector<File> files_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_RAISE_MEANINGS_H_
