// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/bytecode/bytecode_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "ir/bytecode/bytecode_body.h"
#include "ir/bytecode/bytecode_cursor.h"
#include "ir/bytecode/bytecode_edit.h"
#include "ir/bytecode/bytecode_entries.h"
#include "ir/bytecode/bytecode_rows.h"

namespace opbyop {
namespace {

constexpr size_t kMagicSize = 4;
constexpr uint64_t kNewestBytecode = 6;

tl::unexpected<Error> Fail(std::string message) { return MakeError(ExitCode::kBadInput, std::move(message)); }

class Container {
 public:
  explicit Container(std::string_view file) : file_(file), edit_(file) {}

  Expected<std::optional<std::string>> Check() {
    BytecodeCursor cursor(file_.substr(std::min(kMagicSize, file_.size())));
    std::optional<uint64_t> version = cursor.VarInt();
    if (!version) return Fail("it ends inside its header");
    if (*version > kNewestBytecode) return std::nullopt;
    version_ = *version;
    size_t end = cursor.rest().find('\0');
    if (end == std::string_view::npos) return Fail("it ends inside its header");
    cursor.Bytes(end + 1);
    while (!cursor.empty()) {
      std::optional<BytecodeSection> section = ReadSection(cursor, file_);
      if (!section) return Fail(fmt::format("it ends inside a section, at byte {}", file_.size() - cursor.size()));
      if (section->id >= sections_.size()) return Fail(fmt::format("section {} is of no known kind", section->id));
      if (sections_[section->id]) return Fail(fmt::format("it has two sections of kind {}", section->id));
      sections_[section->id] = section->bytes;
      edit_.AddSection(*section);
    }
    for (uint64_t id : {BytecodeSection::kString, BytecodeSection::kDialect, BytecodeSection::kEntry,
                        BytecodeSection::kEntryOffset, BytecodeSection::kBody}) {
      if (!sections_[id]) return Fail(fmt::format("it has no section of kind {}", id));
    }
    // Before version 5 there was no section of properties: they were attributes.
    if (version_ >= 5 && !sections_[BytecodeSection::kProperties]) return Fail("it has no section of properties");
    for (auto step :
         {&Container::Strings, &Container::Dialects, &Container::Entries, &Container::Resources, &Container::Body}) {
      if (Expected<void> done = (this->*step)(); !done) return Unexpected(done.error());
    }
    if (!edit_.is_changed()) return std::nullopt;
    Expected<std::string> current = edit_.Take();
    if (!current) return Unexpected(current.error());
    return std::optional(std::move(*current));
  }

 private:
  // The section has the sizes of the strings in reverse order, then the strings.
  Expected<void> Strings() {
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

  // Groups of resources: those of other tools, whose names are strings, then those of dialects.
  Expected<void> Resources() {
    if (!sections_[BytecodeSection::kResourceOffset]) return {};
    BytecodeCursor cursor(*sections_[BytecodeSection::kResourceOffset]);
    const auto& data = sections_[BytecodeSection::kResource];
    uint64_t left = data ? data->size() : 0;
    const std::optional<uint64_t> external = cursor.VarInt();
    if (!external) return Fail("it ends inside its resources");
    for (uint64_t group = 0; !cursor.empty(); ++group) {
      const std::optional<uint64_t> owner = cursor.VarInt();
      const std::optional<uint64_t> count = cursor.Count();
      const size_t owners = group < *external ? strings_.size() : dialects_.size();
      if (!owner || *owner >= owners || !count) return Fail("it has resources without an owner, or more than fit");
      for (uint64_t i = 0; i < *count; ++i) {
        constexpr uint8_t kKinds = 3;  // bytes, a boolean, a string
        const std::optional<uint64_t> name = cursor.VarInt(), size = cursor.VarInt();
        const std::optional<uint8_t> kind = cursor.Byte();
        if (!name || *name >= strings_.size() || !size || *size > left || !kind || *kind >= kKinds) {
          return Fail("a resource has no name, no known kind or more bytes than follow");
        }
        left -= *size;
      }
    }
    return {};
  }

  Expected<void> Dialects() {
    BytecodeCursor cursor(*sections_[BytecodeSection::kDialect]);
    std::optional<uint64_t> count = cursor.Count();
    if (!count) return Fail("it says to have more dialects than bytes");
    for (uint64_t i = 0; i < *count; ++i) {
      std::optional<uint64_t> name = cursor.VarInt();
      if (!name) return Fail("it ends inside its dialects");
      bool is_versioned = version_ >= 1 && (*name & 1) != 0;
      if (version_ >= 1) *name >>= 1;
      if (*name >= strings_.size()) return Fail(fmt::format("dialect {} has no name", i));
      if (is_versioned && !ReadSection(cursor, file_)) return Fail(fmt::format("dialect {} has no version", i));
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
        if (name && version_ >= 5) *name >>= 1;
        if (!name || *name >= strings_.size()) return Fail("an operation has no name");
        operations_.push_back(fmt::format("{}.{}", dialects_[*dialect], strings_[*name]));
      }
    }
    return {};
  }

  // The section has two tables, attributes and then types, each in groups by dialect.
  Expected<void> Entries() {
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
    UpdateEntries();
    return CheckEntries(attributes_, types_, strings_.size());
  }

  // Converts entries in the form of other releases to the form that is read here.
  void UpdateEntries() {
    BytecodeCursor offsets(*sections_[BytecodeSection::kEntryOffset]);
    offsets.Count();
    offsets.Count();
    for (std::vector<BytecodeEntry>* entries : {&attributes_, &types_}) {
      for (size_t i = 0; i < entries->size();) {
        offsets.VarInt();
        const uint64_t group = *offsets.VarInt();
        for (uint64_t in_group = 0; in_group < group; ++in_group, ++i) {
          const std::string_view before = offsets.rest();
          offsets.VarInt();
          Update((*entries)[i], before.substr(0, before.size() - offsets.size()), entries == &types_);
        }
      }
    }
  }

  // `size` are the bytes of the file that hold the size of the entry.
  void Update(BytecodeEntry& entry, std::string_view size, bool is_type) {
    if (entry.is_text) return;
    std::optional<std::string> current =
        is_type ? TextOfType(entry.dialect, entry.bytes) : CurrentAttribute(entry.dialect, entry.bytes);
    if (!current) return;
    entry.is_text = is_type;
    edit_.Replace(size, VarInt(current->size() << 1 | (entry.is_text ? 0 : 1)));
    edit_.Replace(entry.bytes, *current);
    entry.bytes = updated_.emplace_back(std::move(*current));
  }

  Expected<void> Body() {
    BytecodeNumbers numbers{version_, attributes_.size(), types_.size(), operations_.size()};
    const Expected<BytecodeUses> uses = CheckBody(*sections_[BytecodeSection::kBody], file_, numbers);
    if (!uses) return Unexpected(uses.error());
    return version_ >= 5 ? Properties(*uses) : Expected<void>();
  }

  // Operations of several kinds may share a row, so rows in the current form are appended instead of replacing old
  // rows.
  Expected<void> Properties(const BytecodeUses& uses) {
    const std::string_view section = *sections_[BytecodeSection::kProperties];
    BytecodeCursor cursor(section);
    const std::optional<uint64_t> count = cursor.Count();
    const std::string_view listed = cursor.rest();
    if (!count) return Fail("it says to have more rows of properties than bytes");
    std::vector<std::string_view> rows;
    for (uint64_t i = 0; i < *count; ++i) {
      const std::optional<uint64_t> size = cursor.VarInt();
      const std::optional<std::string_view> row = size ? cursor.Bytes(*size) : std::nullopt;
      if (!row) return Fail(fmt::format("row {} of its properties does not fit", i));
      rows.push_back(*row);
    }
    std::map<std::string, uint64_t> added;
    std::string bytes;
    for (const BytecodeProperties& use : uses.properties) {
      if (use.row >= rows.size()) return Fail(fmt::format("its operations have no row {} of properties", use.row));
      const std::optional<std::string> current = CurrentRow(operations_[use.operation], version_, rows[use.row]);
      if (!current) continue;
      const auto [row, is_new] = added.try_emplace(*current, rows.size() + added.size());
      if (is_new) bytes += VarInt(current->size()) + *current;
      edit_.Replace(use.number, VarInt(row->second));
    }
    if (added.empty()) return {};
    for (const BytecodeSection& nested : uses.sections) edit_.AddSection(nested);
    edit_.Replace(section, fmt::format("{}{}{}", VarInt(rows.size() + added.size()), listed, bytes));
    return {};
  }

  static constexpr size_t kKinds = 9;
  std::string_view file_;
  BytecodeEdit edit_;
  std::deque<std::string> updated_;
  uint64_t version_ = 0;
  std::array<std::optional<std::string_view>, kKinds> sections_;
  std::vector<std::string_view> strings_;
  std::vector<std::string_view> dialects_;
  std::vector<std::string> operations_;
  std::vector<BytecodeEntry> attributes_;
  std::vector<BytecodeEntry> types_;
};

}  // namespace

Expected<std::optional<std::string>> CheckBytecode(std::string_view bytes) { return Container(bytes).Check(); }

}  // namespace opbyop
