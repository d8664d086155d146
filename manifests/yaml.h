// Strict reading of small YAML files: every key is known, every error names file and line.
//
//   Expected<YamlMap> top = LoadYaml(path);
//   YamlMap target = *top;
//   target.Schema(kTargetSchema);
//   std::string name = target.Required("name");
//   if (auto failure = target.Finish()) return Unexpected(*failure);   // first error, or an unknown key
//
// Readers collect the first error and go on with defaults, so that call sites stay linear.
#ifndef OPBYOP_MANIFESTS_YAML_H_
#define OPBYOP_MANIFESTS_YAML_H_

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop {

class YamlMap {
 public:
  // `schema: <expected>`; another version of the same schema is kUnsupported and says which one is read.
  void Schema(std::string_view expected);

  std::string Required(const std::string& key);
  std::string String(const std::string& key, std::string fallback = "");
  double Number(const std::string& key, double fallback);
  int64_t Integer(const std::string& key, int64_t fallback);
  bool Bool(const std::string& key, bool fallback);
  std::vector<std::string> Strings(const std::string& key);
  std::map<std::string, std::string> StringMap(const std::string& key);
  std::vector<YamlMap> Maps(const std::string& key);
  std::optional<YamlMap> Map(const std::string& key);

  bool Has(const std::string& key) const;
  int line() const;

  // Notes an error at this map's line, unless one was noted before.
  void Fail(ExitCode code, std::string_view what);

  // The first error of this map, its children and the whole file; an unread key is one.
  std::optional<Error> Finish();

 private:
  friend Expected<YamlMap> ParseYaml(const std::string& text, const std::filesystem::path& path);

  struct File {
    std::filesystem::path path;
    std::optional<Error> error;
  };

  YAML::Node Take(const std::string& key);
  void FailAt(const YAML::Node& node, ExitCode code, std::string_view what);
  void CheckUnread();

  std::shared_ptr<File> file_;
  YAML::Node node_;
  std::set<std::string> read_;
};

Expected<YamlMap> ParseYaml(const std::string& text, const std::filesystem::path& path);
Expected<YamlMap> LoadYaml(const std::filesystem::path& path);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_YAML_H_
