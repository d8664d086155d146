// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes the hash that decides whether two ops are the same case.
//
//   CanonicalHasher hasher(module);
//   Expected<Digest> digest = hasher.HashCase(op, FindInputs(op, folder));
//
// The hash covers everything that defines the case and nothing else: op name, attributes (except inert ones), operand
// and result types, which operands are the same value, regions, the contents of folded constants, the bodies of the
// functions that attributes name (in place of the names), and for collectives the numbers of replicas and partitions.
// For several ops it also covers which results of one are operands of another, and which are returned. It covers no SSA
// names, symbol names or locations. It is the same on every machine and in every run. The scheme is
// `opbyop-case/1`; docs/design/cases.md describes it.
#ifndef OPBYOP_GENERATOR_PROGRAM_CANONICAL_HASH_H_
#define OPBYOP_GENERATOR_PROGRAM_CANONICAL_HASH_H_

#include <cstdint>
#include <optional>
#include <string>

#include "generator/program/constants.h"
#include "generator/program/process_grid.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "support/expected.h"

namespace opbyop::generator {

struct Digest {
  uint64_t high = 0;
  uint64_t low = 0;

  std::string Hex() const;  // 32 digits
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

// Hashes the ops of one module. Attributes and types are hashed once per module, not once per op.
class CanonicalHasher {
 public:
  explicit CanonicalHasher(mlir::ModuleOp module);

  // Returns kBadInput if the op needs a function that, through regions or decompositions, needs itself.
  Expected<Digest> HashCase(const OpGroup& group, const CaseInputs& inputs);

 private:
  class Stream;
  using Numbering = llvm::DenseMap<mlir::Value, uint64_t>;

  void AppendOp(mlir::Operation* op, const CaseInputs* inputs, Numbering& numbers, Stream& stream);
  void AppendRegion(mlir::Region& region, const CaseInputs* inputs, Numbering& numbers, Stream& stream);
  void AppendValue(mlir::Value value, const CaseInputs* inputs, const Numbering& numbers, Stream& stream);
  static void Number(mlir::Region& region, Numbering& numbers);

  Digest OfConstant(mlir::Operation* op);
  Digest OfAttribute(mlir::Attribute attribute);
  Digest OfElements(mlir::ElementsAttr elements);
  Digest OfPrinted(mlir::Attribute attribute);
  Digest OfType(mlir::Type type);
  Digest OfSymbol(mlir::SymbolRefAttr symbol);
  uint64_t OfName(mlir::OperationName name);

  mlir::ModuleOp module_;
  mlir::SymbolTable symbols_;
  ProcessGrid grid_;
  mlir::AsmState printer_;
  llvm::DenseMap<mlir::Attribute, Digest> attributes_;
  llvm::DenseMap<mlir::Type, Digest> types_;
  llvm::DenseMap<mlir::OperationName, uint64_t> names_;
  llvm::DenseMap<mlir::Operation*, Digest> constants_;
  llvm::DenseMap<mlir::Operation*, std::optional<Digest>> bodies_;  // nullopt: being hashed
  std::optional<Error> error_;
};

}  // namespace opbyop::generator

template <>
struct llvm::DenseMapInfo<opbyop::generator::Digest> {
  static opbyop::generator::Digest getEmptyKey() { return {~0ULL, ~0ULL}; }
  static opbyop::generator::Digest getTombstoneKey() { return {~0ULL, ~0ULL - 1}; }
  static unsigned getHashValue(const opbyop::generator::Digest& digest) { return static_cast<unsigned>(digest.low); }
  static bool isEqual(const opbyop::generator::Digest& a, const opbyop::generator::Digest& b) { return a == b; }
};

#endif  // OPBYOP_GENERATOR_PROGRAM_CANONICAL_HASH_H_
