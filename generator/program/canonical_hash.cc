// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/canonical_hash.h"

#include "fmt/format.h"
#include "generator/program/inert_attributes.h"
#include "ir/sdy/sdy.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace opbyop::generator {
namespace {

// The first word of every structure in the stream, so that no structure can be read as another.
enum Tag : uint64_t {
  kCase = 0x6f70627900000001,  // changes with the scheme
  kOp,
  kRegion,
  kBlock,
  kArgument,
  kConstant,
  kLocal,
  kChain,
  kElements,
  kElided,
  kArray,
  kDictionary,
  kText,
  kBytes,
  kType,
  kBody,
  kExternal,
  kUnknown,
  kGrid,
  kGroup,
};

}  // namespace

// Little-endian words that xxh3 digests: the same bytes on every machine.
class CanonicalHasher::Stream {
 public:
  explicit Stream(Tag tag) { Add(tag); }

  void Add(uint64_t word) {
    char bytes[sizeof(word)];
    llvm::support::endian::write64le(bytes, word);
    bytes_.append(bytes, bytes + sizeof(word));
  }
  void Add(const Digest& digest) {
    Add(digest.high);
    Add(digest.low);
  }
  void Add(llvm::StringRef text) {
    Add(text.size());
    bytes_.append(text.begin(), text.end());
  }

  Digest Take() const {
    llvm::XXH128_hash_t hash =
        llvm::xxh3_128bits(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()));
    return {hash.high64, hash.low64};
  }

 private:
  llvm::SmallVector<char, 512> bytes_;
};

std::string Digest::Hex() const { return fmt::format("{:016x}{:016x}", high, low); }

CanonicalHasher::CanonicalHasher(mlir::ModuleOp module)
    : module_(module), symbols_(module), grid_(module), printer_(module.getContext()) {}

Expected<Digest> CanonicalHasher::HashCase(const OpGroup& group, const CaseInputs& inputs) {
  error_.reset();
  Stream stream(kCase);
  Numbering numbers;
  if (!group.is_one_op()) {
    stream.Add(kGroup);
    stream.Add(group.ops().size());
    for (mlir::Operation* op : group.ops()) {
      for (mlir::Value result : op->getResults()) numbers.try_emplace(result, numbers.size());
    }
    stream.Add(group.results().size());
    for (mlir::Value result : group.results()) stream.Add(numbers.at(result));
  }
  for (mlir::Operation* op : group.ops()) AppendOp(op, &inputs, numbers, stream);
  const auto concerns = [this](mlir::Operation* op) { return grid_.Concerns(op); };
  // A module without the attributes means a single process, unless an op names others.
  const Grid grid = grid_.Of(group.ops());
  if (grid != Grid()) {
    stream.Add(kGrid);
    stream.Add(static_cast<uint64_t>(grid.replicas));
    stream.Add(static_cast<uint64_t>(grid.partitions));
  } else if ((grid_.replicas() != 1 || grid_.partitions() != 1) && llvm::any_of(group.ops(), concerns)) {
    stream.Add(kGrid);
    stream.Add(grid_.replicas());
    stream.Add(grid_.partitions());
  }
  // A collective changes the sharding of its operand, so the operand's sharding is part of the case.
  for (mlir::Operation* op : group.ops()) {
    if (sdy::TensorShardingAttr from = sdy::IsCollective(op) ? sdy::ShardingOf(op->getOperand(0)) : nullptr) {
      stream.Add(OfAttribute(from));
    }
  }
  if (error_) {
    bodies_.clear();
    attributes_.clear();
    return Unexpected(*error_);
  }
  return stream.Take();
}

void CanonicalHasher::AppendOp(mlir::Operation* op, const CaseInputs* inputs, Numbering& numbers, Stream& stream) {
  stream.Add(kOp);
  stream.Add(OfName(op->getName()));
  stream.Add(OfAttribute(op->getAttrDictionary()));
  stream.Add(op->getNumOperands());
  for (mlir::Value operand : op->getOperands()) AppendValue(operand, inputs, numbers, stream);
  stream.Add(op->getNumResults());
  for (mlir::Type type : op->getResultTypes()) stream.Add(OfType(type));
  stream.Add(op->getNumSuccessors());
  for (mlir::Block* successor : op->getSuccessors()) {
    stream.Add(std::distance(successor->getParent()->begin(), successor->getIterator()));
  }
  stream.Add(op->getNumRegions());
  for (mlir::Region& region : op->getRegions()) AppendRegion(region, inputs, numbers, stream);
}

void CanonicalHasher::AppendRegion(mlir::Region& region, const CaseInputs* inputs, Numbering& numbers, Stream& stream) {
  Number(region, numbers);
  stream.Add(kRegion);
  for (mlir::Block& block : region) {
    stream.Add(kBlock);
    stream.Add(block.getNumArguments());
    for (mlir::Type type : block.getArgumentTypes()) stream.Add(OfType(type));
    for (mlir::Operation& op : block) AppendOp(&op, inputs, numbers, stream);
  }
}

// Numbers all values before the ops are visited, because a use may precede the definition (several blocks, graph
// regions).
void CanonicalHasher::Number(mlir::Region& region, Numbering& numbers) {
  for (mlir::Block& block : region) {
    for (mlir::Value argument : block.getArguments()) numbers.try_emplace(argument, numbers.size());
    for (mlir::Operation& op : block) {
      for (mlir::Value result : op.getResults()) numbers.try_emplace(result, numbers.size());
    }
  }
}

void CanonicalHasher::AppendValue(mlir::Value value, const CaseInputs* inputs, const Numbering& numbers,
                                  Stream& stream) {
  if (auto it = numbers.find(value); it != numbers.end()) {
    stream.Add(kLocal);
    stream.Add(it->second);
    return;
  }
  const CaseInputs::Input* input = inputs == nullptr ? nullptr : inputs->Find(value);
  if (input == nullptr) {
    stream.Add(kUnknown);
  } else if (input->folded) {
    stream.Add(kConstant);
    stream.Add(OfConstant(value.getDefiningOp()));
  } else {
    stream.Add(kArgument);
    stream.Add(input->argument);
    stream.Add(OfType(value.getType()));
  }
}

Digest CanonicalHasher::OfConstant(mlir::Operation* op) {
  if (auto it = constants_.find(op); it != constants_.end()) return it->second;
  Stream stream(kChain);
  stream.Add(OfName(op->getName()));
  stream.Add(OfAttribute(op->getAttrDictionary()));
  for (mlir::Value operand : op->getOperands()) stream.Add(OfConstant(operand.getDefiningOp()));
  stream.Add(OfType(op->getResult(0).getType()));
  return constants_[op] = stream.Take();
}

Digest CanonicalHasher::OfAttribute(mlir::Attribute attribute) {
  if (auto it = attributes_.find(attribute); it != attributes_.end()) return it->second;
  Digest digest;
  if (auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(attribute)) {
    Stream stream(kDictionary);
    for (mlir::NamedAttribute entry : dictionary) {  // sorted by name
      if (IsInert(entry.getName())) continue;
      stream.Add(entry.getName().strref());
      stream.Add(OfAttribute(entry.getValue()));
    }
    digest = stream.Take();
  } else if (auto array = mlir::dyn_cast<mlir::ArrayAttr>(attribute)) {
    Stream stream(kArray);
    for (mlir::Attribute element : array) stream.Add(OfAttribute(element));
    digest = stream.Take();
  } else if (auto symbol = mlir::dyn_cast<mlir::SymbolRefAttr>(attribute)) {
    digest = OfSymbol(symbol);
  } else if (auto elements = mlir::dyn_cast<mlir::ElementsAttr>(attribute)) {
    digest = OfElements(elements);
  } else {
    digest = OfPrinted(attribute);
  }
  attributes_[attribute] = digest;
  return digest;
}

Digest CanonicalHasher::OfElements(mlir::ElementsAttr elements) {
  Stream stream(kElements);
  stream.Add(OfType(elements.getShapedType()));
  auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(elements);
  auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(elements);
  if (dense && dense.getElementType().isInteger(1)) {
    // One byte per element, however MLIR packs them.
    llvm::SmallString<64> bytes;
    if (dense.isSplat()) {
      bytes.push_back(dense.getSplatValue<bool>() ? 1 : 0);
    } else {
      for (bool value : dense.getValues<bool>()) bytes.push_back(value ? 1 : 0);
    }
    stream.Add(dense.isSplat());
    stream.Add(bytes);
  } else if (dense && !mlir::isa<mlir::DenseStringElementsAttr>(elements)) {
    llvm::ArrayRef<char> raw = dense.getRawData();
    stream.Add(dense.isSplat());
    stream.Add(llvm::StringRef(raw.data(), raw.size()));
  } else if (resource && resource.getRawHandle().getBlob() != nullptr) {
    llvm::ArrayRef<char> raw = resource.getRawHandle().getBlob()->getData();
    stream.Add(uint64_t{0});
    stream.Add(llvm::StringRef(raw.data(), raw.size()));
  } else if (resource) {
    stream.Add(kElided);
  } else {
    stream.Add(OfPrinted(elements));
  }
  return stream.Take();
}

// Every symbol inside an attribute is printed as the same placeholder; the digests of the named ops follow the text.
Digest CanonicalHasher::OfPrinted(mlir::Attribute attribute) {
  llvm::SmallVector<mlir::SymbolRefAttr, 2> symbols;
  attribute.walk([&](mlir::SymbolRefAttr symbol) { symbols.push_back(symbol); });
  if (!symbols.empty()) {
    mlir::AttrTypeReplacer replacer;
    replacer.addReplacement([](mlir::SymbolRefAttr symbol) -> std::optional<mlir::Attribute> {
      return mlir::FlatSymbolRefAttr::get(symbol.getContext(), "symbol");
    });
    attribute = replacer.replace(attribute);
  }
  llvm::SmallString<128> text;
  llvm::raw_svector_ostream out(text);
  attribute.print(out, printer_);
  Stream stream(kText);
  stream.Add(text.str());
  for (mlir::SymbolRefAttr symbol : symbols) stream.Add(OfSymbol(symbol));
  return stream.Take();
}

Digest CanonicalHasher::OfType(mlir::Type type) {
  if (auto it = types_.find(type); it != types_.end()) return it->second;
  llvm::SmallString<64> text;
  llvm::raw_svector_ostream out(text);
  type.print(out, printer_);
  Stream stream(kType);
  stream.Add(text.str());
  return types_[type] = stream.Take();
}

Digest CanonicalHasher::OfSymbol(mlir::SymbolRefAttr symbol) {
  mlir::Operation* op = symbol.getNestedReferences().empty() ? symbols_.lookup(symbol.getRootReference())
                                                             : mlir::SymbolTable::lookupSymbolIn(module_, symbol);
  if (op == nullptr) {
    // The symbol is not in the module (it names a device or a plugin, say), so the name is all that there is.
    Stream stream(kExternal);
    stream.Add(symbol.getRootReference().strref());
    return stream.Take();
  }
  auto [it, is_new] = bodies_.try_emplace(op, std::nullopt);
  if (!is_new) {
    if (it->second) return *it->second;
    error_ = Error{ExitCode::kBadInput,
                   fmt::format("@{} needs itself through its body; StableHLO has no recursion, probably a hand-edited "
                               "module",
                               std::string_view(symbol.getRootReference().strref()))};
    return {};
  }
  Stream stream(kBody);
  stream.Add(OfName(op->getName()));
  for (mlir::NamedAttribute attribute : op->getAttrDictionary()) {
    llvm::StringRef name = attribute.getName();
    if (name == mlir::SymbolTable::getSymbolAttrName() || name == mlir::SymbolTable::getVisibilityAttrName()) continue;
    if (IsInert(name)) continue;
    // Attributes of arguments: inert entries are left out, and an empty list equals no list.
    if (name == "arg_attrs" || name == "res_attrs") {
      auto list = mlir::dyn_cast<mlir::ArrayAttr>(attribute.getValue());
      bool empty =
          list && llvm::all_of(list, [](mlir::Attribute entry) {
            auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(entry);
            return dictionary && llvm::all_of(dictionary, [](mlir::NamedAttribute a) { return IsInert(a.getName()); });
          });
      if (empty) continue;
    }
    stream.Add(name);
    stream.Add(OfAttribute(attribute.getValue()));
  }
  Numbering numbers;
  for (mlir::Region& region : op->getRegions()) AppendRegion(region, nullptr, numbers, stream);
  Digest digest = stream.Take();
  bodies_[op] = digest;
  return digest;
}

uint64_t CanonicalHasher::OfName(mlir::OperationName name) {
  auto [it, is_new] = names_.try_emplace(name, 0);
  if (is_new) it->second = llvm::xxh3_64bits(name.getStringRef());
  return it->second;
}

}  // namespace opbyop::generator
