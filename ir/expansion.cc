// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "support/text/count_text.h"

namespace opbyop {
namespace {

constexpr int64_t kCountless = std::numeric_limits<int64_t>::max();

class PartCounter {
 public:
  int64_t Of(mlir::Attribute attribute) { return attribute ? Count(attribute, attribute.getAsOpaquePointer()) : 0; }
  int64_t Of(mlir::Type type) { return type ? Count(type, type.getAsOpaquePointer()) : 0; }

 private:
  // A recursive type contains itself; that occurrence counts once.
  template <typename Whole>
  int64_t Count(Whole whole, const void* key) {
    const auto [known, is_new] = counts_.try_emplace(key, 1);
    if (!is_new) return known->second;
    int64_t count = 1;
    const auto add = [&](int64_t more) {
      if (__builtin_add_overflow(count, more, &count)) count = kCountless;
    };
    whole.walkImmediateSubElements([&](mlir::Attribute part) { add(Of(part)); },
                                   [&](mlir::Type part) { add(Of(part)); });
    return counts_[key] = count;
  }

  llvm::DenseMap<const void*, int64_t> counts_;
};

// Finds the greatest number of parts that an attribute, type or location of one operation has.
class Largest {
 public:
  void Look(PartCounter& counter, mlir::Operation* op) {
    for (mlir::NamedAttribute attribute : op->getDiscardableAttrs()) {
      Take(counter.Of(attribute.getValue()), attribute.getName().strref());
    }
    for (mlir::StringAttr name : op->getName().getAttributeNames()) {
      if (const auto value = op->getInherentAttr(name)) Take(counter.Of(*value), name.strref());
    }
    for (mlir::Type type : op->getResultTypes()) Take(counter.Of(type), "result type");
    for (mlir::Region& region : op->getRegions()) {
      for (mlir::Block& block : region) {
        for (mlir::BlockArgument argument : block.getArguments()) {
          Take(counter.Of(argument.getType()), "argument type");
          Take(counter.Of(mlir::Attribute(argument.getLoc())), "argument location");
        }
      }
    }
    Take(counter.Of(mlir::Attribute(op->getLoc())), "location");
  }

  int64_t parts() const { return parts_; }
  llvm::StringRef name() const { return name_; }

 private:
  void Take(int64_t parts, llvm::StringRef name) {
    if (parts <= parts_) return;
    parts_ = parts;
    name_ = name;
  }

  int64_t parts_ = 0;
  llvm::StringRef name_;
};

}  // namespace

Expected<void> CheckExpansion(mlir::ModuleOp module, std::string_view file, int64_t file_bytes) {
  const int64_t limit = std::max(kMostParts, file_bytes);
  PartCounter counter;
  Expected<void> result;
  module->walk([&](mlir::Operation* op) {
    Largest largest;
    largest.Look(counter, op);
    if (largest.parts() <= limit) return mlir::WalkResult::advance();
    result = MakeError(
        ExitCode::kBadInput,
        fmt::format("{}: the {} of a {} has {}{} parts when it is written out, more than {}: it is made of "
                    "parts that share their parts, probably to exhaust its readers",
                    file, std::string_view(largest.name()), std::string_view(op->getName().getStringRef()),
                    largest.parts() == kCountless ? "more than " : "", Grouped(largest.parts()), Grouped(limit)));
    return mlir::WalkResult::interrupt();
  });
  return result;
}

}  // namespace opbyop
