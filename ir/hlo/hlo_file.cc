// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/hlo/hlo_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace opbyop {
namespace {

constexpr std::string_view kBefore = ".before_optimizations";

constexpr char kFirstField = 0x0A;  // field 1, bytes: what both messages start with

bool IsHloText(std::string_view bytes) {
  const size_t start = bytes.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && bytes.substr(start).starts_with("HloModule");
}

// Removes a number in base 128 from the front of `bytes`. nullopt if there is none.
std::optional<uint64_t> TakeVarint(std::string_view& bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

struct Field {
  uint64_t number = 0;
  bool is_bytes = false;   // or a message
  std::string_view bytes;  // if is_bytes
};

// Removes a field of a serialized message from the front of `bytes`.
std::optional<Field> TakeField(std::string_view& bytes) {
  enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  const std::optional<uint64_t> tag = TakeVarint(bytes);
  if (!tag || *tag >> 3U == 0) return std::nullopt;
  Field field{.number = *tag >> 3U, .is_bytes = (*tag & 7U) == kBytes};
  uint64_t size = 0;
  switch (*tag & 7U) {
    case kVarint:
      return TakeVarint(bytes) ? std::optional(field) : std::nullopt;
    case kFixed64:
      size = 8;
      break;
    case kFixed32:
      size = 4;
      break;
    case kBytes: {
      const std::optional<uint64_t> length = TakeVarint(bytes);
      if (!length) return std::nullopt;
      size = *length;
      break;
    }
    default:
      return std::nullopt;
  }
  if (size > bytes.size()) return std::nullopt;
  if (field.is_bytes) field.bytes = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return field;
}

// A module has its name in field 1, the name of its entry computation in field 2, and computations in field 3.
bool IsModule(std::string_view bytes) {
  constexpr uint64_t kMostFields = 64;  // of messages of XLA
  bool has_name = false, has_entry = false, has_computation = false;
  while (!bytes.empty()) {
    const std::optional<Field> field = TakeField(bytes);
    if (!field || field->number > kMostFields) return false;
    has_name |= field->number == 1 && field->is_bytes;
    has_entry |= field->number == 2 && field->is_bytes;
    has_computation |= field->number == 3 && field->is_bytes;
  }
  return has_name && has_entry && has_computation;
}

}  // namespace

bool MayBeHlo(std::string_view head) { return IsHloText(head) || (!head.empty() && head.front() == kFirstField); }

std::optional<HloForm> HloFormOf(std::string_view bytes) {
  if (IsHloText(bytes)) return HloForm::kText;
  if (!MayBeHlo(bytes)) return std::nullopt;
  if (IsModule(bytes)) return HloForm::kModule;
  const std::optional<Field> module = TakeField(bytes);
  return module && IsModule(module->bytes) ? std::optional(HloForm::kProto) : std::nullopt;
}

bool IsHloDump(std::string_view name) {
  if (name.ends_with(".before_optimizations.txt")) return true;
  if (!name.ends_with(".hlo") && !name.ends_with(".hlo.pb")) return false;
  const std::string_view stem = HloStem(name);
  return stem.find("optimizations") == std::string_view::npos;
}

std::string_view HloStem(std::string_view name) {
  for (const std::string_view ending :
       {std::string_view(".pb"), std::string_view(".hlo"), std::string_view(".txt"), kBefore}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return name;
}

}  // namespace opbyop
