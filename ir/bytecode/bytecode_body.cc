// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/bytecode/bytecode_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace opbyop {
namespace {

// The optional parts of an operation, one bit each.
enum Mask : uint8_t {
  kHasAttributes = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasSuccessors = 8,
  kHasRegions = 16,
  kHasUseOrders = 32,
  kHasProperties = 64,
};

constexpr size_t kDeepestRegion = 200;

// The stored order of the uses of a value: either all places, or pairs of places that are swapped.
struct UseOrder {
  uint64_t value;
  bool is_pairs;
  std::vector<uint64_t> places;
};

class Body {
 public:
  Body(std::string_view file, const BytecodeNumbers& numbers) : file_(file), numbers_(numbers) {}

  Expected<BytecodeUses> Check(std::string_view bytes) {
    scopes_.emplace_back();
    Region top(bytes);
    top.is_isolated = true;
    top.blocks = 1;
    regions_.push_back(std::move(top));
    // The outermost block must not have arguments: they would belong to no region.
    if (!BlockHeader(regions_.back(), /*may_have_arguments=*/false)) return Fail();
    while (!regions_.empty()) {
      if (!Step()) return Fail();
    }
    if (const Expected<void> done = Orders(); !done) return Unexpected(done.error());
    return std::move(uses_of_rows_);
  }

 private:
  // State while the regions of one operation are read, one after the other.
  struct Region {
    explicit Region(std::string_view bytes) : owned(std::make_unique<BytecodeCursor>(bytes)), cursor(owned.get()) {}
    explicit Region(BytecodeCursor* outer) : cursor(outer) {}
    std::unique_ptr<BytecodeCursor> owned;
    BytecodeCursor* cursor;
    bool is_isolated = false;
    bool is_open = true;   // a region is being read
    uint64_t regions = 0;  // regions still to come
    uint64_t blocks = 1;   // blocks left in the open region, including the current one
    uint64_t all_blocks = 1;
    uint64_t ops = 0;         // ops left in the current block
    uint64_t values = 0;      // values that the open region has added to its scope
    uint64_t first_free = 0;  // number of the next value in its scope
  };

  // The values that are visible, by number. An isolated region starts an empty scope.
  struct Scope {
    std::vector<uint64_t> values;  // indices into uses_
  };

  tl::unexpected<Error> Fail() const {
    size_t at = position_ ? position_ - file_.data() : 0;
    return MakeError(ExitCode::kBadInput, fmt::format("its operations {} at byte {}", problem_, at));
  }

  bool Bad(const BytecodeCursor& cursor, std::string_view problem) {
    position_ = cursor.rest().data();
    problem_ = problem;
    return false;
  }

  // Reads one operation, or the end of a block, of a region, or of a list of regions.
  bool Step() {
    Region& region = regions_.back();
    if (!region.is_open) {
      if (region.regions == 0) {
        if (region.is_isolated) scopes_.pop_back();
        regions_.pop_back();
        return true;
      }
      --region.regions;
      return OpenRegion(region);
    }
    if (region.ops > 0) {
      --region.ops;
      return Operation(region);
    }
    if (--region.blocks > 0) return BlockHeader(region, true);
    Scope& scope = scopes_.back();
    scope.values.resize(scope.values.size() - region.values);
    region.is_open = false;
    return true;
  }

  bool OpenRegion(Region& region) {
    BytecodeCursor& cursor = *region.cursor;
    std::optional<uint64_t> blocks = cursor.Count();
    if (!blocks) return Bad(cursor, "have more blocks than bytes");
    if (*blocks == 0) return true;
    std::optional<uint64_t> values = cursor.Count();
    // Each value has a type, which takes at least a byte, so there cannot be more values than bytes.
    if (!values || uses_.size() + *values > file_.size()) return Bad(cursor, "define more values than bytes");
    Scope& scope = scopes_.back();
    region.first_free = scope.values.size();
    for (uint64_t i = 0; i < *values; ++i) {
      scope.values.push_back(uses_.size());
      uses_.push_back(0);
    }
    region.values = *values;
    region.blocks = region.all_blocks = *blocks;
    region.is_open = true;
    return BlockHeader(region, true);
  }

  // Marks the next `count` values as defined. Returns the index of the first.
  std::optional<uint64_t> Define(Region& region, uint64_t count) {
    Scope& scope = scopes_.back();
    if (count > scope.values.size() - region.first_free) return std::nullopt;
    if (count == 0) return 0;
    uint64_t first = scope.values[region.first_free];
    region.first_free += count;
    return first;
  }

  bool BlockHeader(Region& region, bool may_have_arguments) {
    BytecodeCursor& cursor = *region.cursor;
    std::optional<BytecodeCursor::Flagged> head = cursor.VarIntWithFlag();
    if (!head || !cursor.Holds(head->value)) return Bad(cursor, "are more than bytes");
    region.ops = head->value;
    if (!head->flag) return true;
    if (!may_have_arguments) return Bad(cursor, "have arguments outside of any region");
    std::optional<uint64_t> arguments = cursor.Count();
    if (!arguments) return Bad(cursor, "have more arguments than bytes");
    for (uint64_t i = 0; i < *arguments; ++i) {
      std::optional<uint64_t> type = cursor.VarInt();
      if (!type) return Bad(cursor, "end inside arguments");
      bool has_location = numbers_.version < 4 || (*type & 1) != 0;
      if (numbers_.version >= 4) *type >>= 1;
      if (*type >= numbers_.types) return Bad(cursor, "have an argument of no type");
      if (has_location && !Attribute(cursor)) return Bad(cursor, "have an argument without location");
    }
    std::optional<uint64_t> first = Define(region, *arguments);
    if (!first) return Bad(cursor, "define more values than their region says");
    if (numbers_.version < 3) return true;
    std::optional<uint8_t> has_orders = cursor.Byte();
    if (!has_orders) return Bad(cursor, "end inside a block");
    return *has_orders == 0 || Uses(cursor, *first, *arguments);
  }

  bool Attribute(BytecodeCursor& cursor) const {
    std::optional<uint64_t> index = cursor.VarInt();
    return index && *index < numbers_.attributes;
  }

  bool Operation(Region& region) {
    BytecodeCursor& cursor = *region.cursor;
    std::optional<uint64_t> name = cursor.VarInt();
    std::optional<uint8_t> mask = cursor.Byte();
    if (!name || *name >= numbers_.operations || !mask || !Attribute(cursor)) {
      return Bad(cursor, "have no name or location");
    }
    if ((*mask & kHasAttributes) && !Attribute(cursor)) return Bad(cursor, "have no such attributes");
    if ((*mask & kHasProperties) && !Properties(cursor, *name)) return Bad(cursor, "have no such properties");
    uint64_t results = 0;
    std::optional<uint64_t> first = 0;
    if (*mask & kHasResults) {
      std::optional<uint64_t> count = cursor.Count();
      if (!count) return Bad(cursor, "have more results than bytes");
      results = *count;
      for (uint64_t i = 0; i < results; ++i) {
        std::optional<uint64_t> type = cursor.VarInt();
        if (!type || *type >= numbers_.types) return Bad(cursor, "have a result of no type");
      }
    }
    if ((*mask & kHasOperands) && !Operands(cursor)) return Bad(cursor, "use a value that is not there");
    if ((*mask & kHasSuccessors) && !Successors(region)) return Bad(cursor, "go on to a block that is not there");
    if (*mask & kHasUseOrders) {
      // The results are the next values to be defined.
      if (results > scopes_.back().values.size() - region.first_free) return Bad(cursor, "define too many values");
      uint64_t value = results == 0 ? 0 : scopes_.back().values[region.first_free];
      if (!Uses(cursor, value, results)) return false;
    }
    uint64_t regions = 0;
    bool is_isolated = false;
    if (*mask & kHasRegions) {
      std::optional<BytecodeCursor::Flagged> count = cursor.VarIntWithFlag();
      if (!count || !cursor.Holds(count->value)) return Bad(cursor, "have more regions than bytes");
      regions = count->value;
      is_isolated = count->flag;
    }
    first = Define(region, results);
    if (!first) return Bad(cursor, "define more values than their region says");
    return regions == 0 || Enter(region, regions, is_isolated);
  }

  bool Properties(BytecodeCursor& cursor, uint64_t operation) {
    const std::string_view before = cursor.rest();
    const std::optional<uint64_t> row = cursor.VarInt();
    if (!row) return false;
    uses_of_rows_.properties.push_back({operation, *row, before.substr(0, before.size() - cursor.size())});
    return true;
  }

  bool Operands(BytecodeCursor& cursor) {
    std::optional<uint64_t> count = cursor.Count();
    if (!count) return false;
    const Scope& scope = scopes_.back();
    for (uint64_t i = 0; i < *count; ++i) {
      std::optional<uint64_t> value = cursor.VarInt();
      if (!value || *value >= scope.values.size()) return false;
      ++uses_[scope.values[*value]];
    }
    return true;
  }

  static bool Successors(Region& region) {
    std::optional<uint64_t> count = region.cursor->Count();
    if (!count) return false;
    for (uint64_t i = 0; i < *count; ++i) {
      std::optional<uint64_t> block = region.cursor->VarInt();
      if (!block || *block >= region.all_blocks) return false;
    }
    return true;
  }

  // Starts reading the regions of an operation. Isolated regions have their own section.
  bool Enter(Region& outer, uint64_t count, bool is_isolated) {
    BytecodeCursor& cursor = *outer.cursor;
    if (regions_.size() >= kDeepestRegion) return Bad(cursor, "are nested too deep");
    std::optional<Region> inner;
    if (is_isolated && numbers_.version >= 2) {
      std::optional<BytecodeSection> section = ReadSection(cursor, file_);
      if (!section || section->id != BytecodeSection::kBody) return Bad(cursor, "have regions that do not fit");
      inner.emplace(section->bytes);
      uses_of_rows_.sections.push_back(*section);
    } else {
      inner.emplace(outer.cursor);
    }
    inner->is_isolated = is_isolated;
    inner->is_open = false;
    inner->regions = count;
    if (is_isolated) scopes_.emplace_back();
    regions_.push_back(std::move(*inner));
    return true;
  }

  // Reads the orders of uses of some of the `count` values from `first` on.
  bool Uses(BytecodeCursor& cursor, uint64_t first, uint64_t count) {
    std::optional<uint64_t> values = count > 1 ? cursor.Count() : std::optional<uint64_t>(1);
    if (!values) return Bad(cursor, "order the uses of more values than bytes");
    for (uint64_t i = 0; i < *values; ++i) {
      std::optional<uint64_t> value = count > 1 ? cursor.VarInt() : std::optional<uint64_t>(0);
      std::optional<BytecodeCursor::Flagged> places = cursor.VarIntWithFlag();
      if (!value || *value >= count || !places || !cursor.Holds(places->value)) {
        return Bad(cursor, "order the uses of no value");
      }
      UseOrder order{first + *value, places->flag, {}};
      for (uint64_t place = 0; place < places->value; ++place) {
        std::optional<uint64_t> number = cursor.VarInt();
        if (!number) return Bad(cursor, "end inside an order of uses");
        order.places.push_back(*number);
      }
      orders_.push_back(std::move(order));
    }
    return true;
  }

  // Checks the stored orders. All uses must have been read.
  Expected<void> Orders() const {
    for (const UseOrder& order : orders_) {
      uint64_t uses = uses_[order.value];
      bool fits = order.is_pairs ? order.places.size() % 2 == 0 : order.places.size() == uses;
      fits = fits && std::ranges::all_of(order.places, [&](uint64_t place) { return place < uses; });
      if (!fits) return MakeError(ExitCode::kBadInput, fmt::format("the uses of value {} have no order", order.value));
    }
    return {};
  }

  std::string_view file_;
  const BytecodeNumbers& numbers_;
  std::vector<Region> regions_;
  std::vector<Scope> scopes_;
  std::vector<uint64_t> uses_;  // number of uses of each value, in the order of definition
  std::vector<UseOrder> orders_;
  BytecodeUses uses_of_rows_;
  const char* position_ = nullptr;
  std::string_view problem_;
};

}  // namespace

Expected<BytecodeUses> CheckBody(std::string_view body, std::string_view file, const BytecodeNumbers& numbers) {
  return Body(file, numbers).Check(body);
}

}  // namespace opbyop
