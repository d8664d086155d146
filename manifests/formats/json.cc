// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/formats/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opbyop {

using nlohmann::json;

Expected<void> CheckJsonLimits(std::string_view text, JsonLimits limits) {
  size_t depth = 0, values = 1;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {  // texts are not counted
      for (at = text.find_first_of("\"\\", at + 1); at < text.size() && text[at] == '\\';) {
        at = text.find_first_of("\"\\", std::min(at + 2, text.size()));
      }
      if (at >= text.size()) break;
    } else if (c == '[' || c == '{') {
      if (++depth > limits.depth) {
        return MakeError(ExitCode::kBadInput, fmt::format("nested more than {} deep", limits.depth));
      }
      ++values;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    } else if (c == ',') {
      ++values;
    }
    if (values > limits.values) {
      return MakeError(ExitCode::kBadInput, fmt::format("of more than {} values", limits.values));
    }
  }
  return {};
}

Expected<json> ParseJson(std::string_view text) {
  if (const Expected<void> within = CheckJsonLimits(text, {}); !within) return Unexpected(within.error());
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return MakeError(ExitCode::kBadInput, "not JSON");
  return value;
}

void ThrowNotInteger(const json& value, const std::string& least, const std::string& most) {
  constexpr int kOutOfRange = 406;  // the library's error id for a number that does not fit
  constexpr size_t kShown = 40;
  const std::string found = value.is_primitive() ? DumpLine(value).substr(0, kShown) : value.type_name();
  throw json::out_of_range::create(kOutOfRange, fmt::format("{} is no whole number of {} to {}", found, least, most),
                                   &value);
}

const json* FindMember(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const json& ListOr(const json& object, const char* key) {
  static const json kNone = json::array();
  const json* found = FindMember(object, key);
  return found ? *found : kNone;
}

nlohmann::json EncodeDouble(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double DecodeDouble(const nlohmann::json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

std::string DumpLine(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace opbyop
