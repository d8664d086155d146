// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads untrusted JSON. Reads and writes numbers that JSON lacks ("nan", "inf", "-inf").
//
//   Expected<nlohmann::json> record = ParseJson(line);          // error: not JSON, or nested too deep
//   auto count = IntegerAt<int64_t>(*record, "count", 0);      // throws json::exception, like at() and get()
//   double ratio = DecodeDouble(record->at("bound_ratio"));
#ifndef OPBYOP_MANIFESTS_FORMATS_JSON_H_
#define OPBYOP_MANIFESTS_FORMATS_JSON_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "support/expected.h"

namespace opbyop {

// nlohmann's library copies, compares and prints values by recursion.
inline constexpr size_t kDeepestJson = 200;

// Limits for a text. Deeply nested values overflow the stack of code that walks or frees them, and many small values
// take fifty times their text in memory. Both are counted before anything is built.
struct JsonLimits {
  size_t depth = kDeepestJson;
  size_t values = std::numeric_limits<size_t>::max();
};

// kBadInput if a limit is exceeded. The message says which, but not the place: "nested more than 200 deep".
Expected<void> CheckJsonLimits(std::string_view text, JsonLimits limits);

// Parses one value within the default limits. kBadInput as above, or "not JSON".
Expected<nlohmann::json> ParseJson(std::string_view text);

// Returns an integer. The library's own getters cast any number; this throws json::out_of_range for a value that is not
// a whole number from `least` to `most`.
template <std::integral T>
T IntegerOf(const nlohmann::json& value, T least = std::numeric_limits<T>::min(),
            T most = std::numeric_limits<T>::max());

// For members of a nlohmann::json, or of a JsonView (manifests/formats/json_view.h).

// Returns a pointer (here) or an optional (JsonView); null if the object has no such member.
const nlohmann::json* FindMember(const nlohmann::json& object, const char* key);

// Returns a member that is a list without copying it as value() would, or an empty list.
const nlohmann::json& ListOr(const nlohmann::json& object, const char* key);

// Returns a member that must exist.
template <class T, class Json>
T MemberAt(const Json& object, const char* key) {
  return object.at(key).template get<T>();
}

// Returns an integer member that must exist, or `fallback` if it is absent.
template <std::integral T, class Json>
T IntegerAt(const Json& object, const char* key, T least = std::numeric_limits<T>::min(),
            T most = std::numeric_limits<T>::max()) {
  return IntegerOf<T>(object.at(key), least, most);
}
template <std::integral T, class Json>
T IntegerOr(const Json& object, const char* key, T fallback, T least = std::numeric_limits<T>::min(),
            T most = std::numeric_limits<T>::max()) {
  const auto found = FindMember(object, key);
  return found ? IntegerOf<T>(*found, least, most) : fallback;
}

nlohmann::json EncodeDouble(double value);

// Returns NaN for anything that is neither a number nor one of the three texts.
double DecodeDouble(const nlohmann::json& json);

// Returns one line of JSON. Invalid UTF-8 (binary output of a compiler) is replaced; it does not throw.
std::string DumpLine(const nlohmann::ordered_json& json);

// Throws json::out_of_range.
[[noreturn]] void ThrowNotInteger(const nlohmann::json& value, const std::string& least, const std::string& most);

template <std::integral T>
T IntegerOf(const nlohmann::json& value, T least, T most) {
  const auto fits = [&](auto number) {
    return std::cmp_less_equal(least, number) && std::cmp_less_equal(number, most);
  };
  if (value.is_number_unsigned()) {
    if (const auto number = value.get<uint64_t>(); fits(number)) return static_cast<T>(number);
  } else if (value.is_number_integer()) {
    if (const auto number = value.get<int64_t>(); fits(number)) return static_cast<T>(number);
  }
  ThrowNotInteger(value, std::to_string(least), std::to_string(most));
}

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_FORMATS_JSON_H_
