// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/case_writer.h"

#include <algorithm>

#include "fmt/format.h"
#include "generator/program/inert_attributes.h"
#include "generator/program/placed_attributes.h"
#include "generator/program/program_text.h"
#include "ir/sdy/sdy.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace opbyop::generator {
namespace {

// The functions and other symbols that `op` needs, directly or through others, in order of first mention.
class NamedSymbols {
 public:
  explicit NamedSymbols(const mlir::SymbolTable& table) : table_(table) {}

  void AddNamedBy(mlir::Operation* op) {
    std::vector<mlir::Operation*> open = {op};
    for (size_t next = 0; next < open.size(); ++next) {
      open[next]->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* inner) {
        for (mlir::NamedAttribute attribute : inner->getAttrDictionary()) {
          if (IsInert(attribute.getName())) continue;
          AddNamedIn(attribute.getValue(), open);
        }
      });
    }
  }

  void AddNamedBy(mlir::Attribute attribute) {
    std::vector<mlir::Operation*> open;
    AddNamedIn(attribute, open);
  }

  llvm::MapVector<mlir::StringAttr, mlir::Operation*>& found() { return found_; }

 private:
  void AddNamedIn(mlir::Attribute attribute, std::vector<mlir::Operation*>& open) {
    attribute.walk<mlir::WalkOrder::PreOrder>([&](mlir::SymbolRefAttr symbol) { Add(symbol, open); });
  }

  void Add(mlir::SymbolRefAttr symbol, std::vector<mlir::Operation*>& open) {
    mlir::StringAttr name = symbol.getRootReference();
    if (found_.contains(name)) return;
    mlir::Operation* op = table_.lookup(name);
    if (op == nullptr) return;
    found_[name] = op;
    open.push_back(op);
  }

  const mlir::SymbolTable& table_;
  llvm::MapVector<mlir::StringAttr, mlir::Operation*> found_;
};

std::string OneLine(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

CaseWriter::CaseWriter(mlir::ModuleOp module) : source_(module), symbols_(module), grid_(module), wrapper_(module) {
  module.getContext()->getOrLoadDialect<mlir::func::FuncDialect>();
}

mlir::OwningOpRef<mlir::ModuleOp> CaseWriter::Build(const OpGroup& group, const CaseInputs& inputs,
                                                    std::string_view id) {
  mlir::MLIRContext* context = source_.getContext();
  mlir::Location unknown = mlir::UnknownLoc::get(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(unknown);
  mlir::OpBuilder builder(context);
  builder.setInsertionPointToEnd(module->getBody());

  llvm::SmallVector<mlir::Value> arguments(inputs.arguments);
  llvm::SetVector<mlir::Operation*> folded;
  ConstantFolder chains(0);
  for (const CaseInputs::Input& input : inputs.inputs) {
    if (input.folded) {
      chains.AppendChain(input.value, folded);
    } else {
      arguments[input.argument] = input.value;
    }
  }
  auto types = mlir::FunctionType::get(context, mlir::ValueRange(arguments).getTypes(),
                                       mlir::ValueRange(group.results()).getTypes());
  auto main = mlir::func::FuncOp::create(builder, unknown, "main", types);
  mlir::Block* body = main.addEntryBlock();
  mlir::IRMapping mapping;
  mapping.map(arguments, body->getArguments());
  builder.setInsertionPointToEnd(body);
  for (mlir::Operation* constant : folded) builder.clone(*constant, mapping);
  for (mlir::Operation* op : group.ops()) builder.clone(*op, mapping);
  const auto returned =
      llvm::map_to_vector(group.results(), [&](mlir::Value result) { return mapping.lookup(result); });
  mlir::func::ReturnOp::create(builder, unknown, returned);

  // Symbols are renamed in order of mention, so that the text does not depend on the model's names.
  NamedSymbols symbols(symbols_);
  llvm::SmallVector<std::pair<int32_t, sdy::TensorShardingAttr>> shardings;  // of arguments
  for (mlir::Operation* op : group.ops()) {
    symbols.AddNamedBy(op);
    // A collective is valid only if the sharding of its operand is known.
    sdy::TensorShardingAttr sharding = sdy::IsCollective(op) ? sdy::ShardingOf(op->getOperand(0)) : nullptr;
    if (!sharding) continue;
    symbols.AddNamedBy(sharding);
    const CaseInputs::Input* input = inputs.Find(op->getOperand(0));
    if (input != nullptr && !input->folded) shardings.emplace_back(input->argument, sharding);
  }
  builder.setInsertionPointToEnd(module->getBody());
  llvm::DenseMap<mlir::StringAttr, mlir::StringAttr> names;
  for (auto& [name, symbol] : symbols.found()) {
    mlir::Operation* clone = builder.clone(*symbol);
    mlir::StringAttr fresh = builder.getStringAttr(fmt::format("callee_{}", names.size()));
    names[name] = fresh;
    mlir::SymbolTable::setSymbolName(clone, fresh);
    if (mlir::isa<mlir::FunctionOpInterface>(clone)) {
      mlir::SymbolTable::setSymbolVisibility(clone, mlir::SymbolTable::Visibility::Private);
    }
  }
  StripInert(*module);
  for (const auto& [argument, sharding] : shardings) main.setArgAttr(argument, sdy::kShardingName, sharding);
  if (!names.empty()) {
    mlir::AttrTypeReplacer replacer;
    replacer.addReplacement([&](mlir::SymbolRefAttr symbol) -> std::optional<mlir::Attribute> {
      auto it = names.find(symbol.getRootReference());
      if (it == names.end()) return std::nullopt;
      return mlir::SymbolRefAttr::get(it->second, symbol.getNestedReferences());
    });
    replacer.recursivelyReplaceElementsIn(*module, /*replaceAttrs=*/true);
  }
  if (const Grid grid = grid_.Of(group.ops()); grid != Grid()) {
    (*module)->setAttr(kReplicasAttribute, builder.getI32IntegerAttr(static_cast<int32_t>(grid.replicas)));
    (*module)->setAttr(kPartitionsAttribute, builder.getI32IntegerAttr(static_cast<int32_t>(grid.partitions)));
  } else if (llvm::any_of(group.ops(), [this](mlir::Operation* op) { return grid_.Concerns(op); })) {
    for (mlir::NamedAttribute attribute : grid_.attributes())
      (*module)->setAttr(attribute.getName(), attribute.getValue());
  }
  if (group.is_one_op()) (*module)->setAttr(kCaseAttribute, builder.getStringAttr(llvm::StringRef(id)));
  return module;
}

std::string CaseWriter::Write(const OpGroup& group, const CaseInputs& inputs, const CaseHeader& header,
                              std::span<const PlacedAttribute> attributes) {
  mlir::OwningOpRef<mlir::ModuleOp> module = Build(group, inputs, header.id);
  auto main = *module->getOps<mlir::FunctionOpInterface>().begin();
  for (const PlacedAttribute& attribute : attributes) PlaceAttribute(*module, main, attribute);
  // Only its own compiler knows such an op.
  const bool is_foreign = llvm::any_of(group.ops(), [](mlir::Operation* op) { return !op->isRegistered(); });
  if (is_foreign) module = wrapper_.Around(std::move(module));
  return CaseText(*module, header);
}

std::string CaseText(mlir::ModuleOp module, const CaseHeader& header) {
  std::string text = fmt::format("// case: {}\n", header.id);
  for (const std::string& note : header.notes) text += fmt::format("// {}\n", OneLine(note));
  llvm::raw_string_ostream out(text);
  PrintProgram(module, Locations::kDrop, out);
  return text;
}

}  // namespace opbyop::generator
