// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "manifests/json.h"
#include "manifests/json_view.h"
#include "manifests/yaml.h"
#include "support/dtype.h"
#include "support/file.h"
#include "support/sha256.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kCasesKey = "cases:";
constexpr std::string_view kItem = "- ";

// What a case may be expected to be; where nothing is said it passes every stage.
constexpr std::string_view kRefused = "refused";

ordered_json ToJson(const TensorType& type) { return {{"shape", type.shape}, {"dtype", type.dtype}}; }

ordered_json ToJson(const Origin& origin) {
  ordered_json object = {{"model", origin.model},
                         {"count", origin.count},
                         {"framework_op", origin.framework_op},
                         {"module_path", origin.module_path},
                         {"locations", origin.locations}};
  if (!origin.regions.empty()) object["regions"] = origin.regions;
  return object;
}

template <typename T>
ordered_json ToJsonList(const std::vector<T>& items) {
  ordered_json list = ordered_json::array();
  for (const T& item : items) list.push_back(ToJson(item));
  return list;
}

ordered_json ToJson(const Case& c) {
  ordered_json object = ordered_json::object();
  // A growing ordered object copies its members: their keys are const.
  constexpr size_t kMembers = 16;
  object.get_ref<ordered_json::object_t&>().reserve(kMembers);
  object["id"] = c.id;
  object["op"] = c.op;
  if (!c.target.empty()) object["target"] = c.target;
  if (c.kind != OpKind::kOther) object["kind"] = ToString(c.kind);
  object["file"] = c.file;
  object["hash"] = c.hash;
  object["inputs"] = ToJsonList(c.inputs.items());
  object["outputs"] = ToJsonList(c.outputs.items());
  object["attributes"] = c.attributes;
  object["flops"] = c.flops;
  object["bytes"] = c.bytes;
  if (c.no_runtime_input) object["no_runtime_input"] = true;
  if (!c.elided_constants.empty()) object["elided_constants"] = c.elided_constants;
  for (const InputRange& range : c.input_ranges) {
    object["input_ranges"].push_back(range ? ordered_json{range->first, range->second} : ordered_json());
  }
  if (!c.covers.empty()) object["covers"] = c.covers;
  if (c.breach) {
    object["expect"] = kRefused;
    object["breaks"] = {{"id", c.breach->constraint}, {"rule", c.breach->rule}, {"valid", c.breach->valid}};
  }
  object["origins"] = ToJsonList(c.origins);
  return object;
}

template <class Json>
std::vector<TensorType> TypesOf(const Json& list) {
  std::vector<TensorType> types;
  for (const auto& item : list) {
    TensorType& type = types.emplace_back();
    type.dtype = MemberAt<std::string>(item, "dtype");
    for (const auto& size : item.at("shape")) type.shape.push_back(IntegerOf<int64_t>(size, kDynamic));
    if (std::ranges::find(type.shape, kDynamic) == type.shape.end() && !NumElements(type)) {
      constexpr int kOutOfRange = 406;  // the library's id of a number that does not fit
      throw json::out_of_range::create(kOutOfRange, "the elements of a shape are more than 64 bits can count", nullptr);
    }
  }
  return types;
}

// nullptr where the case says nothing of it. Throws as CaseOf.
template <class Json>
std::shared_ptr<const Breach> BreachOf(const Json& object) {
  const auto expected = FindMember(object, "expect");
  if (!expected) return nullptr;
  if (expected->template get<std::string>() != kRefused) {
    constexpr int kNotInSet = 302;  // the library's id of a value of the wrong kind
    throw json::type_error::create(kNotInSet, fmt::format("`expect` may be `{}` only", kRefused), nullptr);
  }
  const auto& breaks = object.at("breaks");
  return std::make_shared<const Breach>(Breach{MemberAt<std::string>(breaks, "id"),
                                               MemberAt<std::string>(breaks, "rule"),
                                               MemberAt<std::string>(breaks, "valid")});
}

// Of a json, or a JsonView. Throws json::exception on a missing or mistyped key, or the view's; the caller names the
// line.
template <class Json>
Case CaseOf(const Json& object) {
  using Texts = std::vector<std::string>;
  Case c;
  c.id = MemberAt<std::string>(object, "id");
  c.op = MemberAt<std::string>(object, "op");
  c.target = object.value("target", "");
  c.kind = ParseOpKind(object.value("kind", "")).value_or(OpKind::kOther);
  c.file = MemberAt<std::string>(object, "file");
  c.hash = MemberAt<std::string>(object, "hash");
  c.inputs = TypesOf(object.at("inputs"));
  c.outputs = TypesOf(object.at("outputs"));
  c.attributes = MemberAt<std::map<std::string, std::string>>(object, "attributes");
  c.flops = IntegerOr<int64_t>(object, "flops", 0, 0);
  c.bytes = IntegerOr<int64_t>(object, "bytes", 0, 0);
  c.no_runtime_input = object.value("no_runtime_input", false);
  for (const auto& item : ListOr(object, "elided_constants")) {
    c.elided_constants.push_back(IntegerOf<int64_t>(item, 0));
  }
  for (const auto& item : ListOr(object, "input_ranges")) {
    c.input_ranges.push_back(
        item.is_null() ? InputRange() : InputRange({IntegerOf<int64_t>(item.at(0)), IntegerOf<int64_t>(item.at(1))}));
  }
  c.covers = object.value("covers", Texts());
  c.breach = BreachOf(object);
  for (const auto& item : object.at("origins")) {
    Origin origin;
    origin.model = MemberAt<std::string>(item, "model");
    origin.count = IntegerAt<int64_t>(item, "count", 0);
    origin.framework_op = item.value("framework_op", "");
    origin.module_path = item.value("module_path", Texts());
    origin.locations = item.value("locations", Texts());
    origin.regions = item.value("regions", Texts());
    c.origins.push_back(std::move(origin));
  }
  return c;
}

// The case of a line as WriteManifest writes it. nullopt where something is wrong with it: whoever parses it at more
// length says what.
std::optional<Case> PlainCaseOf(std::string_view line, JsonDocument& document) {
  try {
    const std::optional<JsonView> object = document.Parse(line);
    return object ? std::optional(CaseOf(*object)) : std::nullopt;
  } catch (const simdjson::simdjson_error&) {
    return std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

// The words of the flags of `opbyop split`.
constexpr std::string_view kWhole = "whole";
constexpr std::string_view kInside = "inside";
constexpr std::string_view kInline = "inline";

// Whether the key says `yes`; it may say `whole` instead, or be absent.
bool Says(YamlMap& map, const std::string& key, std::string_view yes) {
  const std::string word = map.String(key, std::string(kWhole));
  if (word != yes && word != kWhole) {
    map.Fail(ExitCode::kBadInput, fmt::format("`{}` is `{}`, expected {} or {}", key, word, kWhole, yes));
  }
  return word == yes;
}

ModelSplit ReadSplit(YamlMap& map) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const ModelSplit split = {.fold_limit = map.Integer("fold_limit", 0, {std::numeric_limits<int64_t>::min(), kMost}),
                            .vary_constants = map.Bool("vary_constants", false),
                            .inside_regions = Says(map, "regions", kInside),
                            .inline_composites = Says(map, "composites", kInline),
                            .allow_unregistered = map.Bool("allow_unregistered", false)};
  map.Finish();
  return split;
}

std::string ToText(const ModelSplit& split) {
  return fmt::format("{{fold_limit: {}, vary_constants: {}, regions: {}, composites: {}, allow_unregistered: {}}}",
                     split.fold_limit, split.vary_constants, split.inside_regions ? kInside : kWhole,
                     split.inline_composites ? kInline : kWhole, split.allow_unregistered);
}

SuiteInfo ReadSuite(YamlMap& map) {
  const SuiteInfo suite = {.name = map.Required("name"),
                           .version = map.Required("version"),
                           .level = map.Required("level"),
                           .digest = map.String("digest")};
  map.Finish();
  return suite;
}

Model ReadModel(YamlMap& map) {
  Model model;
  model.name = map.Required("name");
  model.source = map.String("source");
  model.sha256 = map.String("sha256");
  model.frontend = map.String("frontend", "unknown");
  model.producer = map.String("producer");
  model.stage = map.String("stage");
  model.entry = map.String("entry");
  model.shapes = map.Strings("shapes");
  model.ops = map.Integer("ops", 0, {0, std::numeric_limits<int64_t>::max()});
  if (std::optional<YamlMap> split = map.Map("split")) model.split = ReadSplit(*split);
  model.error = map.String("error");
  map.Finish();
  return model;
}

// What is wrong with the name of a case or model, which becomes one of a test, a folder and a file.
std::optional<std::string> NameFault(std::string_view name) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  if (name.empty()) return "is empty";
  if (name.size() > kLongestName) {
    return fmt::format("`{}...` is {} characters long, more than {}", name.substr(0, 40), name.size(), kLongestName);
  }
  if (name.find_first_not_of(kAllowed) != std::string_view::npos) {
    return fmt::format("`{}` has characters outside [A-Za-z0-9_]", name);
  }
  return std::nullopt;
}

// The files that cases name: of the manifest's folder, and nothing outside it that a path or a link leads to.
class CaseFileChecker {
 public:
  CaseFileChecker(const fs::path& manifest, CaseFiles files)
      : files_(files), folder_(manifest.has_parent_path() ? manifest.parent_path() : fs::path(".")) {
    std::error_code failure;
    root_ = fs::canonical(folder_, failure);
  }

  // What is wrong with one. Costs one question of the file system for a plain file.
  std::optional<std::string> Fault(const std::string& file) {
    if (file.empty() || file.find('\0') != std::string::npos) return "names no file";
    const fs::path relative(file);
    if (relative.is_absolute() || std::ranges::find(relative, "..") != relative.end()) {
      return fmt::format("names the file {}, expected a path below the manifest's folder", file);
    }
    std::error_code failure;
    const fs::path path = folder_ / relative;
    const fs::file_type type = fs::symlink_status(path, failure).type();
    if (type == fs::file_type::not_found || type == fs::file_type::none) {
      if (files_ == CaseFiles::kMayBeGone) return std::nullopt;
      return fmt::format("names the file {}, which is gone: split the models again", path.string());
    }
    const bool inside = type == fs::file_type::symlink ? IsInside(path) : HasParentInside(path.parent_path());
    if (!inside) return fmt::format("names the file {}, which a link leads out of the manifest's folder", file);
    if (!fs::is_regular_file(type == fs::file_type::symlink ? fs::status(path, failure) : fs::file_status(type))) {
      return fmt::format("names {}, which is no regular file", file);
    }
    return std::nullopt;
  }

 private:
  bool IsInside(const fs::path& path) const {
    std::error_code failure;
    const fs::path real = fs::canonical(path, failure);
    return !failure && std::ranges::mismatch(root_, real).in1 == root_.end();
  }

  // Most files stand in one folder.
  bool HasParentInside(const fs::path& parent) {
    const auto [known, is_new] = parents_.try_emplace(parent.string(), false);
    if (is_new) known->second = IsInside(parent);
    return known->second;
  }

  CaseFiles files_;
  fs::path folder_;
  fs::path root_;
  std::unordered_map<std::string, bool> parents_;
};

// Checks of one case against the cases before it.
class CaseChecker {
 public:
  CaseChecker(const std::filesystem::path& path, const std::vector<Model>& models, CaseFiles files)
      : path_(path), files_(path, files) {
    for (const Model& model : models) models_.insert(model.name);
  }

  Expected<void> Check(const Case& c, int line) {
    const auto bad = [&](const std::string& what) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: {}", path_.string(), line, what));
    };
    if (const auto fault = NameFault(c.id)) return bad(fmt::format("case id {}", *fault));
    if (!ids_.insert(c.id).second) {
      return bad(fmt::format("case id `{}` is a duplicate: were two manifests joined by hand?", c.id));
    }
    if (c.origins.empty()) return bad(fmt::format("case `{}` has no origin", c.id));
    for (const Origin& origin : c.origins) {
      if (!models_.contains(origin.model)) {
        return bad(fmt::format("case `{}` names the model `{}`, which the list `models` lacks", c.id, origin.model));
      }
    }
    for (const int64_t index : c.elided_constants) {
      if (index >= static_cast<int64_t>(c.inputs.size())) {
        return bad(fmt::format("case `{}` has no input {}, which `elided_constants` names", c.id, index));
      }
    }
    for (const InputRange& range : c.input_ranges) {
      if (range && range->first > range->second) {
        return bad(
            fmt::format("case `{}` has an input of {} to {}, which is empty", c.id, range->first, range->second));
      }
    }
    if (const auto fault = files_.Fault(c.file)) return bad(fmt::format("case `{}` {}", c.id, *fault));
    if (!c.breach) return {};
    if (const auto fault = files_.Fault(c.breach->valid)) return bad(fmt::format("case `{}` {}", c.id, *fault));
    return {};
  }

 private:
  std::filesystem::path path_;
  CaseFileChecker files_;
  std::unordered_set<std::string> models_;
  std::unordered_set<std::string> ids_;
};

// Splits off the `cases:` section where each line holds one JSON object. nullopt where it has another form.
struct CaseLines {
  std::string head;  // the text before, valid YAML by itself
  std::vector<std::pair<int, std::string_view>> lines;
};

std::optional<CaseLines> FindCaseLines(const std::string& text) {
  const size_t key = text.starts_with(kCasesKey) ? 0 : text.find("\ncases:\n");
  if (key == std::string::npos) return std::nullopt;
  CaseLines found;
  found.head = text.substr(0, key + 1);
  int line = static_cast<int>(std::count(found.head.begin(), found.head.end(), '\n')) + 2;
  size_t at = text.find('\n', key + 1) + 1;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view item(text.data() + at, end - at);
    if (!item.empty()) {
      if (!item.starts_with(kItem) || item.size() < 3 || item[2] != '{') return std::nullopt;
      found.lines.emplace_back(line, item.substr(kItem.size()));
    }
    at = end + 1;
    ++line;
  }
  return found;
}

// The lines of `cases`, on as many threads as pay: a line depends on no other.
std::string WriteCaseLines(std::span<const Case> cases) {
  constexpr size_t kWorthAThread = 256;
  const size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const size_t threads = std::clamp<size_t>(cases.size() / kWorthAThread, 1, cores);
  const size_t share = (cases.size() + threads - 1) / threads;
  const auto lines = [&](size_t part) {
    std::string text;
    const size_t begin = std::min(part * share, cases.size());
    for (const Case& c : cases.subspan(begin, std::min(share, cases.size() - begin))) {
      text += kItem;
      text += DumpLine(ToJson(c));
      text += '\n';
    }
    return text;
  };
  std::vector<std::future<std::string>> others;
  for (size_t part = 1; part < threads; ++part) others.push_back(std::async(std::launch::async, lines, part));
  std::string text = lines(0);
  for (std::future<std::string>& other : others) text += other.get();
  return text;
}

std::string Quoted(std::string_view text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::vector<std::string> ModelsOf(const Case& c) {
  std::vector<std::string> models;
  for (const Origin& origin : c.origins) {
    if (std::find(models.begin(), models.end(), origin.model) == models.end()) models.push_back(origin.model);
  }
  return models;
}

bool Manifest::is_whole() const { return !cases.empty() && std::ranges::all_of(cases, &Case::is_whole_model); }

std::string RowName(const Row& row) { return row.model + "__" + row.c->id; }

std::vector<Row> Rows(const Manifest& manifest) {
  std::vector<Row> rows;
  for (const Case& c : manifest.cases) {
    for (std::string& model : ModelsOf(c)) rows.push_back({&c, std::move(model)});
  }
  return rows;
}

Expected<Manifest> LoadManifest(const std::filesystem::path& path, CaseFiles files, const Manifest* known) {
  const Expected<std::string> text = ReadRegularFile(path);
  if (!text) return Unexpected(text.error());
  Manifest manifest;
  manifest.path = path;
  manifest.hash = Sha256Hex(*text);
  const std::optional<CaseLines> fast = FindCaseLines(*text);
  if (known && fast && known->hash == manifest.hash && known->cases.size() == fast->lines.size()) {
    manifest = *known;
    manifest.path = path;
    CaseChecker checker(path, manifest.models, files);
    for (size_t i = 0; i < manifest.cases.size(); ++i) {
      if (auto checked = checker.Check(manifest.cases[i], fast->lines[i].first); !checked) {
        return Unexpected(checked.error());
      }
    }
    return manifest;
  }
  Expected<YamlMap> top = ParseYaml(fast ? fast->head : *text, path);
  if (!top) return Unexpected(top.error());
  top->Schema(kManifestSchema);
  if (std::optional<YamlMap> suite = top->Map("suite")) manifest.suite = ReadSuite(*suite);
  std::unordered_set<std::string> names;
  for (YamlMap& map : top->Maps("models")) {
    Model model = ReadModel(map);
    if (const auto fault = NameFault(model.name)) map.Fail(ExitCode::kBadInput, fmt::format("model name {}", *fault));
    if (!names.insert(model.name).second) {
      map.Fail(ExitCode::kBadInput, fmt::format("model `{}` is a duplicate", model.name));
    }
    manifest.models.push_back(std::move(model));
  }
  std::vector<std::pair<int, json>> objects;
  if (!fast) {
    // Any other YAML spelling of the cases: slower, same meaning.
    for (YamlMap& map : top->Maps("cases")) objects.emplace_back(map.line(), map.ToJson());
  }
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  CaseChecker checker(path, manifest.models, files);
  ListPool<TensorType, TensorTypeHash> types;
  const auto add = [&](int line, Case&& made) {
    Case& c = manifest.cases.emplace_back(std::move(made));
    types.Share(c.inputs);
    types.Share(c.outputs);
    return checker.Check(c, line);
  };
  const auto add_object = [&](int line, const json& object) -> Expected<void> {
    try {
      return add(line, CaseOf(object));
    } catch (const json::exception& failure) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: not a case: {}", path.string(), line, failure.what()));
    }
  };
  if (fast) {
    manifest.cases.reserve(fast->lines.size());
    JsonDocument document;
    for (const auto& [line, item] : fast->lines) {
      if (std::optional<Case> c = PlainCaseOf(item, document)) {
        if (auto added = add(line, std::move(*c)); !added) return Unexpected(added.error());
        continue;
      }
      const Expected<json> object = ParseJson(item);
      if (!object) {
        return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: {}: cut off or edited by hand?", path.string(), line,
                                                          object.error().message));
      }
      if (auto added = add_object(line, *object); !added) return Unexpected(added.error());
    }
  }
  for (const auto& [line, object] : objects) {
    if (auto added = add_object(line, object); !added) return Unexpected(added.error());
  }
  return manifest;
}

std::string WriteManifest(const Manifest& manifest) {
  std::string text = fmt::format("schema: {}\n", kManifestSchema);
  if (manifest.suite) {
    text += fmt::format("suite: {{name: {}, version: {}, level: {}", Quoted(manifest.suite->name),
                        Quoted(manifest.suite->version), Quoted(manifest.suite->level));
    if (!manifest.suite->digest.empty()) text += fmt::format(", digest: {}", Quoted(manifest.suite->digest));
    text += "}\n";
  }
  text += manifest.models.empty() ? "models: []\n" : "models:\n";
  for (const Model& model : manifest.models) {
    text += fmt::format("- name: {}\n  source: {}\n  sha256: {}\n  frontend: {}\n  producer: {}\n  ops: {}\n",
                        Quoted(model.name), Quoted(model.source), Quoted(model.sha256), Quoted(model.frontend),
                        Quoted(model.producer), model.ops);
    if (!model.stage.empty()) text += fmt::format("  stage: {}\n", Quoted(model.stage));
    if (!model.entry.empty()) text += fmt::format("  entry: {}\n", Quoted(model.entry));
    if (!model.shapes.empty()) text += fmt::format("  shapes: {}\n", json(model.shapes).dump());
    if (model.split) text += fmt::format("  split: {}\n", ToText(*model.split));
    if (!model.error.empty()) text += fmt::format("  error: {}\n", Quoted(model.error));
  }
  text += manifest.cases.empty() ? "cases: []\n" : "cases:\n";
  return text + WriteCaseLines(manifest.cases);
}

}  // namespace opbyop
