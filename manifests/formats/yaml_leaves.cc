// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/formats/yaml_leaves.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "manifests/formats/json.h"

namespace opbyop {
namespace {

using Leaves = std::map<std::string, std::string>;

void Collect(const YAML::Node& node, const std::string& path, Leaves& leaves) {
  const auto below = [&](const std::string& name) { return path.empty() ? name : path + "." + name; };
  if (node.IsMap()) {
    for (const auto& item : node) Collect(item.second, below(item.first.Scalar()), leaves);
  } else if (node.IsSequence() && std::all_of(node.begin(), node.end(), [](const auto& n) { return n.IsScalar(); })) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const YAML::Node& item : node) list.push_back(item.Scalar());
    leaves[path] = DumpLine(list);
  } else if (node.IsSequence()) {
    size_t place = 0;
    for (const YAML::Node& item : node) {
      const YAML::Node name = item.IsMap() ? item["name"] : YAML::Node();
      std::string key = name && name.IsScalar() ? name.Scalar() : std::to_string(place);
      if (leaves.contains(below(key) + ".name")) key += "#" + std::to_string(place);  // the name occurs twice
      Collect(item, below(key), leaves);
      ++place;
    }
  } else {
    leaves[path] = node.IsScalar() ? node.Scalar() : "";
  }
}

}  // namespace

Leaves YamlLeaves(const std::string& text) {
  Leaves leaves;
  try {
    Collect(YAML::Load(text), "", leaves);
  } catch (const YAML::Exception&) {
    leaves = {{"", text}};
  }
  return leaves;
}

}  // namespace opbyop
