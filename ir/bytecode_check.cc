// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/bytecode_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "ir/bytecode_body.h"
#include "ir/bytecode_cursor.h"
#include "ir/bytecode_entries.h"

namespace opbyop {
namespace {

constexpr size_t kMagicSize = 4;
constexpr uint64_t kNewestBytecode = 6;

tl::unexpected<Error> Fail(std::string message) { return MakeError(ExitCode::kBadInput, std::move(message)); }

class Container {
 public:
  Expected<void> Check(std::string_view bytes) {
    BytecodeCursor cursor(bytes.substr(std::min(kMagicSize, bytes.size())));
    std::optional<uint64_t> version = cursor.VarInt();
    if (!version) return Fail("it ends inside its header");
    if (*version > kNewestBytecode) return {};
    version_ = *version;
    size_t end = cursor.rest().find('\0');
    if (end == std::string_view::npos) return Fail("it ends inside its header");
    cursor.Bytes(end + 1);
    while (!cursor.empty()) {
      std::optional<BytecodeSection> section = ReadSection(cursor, bytes);
      if (!section) return Fail(fmt::format("it ends inside a section, at byte {}", bytes.size() - cursor.size()));
      if (section->id >= sections_.size()) return Fail(fmt::format("section {} is of no known kind", section->id));
      if (sections_[section->id]) return Fail(fmt::format("it has two sections of kind {}", section->id));
      sections_[section->id] = section->bytes;
    }
    for (uint64_t id : {BytecodeSection::kString, BytecodeSection::kDialect, BytecodeSection::kEntry,
                        BytecodeSection::kEntryOffset, BytecodeSection::kBody}) {
      if (!sections_[id]) return Fail(fmt::format("it has no section of kind {}", id));
    }
    // Before version 5, properties were attributes.
    if (version_ >= 5 && !sections_[BytecodeSection::kProperties]) return Fail("it has no section of properties");
    for (auto step : {&Container::Strings, &Container::Dialects, &Container::Entries, &Container::Body}) {
      if (Expected<void> done = (this->*step)(bytes); !done) return done;
    }
    return {};
  }

 private:
  // Sizes come in reverse order, then the strings.
  Expected<void> Strings(std::string_view) {
    BytecodeCursor cursor(*sections_[BytecodeSection::kString]);
    std::optional<uint64_t> count = cursor.Count();
    if (!count) return Fail("it says to have more strings than bytes");
    uint64_t total = 0;
    std::vector<uint64_t> sizes(*count);
    for (uint64_t i = 0; i < *count; ++i) {
      std::optional<uint64_t> size = cursor.VarInt();
      if (!size || *size == 0 || *size > sections_[BytecodeSection::kString]->size()) {
        return Fail(fmt::format("string {} has no size, or one that does not fit", *count - 1 - i));
      }
      sizes[*count - 1 - i] = *size;
      total += *size;
    }
    if (total != cursor.size()) return Fail("its strings do not fill their section");
    for (uint64_t size : sizes) strings_.push_back(cursor.Bytes(size)->substr(0, size - 1));
    return {};
  }

  Expected<void> Dialects(std::string_view bytes) {
    BytecodeCursor cursor(*sections_[BytecodeSection::kDialect]);
    std::optional<uint64_t> count = cursor.Count();
    if (!count) return Fail("it says to have more dialects than bytes");
    for (uint64_t i = 0; i < *count; ++i) {
      std::optional<uint64_t> name = cursor.VarInt();
      if (!name) return Fail("it ends inside its dialects");
      bool is_versioned = version_ >= 1 && (*name & 1) != 0;
      if (version_ >= 1) *name >>= 1;
      if (*name >= strings_.size()) return Fail(fmt::format("dialect {} has no name", i));
      if (is_versioned && !ReadSection(cursor, bytes)) return Fail(fmt::format("dialect {} has no version", i));
      dialects_.push_back(strings_[*name]);
    }
    if (version_ >= 4 && !cursor.Count()) return Fail("it says to have more operations than bytes");
    while (!cursor.empty()) {
      std::optional<uint64_t> dialect = cursor.VarInt();
      std::optional<uint64_t> ops = cursor.VarInt();
      if (!dialect || *dialect >= dialects_.size() || !ops || !cursor.Holds(*ops)) {
        return Fail("it has operations of no dialect, or more than fit");
      }
      for (uint64_t i = 0; i < *ops; ++i) {
        std::optional<uint64_t> name = cursor.VarInt();
        if (!name || (version_ >= 5 ? *name >> 1 : *name) >= strings_.size()) return Fail("an operation has no name");
        op_is_registered_.push_back(version_ >= 5 && (*name & 1) != 0);
      }
    }
    return {};
  }

  // Two tables in one: attributes, then types, each in groups of a dialect.
  Expected<void> Entries(std::string_view) {
    BytecodeCursor offsets(*sections_[BytecodeSection::kEntryOffset]);
    BytecodeCursor data(*sections_[BytecodeSection::kEntry]);
    std::optional<uint64_t> attributes = offsets.Count();
    std::optional<uint64_t> types = offsets.Count();
    if (!attributes || !types) return Fail("it says to have more attributes or types than bytes");
    for (auto [count, entries] : {std::pair(*attributes, &attributes_), std::pair(*types, &types_)}) {
      while (entries->size() < count) {
        std::optional<uint64_t> dialect = offsets.VarInt();
        std::optional<uint64_t> group = offsets.VarInt();
        if (!dialect || *dialect >= dialects_.size() || !group || *group > count - entries->size()) {
          return Fail("it has attributes or types of no dialect, or more than it says");
        }
        for (uint64_t i = 0; i < *group; ++i) {
          std::optional<BytecodeCursor::Flagged> size = offsets.VarIntWithFlag();
          std::optional<std::string_view> bytes = size ? data.Bytes(size->value) : std::nullopt;
          if (!bytes) return Fail(fmt::format("attribute or type {} ends behind its section", entries->size()));
          entries->push_back({dialects_[*dialect], *bytes, /*is_text=*/!size->flag});
        }
      }
    }
    return CheckEntries(attributes_, types_, strings_.size());
  }

  Expected<void> Body(std::string_view bytes) {
    BytecodeNumbers numbers{version_, attributes_.size(), types_.size(), op_is_registered_};
    return CheckBody(*sections_[BytecodeSection::kBody], bytes, numbers);
  }

  static constexpr size_t kKinds = 9;
  uint64_t version_ = 0;
  std::array<std::optional<std::string_view>, kKinds> sections_;
  std::vector<std::string_view> strings_;
  std::vector<std::string_view> dialects_;
  std::vector<bool> op_is_registered_;
  std::vector<BytecodeEntry> attributes_;
  std::vector<BytecodeEntry> types_;
};

}  // namespace

std::optional<BytecodeSection> ReadSection(BytecodeCursor& cursor, std::string_view file) {
  constexpr uint8_t kHasAlignment = 0x80;
  std::optional<uint8_t> id = cursor.Byte();
  std::optional<uint64_t> size = cursor.VarInt();
  if (!id || !size) return std::nullopt;
  if (*id & kHasAlignment) {
    std::optional<uint64_t> alignment = cursor.VarInt();
    if (!alignment || !std::has_single_bit(*alignment) || *alignment > kBytecodeAlignment) return std::nullopt;
    while ((cursor.rest().data() - file.data()) % *alignment != 0) {
      if (!cursor.Byte()) return std::nullopt;
    }
  }
  std::optional<std::string_view> bytes = cursor.Bytes(*size);
  if (!bytes) return std::nullopt;
  return BytecodeSection{static_cast<uint64_t>(*id & ~kHasAlignment), *bytes};
}

Expected<void> CheckBytecode(std::string_view bytes) { return Container().Check(bytes); }

}  // namespace opbyop
