// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Edits that make tensors smaller. Operands are made smaller, and the results follow (InferTypes); if they do not fit,
// the program is invalid.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reduction/edit.h"
#include "support/dtype.h"

namespace opbyop::reduction {
namespace {

using mlir::RankedTensorType;
using reference::InputData;
using reference::Shape;

// The part of a fixed input's dimension that is kept.
enum class Part { kWrong, kFirst, kLast };

struct Change {
  int64_t from = 0;
  int64_t to = 0;
  Part part = Part::kFirst;
  std::vector<int64_t> wrong;  // index of the worst element of the outputs; may be empty
};

int64_t BeginOf(const Change& change, size_t dimension, size_t rank) {
  const int64_t last = change.from - change.to;
  if (change.part == Part::kFirst) return 0;
  if (change.part == Part::kLast || change.wrong.size() != rank) return last;
  return std::min(change.wrong[dimension], last);
}

bool SliceInput(InputData& data, size_t dimension, int64_t begin, int64_t size) {
  const std::optional<int64_t> bytes = DtypeBytes(reference::NameOf(data.type));
  if (!bytes || begin < 0 || begin + size > data.shape[dimension]) return false;
  int64_t outer = 1;
  auto inner = static_cast<int64_t>(*bytes);
  for (size_t i = 0; i < data.shape.size(); ++i) (i < dimension ? outer : inner) *= i == dimension ? 1 : data.shape[i];
  std::vector<std::byte> kept;
  for (int64_t i = 0; i < outer; ++i) {
    const auto at = data.bytes.begin() + (i * data.shape[dimension] + begin) * inner;
    kept.insert(kept.end(), at, at + size * inner);
  }
  data.bytes = std::move(kept);
  data.shape[dimension] = size;
  return true;
}

RankedTensorType WithDimension(RankedTensorType type, size_t dimension, int64_t size) {
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[dimension] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

bool ShrinkArgument(Program& program, unsigned argument, size_t dimension, const Change& change) {
  mlir::BlockArgument value = program.body().getArgument(argument);
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getDimSize(static_cast<unsigned>(dimension)) != change.from) return false;
  if (program.inputs) {
    const int64_t begin = BeginOf(change, dimension, static_cast<size_t>(type.getRank()));
    if (!SliceInput((*program.inputs)[argument], dimension, begin, change.to)) return false;
  }
  value.setType(WithDimension(type, dimension, change.to));
  return true;
}

// Keeps the first elements of each dimension.
mlir::DenseElementsAttr Resized(mlir::DenseElementsAttr elements, RankedTensorType type) {
  if (elements.isSplat()) return elements.resizeSplat(type);
  const auto values = elements.value_begin<mlir::Attribute>();
  const llvm::ArrayRef<int64_t> from = elements.getType().getShape();
  std::vector<mlir::Attribute> kept;
  std::vector<int64_t> index(from.size(), 0);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t rest = i, at = 0, stride = 1;
    for (size_t d = from.size(); d-- > 0;) {
      at += rest % type.getDimSize(static_cast<unsigned>(d)) * stride;
      rest /= type.getDimSize(static_cast<unsigned>(d));
      stride *= from[d];
    }
    kept.push_back(*(values + at));
  }
  return mlir::DenseElementsAttr::get(type, kept);
}

bool ResizeConstant(mlir::Operation* op, RankedTensorType type) {
  constexpr int64_t kMostElements = 1 << 16;  // each is an attribute for a while
  auto elements = op->getAttrOfType<mlir::DenseElementsAttr>("value");
  if (!elements || (!elements.isSplat() && elements.getNumElements() > kMostElements)) return false;
  op->setAttr("value", Resized(elements, type));
  op->getResult(0).setType(type);
  return true;
}

RankedTensorType Replaced(RankedTensorType type, const Change& change) {
  llvm::SmallVector<int64_t> shape(type.getShape());
  std::replace(shape.begin(), shape.end(), change.from, change.to);
  return RankedTensorType::get(shape, type.getElementType());
}

void ReplaceInAttributes(mlir::Operation& op, const Change& change) {
  for (mlir::NamedAttribute attribute : llvm::to_vector(op.getAttrs())) {
    auto array = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(attribute.getValue());
    if (!array || !llvm::is_contained(array.asArrayRef(), change.from)) continue;
    llvm::SmallVector<int64_t> numbers(array.asArrayRef());
    std::replace(numbers.begin(), numbers.end(), change.from, change.to);
    op.setAttr(attribute.getName(), mlir::DenseI64ArrayAttr::get(op.getContext(), numbers));
  }
}

bool NamesSize(const Program& program, int64_t size) {
  return llvm::any_of(program.body(), [&](mlir::Operation& op) {
    return llvm::any_of(op.getAttrs(), [&](mlir::NamedAttribute attribute) {
      auto array = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(attribute.getValue());
      return array && llvm::is_contained(array.asArrayRef(), size);
    });
  });
}

// Shrinks every dimension of this size.
bool ShrinkAll(Program& program, const Change& change, bool attributes) {
  for (unsigned i = 0; i < program.body().getNumArguments(); ++i) {
    auto type = mlir::dyn_cast<RankedTensorType>(program.body().getArgument(i).getType());
    for (size_t d = 0; type && d < static_cast<size_t>(type.getRank()); ++d) {
      const bool is_of_size = type.getDimSize(static_cast<unsigned>(d)) == change.from;
      if (is_of_size && !ShrinkArgument(program, i, d, change)) return false;
    }
  }
  for (mlir::Operation& op : program.body()) {
    for (mlir::Value result : op.getResults()) {
      auto type = mlir::dyn_cast<RankedTensorType>(result.getType());
      if (!type || !llvm::is_contained(type.getShape(), change.from)) continue;
      const RankedTensorType smaller = Replaced(type, change);
      if (!op.hasTrait<mlir::OpTrait::ConstantLike>()) {
        result.setType(smaller);
      } else if (!ResizeConstant(&op, smaller)) {
        return false;
      }
    }
    if (attributes) ReplaceInAttributes(op, change);
  }
  InferTypes(program);
  return true;
}

struct Place {
  unsigned argument;
  size_t dimension;
};

bool ShrinkPlaces(Program& program, const std::vector<Place>& places, const Change& change) {
  for (const Place& place : places) {
    if (!ShrinkArgument(program, place.argument, place.dimension, change)) return false;
  }
  InferTypes(program);
  return true;
}

// Smallest first: most faults need only small sizes.
std::vector<int64_t> SmallerSizes(int64_t size) {
  std::vector<int64_t> sizes;
  for (const int64_t small : {1, 2, 3}) sizes.push_back(small);
  for (int64_t power = 4; power < size; power *= 2) sizes.push_back(power);
  // If there are many sizes, the last steps are not worth their cost.
  constexpr int64_t kFewEnough = 16;
  sizes.push_back(size - size / 4);
  if (size <= kFewEnough) sizes.push_back(size - 1);
  std::erase_if(sizes, [&](int64_t smaller) { return smaller >= size || smaller < 1; });
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// Gives every tensor with more than one dimension a single one.
bool Flatten(Program& program) {
  bool changed = false;
  const auto flat = [&](mlir::Type type) -> RankedTensorType {
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() < 2 || !tensor.hasStaticShape()) return {};
    return RankedTensorType::get({tensor.getNumElements()}, tensor.getElementType());
  };
  for (unsigned i = 0; i < program.body().getNumArguments(); ++i) {
    const RankedTensorType type = flat(program.body().getArgument(i).getType());
    if (!type) continue;
    program.body().getArgument(i).setType(type);
    if (program.inputs) (*program.inputs)[i].shape = Shape(type.getShape());
    changed = true;
  }
  for (mlir::Operation& op : program.body()) {
    for (mlir::Value result : op.getResults()) {
      const RankedTensorType type = flat(result.getType());
      if (!type) continue;
      result.setType(type);
      auto elements = op.getAttrOfType<mlir::DenseElementsAttr>("value");
      if (op.hasTrait<mlir::OpTrait::ConstantLike>() && elements) op.setAttr("value", elements.reshape(type));
      changed = true;
    }
  }
  UpdateSignature(program);
  return changed;
}

}  // namespace

Edits ShapeEdits(const Program& program, const std::vector<int64_t>& wrong) {
  Edits edits = {{"tensors of one dimension", &Flatten}};
  std::set<int64_t, std::greater<>> sizes;
  std::map<int64_t, std::vector<Place>> places;
  const auto look = [&](mlir::Type type) {
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape()) return;
    for (const int64_t size : tensor.getShape()) {
      if (size > 1) sizes.insert(size);
    }
  };
  for (unsigned i = 0; i < program.body().getNumArguments(); ++i) {
    const mlir::Type type = program.body().getArgument(i).getType();
    look(type);
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    for (size_t d = 0; tensor && d < static_cast<size_t>(tensor.getRank()); ++d) {
      places[tensor.getDimSize(static_cast<unsigned>(d))].push_back({i, d});
    }
  }
  for (mlir::Operation& op : program.body()) {
    for (mlir::Type type : op.getResultTypes()) look(type);
  }
  const auto parts = [&]() -> std::vector<Part> {
    if (!program.inputs) return {Part::kFirst};
    return wrong.empty() ? std::vector{Part::kFirst, Part::kLast}
                         : std::vector{Part::kWrong, Part::kFirst, Part::kLast};
  }();
  for (const int64_t from : sizes) {
    const bool in_attributes = NamesSize(program, from);
    for (const int64_t to : SmallerSizes(from)) {
      for (const Part part : parts) {
        const Change change{from, to, part, wrong};
        const std::string what = fmt::format("{} in place of {}", to, from);
        edits.push_back({what, [=](Program& p) { return ShrinkAll(p, change, false); }});
        if (in_attributes) edits.push_back({what, [=](Program& p) { return ShrinkAll(p, change, true); }});
        const std::vector<Place>& of_size = places[from];
        if (of_size.size() < 2) continue;
        for (size_t i = 0; i < of_size.size(); ++i) {
          edits.push_back({what, [=](Program& p) { return ShrinkPlaces(p, {of_size[i]}, change); }});
          for (size_t k = i + 1; of_size.size() > 2 && k < of_size.size(); ++k) {
            edits.push_back({what, [=](Program& p) { return ShrinkPlaces(p, {of_size[i], of_size[k]}, change); }});
          }
        }
      }
    }
  }
  return edits;
}

}  // namespace opbyop::reduction
