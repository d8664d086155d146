// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/fields.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "support/text/safe_text.h"

namespace opbyop::protocol {
namespace {

using Json = nlohmann::json;

constexpr size_t kQuotedBytes = 80;

}  // namespace

std::string Quote(std::string_view text) { return SafeLine(text, kQuotedBytes); }

std::string QuoteJson(const Json& value) { return Quote(value.dump(-1, ' ', false, Json::error_handler_t::replace)); }

std::optional<int64_t> ExactInteger(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double number = value.get<double>();
  if (std::abs(number) > static_cast<double>(kMaxCount) || number != std::trunc(number)) return std::nullopt;
  return static_cast<int64_t>(number);
}

int64_t Fields::Integer(const char* key, int64_t fallback, int64_t least, int64_t most) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  const std::optional<int64_t> number = ExactInteger(*value);
  if (number && *number >= least && *number <= most) return *number;
  Fail(key, *value, fmt::format("an integer of {} to {}", least, most));
  return fallback;
}

double Fields::Number(const char* key, double most) {
  const Json* value = Find(key);
  if (value == nullptr) return 0;
  if (value->is_number() && value->get<double>() >= 0 && value->get<double>() <= most) return value->get<double>();
  Fail(key, *value, fmt::format("a number of 0 to {:g}", most));
  return 0;
}

bool Fields::Flag(const char* key) {
  const Json* value = Find(key);
  if (value == nullptr) return false;
  if (!value->is_boolean()) Fail(key, *value, "true or false");
  return value->is_boolean() && value->get<bool>();
}

std::string Fields::Text(const char* key, const std::string& fallback) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (value->is_string()) return value->get<std::string>();
  Fail(key, *value, "text");
  return fallback;
}

std::string Fields::Line(const char* key, size_t limit) { return SafeLine(Text(key), limit); }

Status Fields::StatusOf(const char* key) {
  const Json* value = Find(key);
  const std::optional<Status> status =
      value != nullptr && value->is_string() ? ParseStatus(value->get_ref<const std::string&>()) : std::nullopt;
  if (status && IsWorkerStatus(*status)) return *status;
  Fail(key, value == nullptr ? Json() : *value, "a status that a worker may report");
  return Status::kFail;
}

const Json* Fields::Find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void Fields::Fail(const char* key, const Json& value, std::string_view expected) {
  if (error_.empty()) error_ = fmt::format("sent {} whose {} is {}, not {}", what_, key, QuoteJson(value), expected);
}

void Fields::AdoptError(const Fields& inner) {
  if (error_.empty()) error_ = inner.error_;
}

}  // namespace opbyop::protocol
