// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Strict reading of small YAML files: unknown keys are errors, and every error names file and line.
//
//   Expected<YamlMap> top = LoadYaml(path);
//   YamlMap target = *top;
//   target.Schema(kTargetSchema);
//   std::string name = target.Required("name");
//   double timeout = target.Number("timeout_s", 60, {0.001, 3600});
//   if (auto failure = target.Finish()) return Unexpected(*failure);   // first error, or an unknown key
//
// Readers keep the first error and continue with defaults, so that call sites stay simple. Reading takes memory in
// proportion to the file, whatever its bytes: the repetition by aliases is limited.
#ifndef OPBYOP_MANIFESTS_FORMATS_YAML_H_
#define OPBYOP_MANIFESTS_FORMATS_YAML_H_

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop {

// The values that a number may have, both ends included. Infinities and NaN are never in range.
template <typename T>
struct NumberRange {
  T min;
  T max;
};

class YamlMap {
 public:
  // Checks `schema: <expected>`. Another version of the same schema is kUnsupported, and the message names the
  // supported one.
  void Schema(std::string_view expected);

  std::string Required(const std::string& key);
  std::string String(const std::string& key, std::string fallback = "");
  double Number(const std::string& key, double fallback, NumberRange<double> range);
  int64_t Integer(const std::string& key, int64_t fallback, NumberRange<int64_t> range);
  bool Bool(const std::string& key, bool fallback);
  std::vector<std::string> Strings(const std::string& key);
  std::map<std::string, std::string> StringMap(const std::string& key);
  std::vector<YamlMap> Maps(const std::string& key);
  std::optional<YamlMap> Map(const std::string& key);

  // Returns the whole map as JSON. Scalars that YAML reads as integers or booleans keep their type; all others are
  // texts.
  nlohmann::json ToJson();

  bool Has(const std::string& key) const;
  bool IsList(const std::string& key) const;
  int line() const;
  int LineOf(const std::string& key) const;  // of its value; the map's own if it is absent

  // Notes an error at this map's line, unless one was noted before.
  void Fail(ExitCode code, std::string_view what);

  // Returns the first error of this map, its children and the whole file. An unread key is an error.
  std::optional<Error> Finish();

 private:
  friend Expected<YamlMap> ParseYaml(const std::string& text, const std::filesystem::path& path);

  struct File {
    std::filesystem::path path;
    std::optional<Error> error;
    // Nodes that may still be read. Each takes a byte of the file, unless an alias repeats it.
    size_t nodes_left = 0;
  };

  YAML::Node Take(const std::string& key);
  template <typename T>
  T InRange(const std::string& key, T fallback, NumberRange<T> range, std::string_view what);
  bool Count(const YAML::Node& node);
  nlohmann::json JsonOf(const YAML::Node& node, int depth);
  void FailAt(const YAML::Node& node, ExitCode code, std::string_view what);
  void CheckKeys();

  std::shared_ptr<File> file_;
  YAML::Node node_;
  std::set<std::string> read_;
};

Expected<YamlMap> ParseYaml(const std::string& text, const std::filesystem::path& path);
Expected<YamlMap> LoadYaml(const std::filesystem::path& path);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_FORMATS_YAML_H_
