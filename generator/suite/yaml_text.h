// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads values in the tables of a suite as text: `3`, `true` and `3x5` are all written without quotes.
//
//   YamlText(map.ToJson().at("in"));   // "7 f32"; "" for null
#ifndef OPBYOP_GENERATOR_SUITE_YAML_TEXT_H_
#define OPBYOP_GENERATOR_SUITE_YAML_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

namespace opbyop::generator {

inline std::string YamlText(const nlohmann::json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The text of a key that may be absent.
inline std::string YamlText(const nlohmann::json& object, const char* key) {
  return object.contains(key) ? YamlText(object.at(key)) : "";
}

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_YAML_TEXT_H_
