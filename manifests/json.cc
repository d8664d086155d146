#include "manifests/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opbyop {
namespace {

using nlohmann::json;

// Before anything is built: the depth outside of texts.
bool IsTooDeep(std::string_view text) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (at = text.find_first_of("\"\\", at + 1); at < text.size() && text[at] == '\\';) {
        at = text.find_first_of("\"\\", std::min(at + 2, text.size()));
      }
      if (at >= text.size()) return false;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Expected<json> ParseJson(std::string_view text) {
  if (IsTooDeep(text)) {
    return MakeError(ExitCode::kBadInput, fmt::format("nested more than {} deep", kDeepestJson));
  }
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return MakeError(ExitCode::kBadInput, "not JSON");
  return value;
}

void ThrowNotInteger(const json& value, const std::string& least, const std::string& most) {
  constexpr int kOutOfRange = 406;  // the library's id of a number that does not fit
  constexpr size_t kShown = 40;
  const std::string found = value.is_primitive() ? DumpLine(value).substr(0, kShown) : value.type_name();
  throw json::out_of_range::create(kOutOfRange, fmt::format("{} is no whole number of {} to {}", found, least, most),
                                   &value);
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
