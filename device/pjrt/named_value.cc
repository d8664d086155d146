// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/named_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "device/pjrt/raw_enum.h"

namespace opbyop::pjrt {
namespace {

std::optional<NamedValue> ValueOf(const PJRT_NamedValue& value) {
  switch (RawEnum(value.type)) {
    case PJRT_NamedValue_kString:
      return value.string_value == nullptr ? std::string() : std::string(value.string_value, value.value_size);
    case PJRT_NamedValue_kInt64:
      return value.int64_value;
    case PJRT_NamedValue_kInt64List:
      if (value.int64_array_value == nullptr) return std::vector<int64_t>();
      return std::vector<int64_t>(value.int64_array_value, value.int64_array_value + value.value_size);
    case PJRT_NamedValue_kFloat:
      return value.float_value;
    case PJRT_NamedValue_kBool:
      return value.bool_value;
  }
  return std::nullopt;
}

}  // namespace

NamedValues ReadNamedValues(const PJRT_NamedValue* values, size_t count) {
  NamedValues read;
  for (size_t i = 0; values != nullptr && i < count; ++i) {
    if (values[i].name == nullptr) continue;
    if (std::optional<NamedValue> value = ValueOf(values[i])) {
      read.insert_or_assign(std::string(values[i].name, values[i].name_size), std::move(*value));
    }
  }
  return read;
}

std::string ToText(const NamedValue& value) {
  struct Text {
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(int64_t number) const { return fmt::to_string(number); }
    std::string operator()(const std::vector<int64_t>& list) const { return fmt::format("{}", fmt::join(list, ", ")); }
    std::string operator()(float number) const { return fmt::to_string(number); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  };
  return std::visit(Text(), value);
}

NamedValueList::NamedValueList(const NamedValues& values) {
  for (const auto& [name, value] : values) {
    PJRT_NamedValue entry = {};
    entry.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    entry.name = name.data();
    entry.name_size = name.size();
    entry.value_size = 1;
    if (const auto* text = std::get_if<std::string>(&value)) {
      entry.type = PJRT_NamedValue_kString;
      entry.string_value = text->data();
      entry.value_size = text->size();
    } else if (const auto* number = std::get_if<int64_t>(&value)) {
      entry.type = PJRT_NamedValue_kInt64;
      entry.int64_value = *number;
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
      entry.type = PJRT_NamedValue_kInt64List;
      entry.int64_array_value = list->data();
      entry.value_size = list->size();
    } else if (const auto* fraction = std::get_if<float>(&value)) {
      entry.type = PJRT_NamedValue_kFloat;
      entry.float_value = *fraction;
    } else {
      entry.type = PJRT_NamedValue_kBool;
      entry.bool_value = std::get<bool>(value);
    }
    list_.push_back(entry);
  }
}

}  // namespace opbyop::pjrt
