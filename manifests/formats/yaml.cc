// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/formats/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "support/files/file.h"
#include "support/text/safe_text.h"

namespace opbyop {
namespace {

constexpr int kDeepestMap = 100;

}  // namespace

YAML::Node YamlMap::Take(const std::string& key) {
  read_.insert(key);
  return node_[key];
}

void YamlMap::FailAt(const YAML::Node& node, ExitCode code, std::string_view what) {
  if (file_->error) return;
  const int line = (node.IsDefined() ? node.Mark().line : node_.Mark().line) + 1;
  file_->error = Error{code, fmt::format("{}:{}: {}", file_->path.string(), line, what)};
}

void YamlMap::Fail(ExitCode code, std::string_view what) { FailAt(node_, code, what); }

int YamlMap::line() const { return node_.Mark().line + 1; }

int YamlMap::LineOf(const std::string& key) const {
  return Has(key) ? std::as_const(node_)[key].Mark().line + 1 : line();
}

bool YamlMap::Has(const std::string& key) const { return node_[key].IsDefined(); }

bool YamlMap::IsList(const std::string& key) const { return Has(key) && node_[key].IsSequence(); }

void YamlMap::Schema(std::string_view expected) {
  const std::string found = String("schema");
  if (found == expected) return;
  const std::string_view family = expected.substr(0, expected.find('/'));
  if (std::string_view(found).starts_with(family)) {
    Fail(ExitCode::kUnsupported, fmt::format("schema {} is not read by this version, which reads {}: was the file "
                                             "written by a newer opbyop?",
                                             found, expected));
  } else {
    Fail(ExitCode::kBadInput, fmt::format("expected `schema: {}`, found {}", expected,
                                          found.empty() ? "no schema" : "`schema: " + found + "`"));
  }
}

std::string YamlMap::Required(const std::string& key) {
  const std::string value = String(key);
  if (value.empty()) Fail(ExitCode::kBadInput, fmt::format("the key `{}` is missing or empty", key));
  return value;
}

std::string YamlMap::String(const std::string& key, std::string fallback) {
  const YAML::Node node = Take(key);
  if (!node.IsDefined() || node.IsNull()) return fallback;
  if (!node.IsScalar()) {
    FailAt(node, ExitCode::kBadInput, fmt::format("`{}` must be a text", key));
    return fallback;
  }
  return node.Scalar();
}

template <typename T>
T YamlMap::InRange(const std::string& key, T fallback, NumberRange<T> range, std::string_view what) {
  const YAML::Node node = Take(key);
  if (!node.IsDefined()) return fallback;
  T value = fallback;
  // Written so that NaN is out of range.
  if (YAML::convert<T>::decode(node, value) && value >= range.min && value <= range.max) return value;
  FailAt(node, ExitCode::kBadInput,
         fmt::format("`{}` must be {} of {} to {}, found `{}`", key, what, range.min, range.max,
                     node.IsScalar() ? node.Scalar().substr(0, 80) : "no scalar"));
  return fallback;
}

double YamlMap::Number(const std::string& key, double fallback, NumberRange<double> range) {
  return InRange(key, fallback, range, "a number");
}

int64_t YamlMap::Integer(const std::string& key, int64_t fallback, NumberRange<int64_t> range) {
  return InRange(key, fallback, range, "a whole number");
}

bool YamlMap::Count(const YAML::Node& node) {
  if (file_->nodes_left > 0) {
    --file_->nodes_left;
    return true;
  }
  FailAt(node, ExitCode::kBadInput, "aliases repeat more than the whole file holds");
  return false;
}

nlohmann::json YamlMap::ToJson() { return JsonOf(node_, 0); }

nlohmann::json YamlMap::JsonOf(const YAML::Node& node, int depth) {
  // An anchor that contains an alias to itself is a cycle.
  if (depth > kDeepestMap) {
    FailAt(node, ExitCode::kBadInput, fmt::format("this is nested more than {} deep", kDeepestMap));
    return nullptr;
  }
  if (!Count(node)) return nullptr;
  if (node.IsSequence()) {
    nlohmann::json list = nlohmann::json::array();
    for (const YAML::Node& item : node) {
      if (file_->error) break;
      list.push_back(JsonOf(item, depth + 1));
    }
    return list;
  }
  if (node.IsMap()) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& item : node) {
      if (file_->error) break;
      object[item.first.Scalar()] = JsonOf(item.second, depth + 1);
    }
    return object;
  }
  if (node.IsNull()) return nullptr;
  int64_t integer = 0;
  bool flag = false;
  if (node.Tag() != "!" && YAML::convert<int64_t>::decode(node, integer)) return integer;
  if (node.Tag() != "!" && YAML::convert<bool>::decode(node, flag)) return flag;
  return node.Scalar();
}

bool YamlMap::Bool(const std::string& key, bool fallback) {
  const YAML::Node node = Take(key);
  if (!node.IsDefined()) return fallback;
  bool value = fallback;
  if (!YAML::convert<bool>::decode(node, value)) {
    FailAt(node, ExitCode::kBadInput, fmt::format("`{}` must be true or false", key));
  }
  return value;
}

std::vector<std::string> YamlMap::Strings(const std::string& key) {
  const YAML::Node node = Take(key);
  std::vector<std::string> values;
  if (!node.IsDefined() || node.IsNull()) return values;
  if (!node.IsSequence()) {
    FailAt(node, ExitCode::kBadInput, fmt::format("`{}` must be a list", key));
    return values;
  }
  for (const YAML::Node& item : node) {
    if (!item.IsScalar()) {
      FailAt(item, ExitCode::kBadInput, fmt::format("an item of `{}` must be a text", key));
      return values;
    }
    if (!Count(item)) return values;
    values.push_back(item.Scalar());
  }
  return values;
}

std::map<std::string, std::string> YamlMap::StringMap(const std::string& key) {
  const YAML::Node node = Take(key);
  std::map<std::string, std::string> values;
  if (!node.IsDefined() || node.IsNull()) return values;
  if (!node.IsMap()) {
    FailAt(node, ExitCode::kBadInput, fmt::format("`{}` must be a map of texts", key));
    return values;
  }
  for (const auto& item : node) {
    if (!item.second.IsScalar()) {
      FailAt(item.second, ExitCode::kBadInput, fmt::format("`{}.{}` must be a text", key, item.first.Scalar()));
      return values;
    }
    if (!Count(item.second)) return values;
    values.emplace(item.first.Scalar(), item.second.Scalar());
  }
  return values;
}

std::vector<YamlMap> YamlMap::Maps(const std::string& key) {
  const YAML::Node node = Take(key);
  std::vector<YamlMap> maps;
  if (!node.IsDefined() || node.IsNull()) return maps;
  if (!node.IsSequence()) {
    FailAt(node, ExitCode::kBadInput, fmt::format("`{}` must be a list", key));
    return maps;
  }
  for (const YAML::Node& item : node) {
    if (!item.IsMap()) {
      FailAt(item, ExitCode::kBadInput, fmt::format("an item of `{}` must be a map", key));
      return maps;
    }
    if (!Count(item)) return maps;
    YamlMap map;
    map.file_ = file_;
    map.node_ = item;
    maps.push_back(map);
  }
  return maps;
}

std::optional<YamlMap> YamlMap::Map(const std::string& key) {
  const YAML::Node node = Take(key);
  if (!node.IsDefined() || node.IsNull()) return std::nullopt;
  if (!node.IsMap()) {
    FailAt(node, ExitCode::kBadInput, fmt::format("`{}` must be a map", key));
    return std::nullopt;
  }
  YamlMap map;
  map.file_ = file_;
  map.node_ = node;
  return map;
}

void YamlMap::CheckKeys() {
  std::set<std::string> seen;
  for (const auto& item : node_) {
    const std::string key = item.first.IsScalar() ? item.first.Scalar() : "";
    if (!read_.contains(key)) {
      FailAt(item.first, ExitCode::kBadInput, fmt::format("unknown key `{}`: misspelt?", key));
    }
    if (!seen.insert(key).second)
      FailAt(item.first, ExitCode::kBadInput, fmt::format("the key `{}` is a duplicate", key));
  }
}

std::optional<Error> YamlMap::Finish() {
  CheckKeys();
  return file_->error;
}

Expected<YamlMap> ParseYaml(const std::string& text, const std::filesystem::path& path) {
  YamlMap map;
  map.file_ = std::make_shared<YamlMap::File>();
  map.file_->path = path;
  map.file_->nodes_left = text.size();
  if (const size_t bad = FirstNonUtf8(text); bad != std::string::npos) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n') + 1;
    return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: holds bytes that are no UTF-8", path.string(), line));
  }
  try {
    map.node_ = YAML::Load(text);
  } catch (const YAML::Exception& failure) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}:{}: not YAML: {}", path.string(), failure.mark.line + 1, failure.msg));
  }
  if (!map.node_.IsMap()) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}:1: expected a YAML map that starts with `schema:`{}",
                                                      path.string(), text.empty() ? ", found an empty file" : ""));
  }
  return map;
}

Expected<YamlMap> LoadYaml(const std::filesystem::path& path) {
  const Expected<std::string> text = ReadFile(path);
  if (!text) return Unexpected(text.error());
  return ParseYaml(*text, path);
}

}  // namespace opbyop
