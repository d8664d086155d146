// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <future>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "manifests/formats/json.h"
#include "manifests/formats/json_text.h"
#include "manifests/formats/json_view.h"
#include "manifests/formats/yaml.h"
#include "support/countable.h"
#include "support/files/file.h"
#include "support/files/sha256.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kCasesKey = "cases:";
constexpr std::string_view kItem = "- ";

// The expected end of a case that must not pass every stage.
constexpr std::string_view kRefused = "refused";

void Write(const TensorType& type, JsonText& json) {
  json.BeginObject();
  json.Member("shape", type.shape);
  json.Member("dtype", type.dtype);
  json.EndObject();
}

void Write(const PlacedAttribute& attribute, JsonText& json) {
  json.BeginObject();
  json.Member("place", attribute.place);
  json.Member("name", attribute.name);
  json.Member("value", attribute.value);
  json.EndObject();
}

void Write(const Origin& origin, JsonText& json);

template <typename T>
void WriteList(std::string_view key, const std::vector<T>& items, JsonText& json) {
  json.Key(key);
  json.BeginList();
  for (const T& item : items) Write(item, json);
  json.EndList();
}

void Write(const Origin& origin, JsonText& json) {
  json.BeginObject();
  json.Member("model", origin.model);
  json.Member("count", origin.count);
  json.Member("framework_op", origin.framework_op);
  json.Member("module_path", origin.module_path);
  json.Member("locations", origin.locations);
  if (!origin.regions.empty()) json.Member("regions", origin.regions);
  if (origin.trips != 1) json.Member("trips", origin.trips);
  if (!origin.attributes.empty()) WriteList("attributes", origin.attributes, json);
  json.EndObject();
}

void WriteRanges(const std::vector<InputRange>& ranges, JsonText& json) {
  json.Key("input_ranges");
  json.BeginList();
  for (const InputRange& range : ranges) {
    if (range) {
      json.Value(std::vector<int64_t>{range->first, range->second});
    } else {
      json.Null();
    }
  }
  json.EndList();
}

void Write(const Case& c, JsonText& json) {
  json.BeginObject();
  json.Member("id", c.id);
  json.Member("op", c.op);
  if (!c.target.empty()) json.Member("target", c.target);
  if (c.kind != OpKind::kOther) json.Member("kind", ToString(c.kind));
  json.Member("file", c.file);
  json.Member("hash", c.hash);
  WriteList("inputs", c.inputs.items(), json);
  WriteList("outputs", c.outputs.items(), json);
  json.Member("attributes", c.attributes);
  json.Member("flops", c.flops);
  json.Member("bytes", c.bytes);
  if (c.devices() != Grid()) {
    json.Key("grid");
    json.BeginObject();
    json.Member("replicas", c.devices().replicas);
    json.Member("partitions", c.devices().partitions);
    json.EndObject();
  }
  if (c.sharding) {
    json.Key("shardings");
    json.BeginObject();
    json.Member("inputs", TextsOf(c.sharding->inputs, c.sharding->partitions));
    json.Member("outputs", TextsOf(c.sharding->outputs, c.sharding->partitions));
    json.Member("by", ToString(c.sharding->source));
    json.EndObject();
  }
  if (c.processes != 1) json.Member("processes", c.processes);
  if (c.unknown) json.Member("unknown", true);
  if (c.no_runtime_input) json.Member("no_runtime_input", true);
  if (!c.elided_constants.empty()) json.Member("elided_constants", c.elided_constants);
  if (!c.input_ranges.empty()) WriteRanges(c.input_ranges, json);
  if (!c.covers.empty()) json.Member("covers", c.covers);
  if (!c.members.empty()) json.Member("members", c.members);
  if (c.breach) {
    json.Member("expect", kRefused);
    json.Key("breaks");
    json.BeginObject();
    json.Member("id", c.breach->constraint);
    json.Member("rule", c.breach->rule);
    json.Member("valid", c.breach->valid);
    json.EndObject();
  }
  WriteList("origins", c.origins, json);
  json.EndObject();
}

template <class Json>
std::vector<TensorType> TypesOf(const Json& list) {
  std::vector<TensorType> types;
  for (const auto& item : list) {
    TensorType& type = types.emplace_back();
    type.dtype = MemberAt<std::string>(item, "dtype");
    for (const auto& size : item.at("shape")) type.shape.push_back(IntegerOf<int64_t>(size, kDynamic));
  }
  return types;
}

// nullptr if the case has no breach. Throws like CaseOf.
template <class Json>
std::shared_ptr<const Breach> BreachOf(const Json& object) {
  const auto expected = FindMember(object, "expect");
  if (!expected) return nullptr;
  if (expected->template get<std::string>() != kRefused) {
    constexpr int kNotInSet = 302;  // the library's error id for a value of the wrong kind
    throw json::type_error::create(kNotInSet, fmt::format("`expect` may be `{}` only", kRefused), nullptr);
  }
  const auto& breaks = object.at("breaks");
  return std::make_shared<const Breach>(Breach{MemberAt<std::string>(breaks, "id"),
                                               MemberAt<std::string>(breaks, "rule"),
                                               MemberAt<std::string>(breaks, "valid")});
}

// The sharding of a case whose `grid` is of this many partitions; nullptr if it has none. Throws like CaseOf.
template <class Json>
std::shared_ptr<const CaseSharding> ShardingOf(const Json& object, const Case& c) {
  const auto stated = FindMember(object, "shardings");
  if (!stated) return nullptr;
  constexpr int kOutOfRange = 401;  // the library's error id for a value that does not fit
  const auto require = [](const auto& read) {
    if (!read) throw json::out_of_range::create(kOutOfRange, read.error().message, nullptr);
    return *read;
  };
  const auto texts = [&](const char* key) { return MemberAt<std::vector<std::string>>(*stated, key); };
  if (c.grid.replicas != 1 || c.grid.partitions < 2 || !c.grid.is_valid()) {
    throw json::out_of_range::create(kOutOfRange, "`shardings` need a grid of one replica of several partitions",
                                     nullptr);
  }
  const std::string by = MemberAt<std::string>(*stated, "by");
  if (by != ToString(ShardingSource::kProgram) && by != ToString(ShardingSource::kRules)) {
    throw json::out_of_range::create(kOutOfRange, fmt::format("shardings are by `program` or `rules`, not by `{}`", by),
                                     nullptr);
  }
  const int64_t partitions = c.grid.partitions;
  return std::make_shared<const CaseSharding>(CaseSharding{
      .partitions = partitions,
      .inputs = require(DivisionsOf(texts("inputs"), c.inputs.items(), partitions)),
      .outputs = require(DivisionsOf(texts("outputs"), c.outputs.items(), partitions)),
      .source = by == ToString(ShardingSource::kRules) ? ShardingSource::kRules : ShardingSource::kProgram});
}

// Reads a case from a json or a JsonView. Throws json::exception, or the view's exception, for a key that is missing or
// of another type. The caller adds the line.
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
  c.flops = IntegerOr<int64_t>(object, "flops", 0);
  c.bytes = IntegerOr<int64_t>(object, "bytes", 0);
  if (const auto grid = FindMember(object, "grid")) {
    c.grid = {IntegerAt<int64_t>(*grid, "replicas"), IntegerAt<int64_t>(*grid, "partitions")};
  }
  c.sharding = ShardingOf(object, c);
  if (c.sharding) c.grid = {};
  c.processes = IntegerOr<int64_t>(object, "processes", 1);
  c.unknown = object.value("unknown", false);
  c.no_runtime_input = object.value("no_runtime_input", false);
  for (const auto& item : ListOr(object, "elided_constants")) {
    c.elided_constants.push_back(IntegerOf<int64_t>(item));
  }
  for (const auto& item : ListOr(object, "input_ranges")) {
    c.input_ranges.push_back(
        item.is_null() ? InputRange() : InputRange({IntegerOf<int64_t>(item.at(0)), IntegerOf<int64_t>(item.at(1))}));
  }
  c.covers = object.value("covers", Texts());
  c.members = object.value("members", Texts());
  c.breach = BreachOf(object);
  for (const auto& item : object.at("origins")) {
    Origin origin;
    origin.model = MemberAt<std::string>(item, "model");
    origin.count = IntegerAt<int64_t>(item, "count");
    origin.framework_op = item.value("framework_op", "");
    origin.module_path = item.value("module_path", Texts());
    origin.locations = item.value("locations", Texts());
    origin.regions = item.value("regions", Texts());
    origin.trips = item.contains("trips") ? IntegerAt<int64_t>(item, "trips") : 1;
    for (const auto& attribute : ListOr(item, "attributes")) {
      origin.attributes.push_back({MemberAt<std::string>(attribute, "place"), MemberAt<std::string>(attribute, "name"),
                                   MemberAt<std::string>(attribute, "value")});
    }
    c.origins.push_back(std::move(origin));
  }
  return c;
}

// Reads the case of a line that WriteManifest wrote. nullopt if anything is wrong with it: the full parser then reports
// what.
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

// Values of the keys that record the flags of `opbyop split`.
constexpr std::string_view kWhole = "whole";
constexpr std::string_view kInside = "inside";
constexpr std::array kShardsWords = {std::string_view("global"), std::string_view("sharded"),
                                     std::string_view("local")};                       // by Shards
constexpr std::array kCompositeWords = {kWhole, kInside, std::string_view("inline")};  // by Composites

// True if the key is `yes`, false if it is `whole` or absent. Any other value is an error.
bool ReadChoice(YamlMap& map, const std::string& key, std::string_view yes) {
  const std::string word = map.String(key, std::string(kWhole));
  if (word != yes && word != kWhole) {
    map.Fail(ExitCode::kBadInput, fmt::format("`{}` is `{}`, expected {} or {}", key, word, kWhole, yes));
  }
  return word == yes;
}

Composites ReadComposites(YamlMap& map) {
  const std::string word = map.String("composites", std::string(kWhole));
  const auto found = std::ranges::find(kCompositeWords, word);
  if (found != kCompositeWords.end()) return static_cast<Composites>(found - kCompositeWords.begin());
  map.Fail(ExitCode::kBadInput,
           fmt::format("`composites` is `{}`, expected {}", word, fmt::join(kCompositeWords, ", ")));
  return Composites::kWhole;
}

Granularity ReadGranularity(YamlMap& map) {
  const Expected<Granularity> granularity = Granularity::Parse(map.String("granularity", Granularity().ToText()));
  if (granularity) return *granularity;
  map.Fail(ExitCode::kBadInput, granularity.error().message);
  return {};
}

// Empty for single ops: manifests of these stay as they were before there were others.
std::string GranularityText(const Granularity& granularity) {
  if (granularity.kind == Granularity::Kind::kOp) return "";
  return fmt::format("granularity: \"{}\", ", granularity.ToText());
}

// Absent for whole tensors, like the granularity of single ops.
Shards ReadShards(YamlMap& map) {
  const std::string word = map.String("shards", std::string(kShardsWords[0]));
  const auto found = std::ranges::find(kShardsWords, word);
  if (found != kShardsWords.end()) return static_cast<Shards>(found - kShardsWords.begin());
  map.Fail(ExitCode::kBadInput, fmt::format("`shards` is `{}`, expected {}", word, fmt::join(kShardsWords, ", ")));
  return Shards::kGlobal;
}

ModelSplit ReadSplit(YamlMap& map) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const ModelSplit split = {.fold_limit = map.Integer("fold_limit", 0, {std::numeric_limits<int64_t>::min(), kMost}),
                            .vary_constants = map.Bool("vary_constants", false),
                            .inside_regions = ReadChoice(map, "regions", kInside),
                            .composites = ReadComposites(map),
                            .granularity = ReadGranularity(map),
                            .shards = ReadShards(map),
                            .allow_unregistered = map.Bool("allow_unregistered", false)};
  map.Finish();
  return split;
}

std::string ToText(const ModelSplit& split) {
  return fmt::format("{{fold_limit: {}, vary_constants: {}, regions: {}, composites: {}, {}{}allow_unregistered: {}}}",
                     split.fold_limit, split.vary_constants, split.inside_regions ? kInside : kWhole,
                     kCompositeWords[static_cast<size_t>(split.composites)], GranularityText(split.granularity),
                     split.shards == Shards::kGlobal
                         ? ""
                         : fmt::format("shards: {}, ", kShardsWords[static_cast<size_t>(split.shards)]),
                     split.allow_unregistered);
}

std::string ListText(const std::vector<std::string>& texts) {
  return json(texts).dump(-1, ' ', false, json::error_handler_t::replace);
}

SuiteInfo ReadSuite(YamlMap& map) {
  const SuiteInfo suite = {.name = map.Required("name"),
                           .version = map.Required("version"),
                           .level = map.Required("level"),
                           .digest = map.String("digest")};
  map.Finish();
  return suite;
}

Conversion ReadConversion(YamlMap& map) {
  Conversion from{.source = map.Required("source"), .sha256 = map.String("sha256"), .by = map.String("by")};
  map.Finish();
  return from;
}

Model ReadModel(YamlMap& map) {
  Model model;
  model.name = map.Required("name");
  model.source = map.String("source");
  model.sha256 = map.String("sha256");
  model.frontend = map.String("frontend", "unknown");
  model.producer = map.String("producer");
  model.stage = map.String("stage");
  model.section = map.Integer("section", 0, {0, kMostOps});
  model.entry = map.String("entry");
  model.shapes = map.Strings("shapes");
  model.ops = map.Integer("ops", 0, {0, kMostOps});
  if (std::optional<YamlMap> from = map.Map("converted_from")) model.converted_from = ReadConversion(*from);
  model.not_divided = map.Strings("not_divided");
  if (std::optional<YamlMap> split = map.Map("split")) model.split = ReadSplit(*split);
  model.error = map.String("error");
  map.Finish();
  return model;
}

// Says what is wrong with the name of a case or model, which becomes the name of a test, a folder and a file.
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

// Says what is wrong with the name of a case's file, without looking at the disk.
std::optional<std::string> FileFault(const std::string& file) {
  if (file.empty() || file.find('\0') != std::string::npos) return "names no file";
  const fs::path relative(file);
  if (relative.is_absolute() || std::ranges::find(relative, "..") != relative.end()) {
    return fmt::format("names the file {}, expected a path below the manifest's folder", file);
  }
  return std::nullopt;
}

std::optional<std::string> TypesFault(std::span<const TensorType> types, std::string_view what) {
  for (size_t i = 0; i < types.size(); ++i) {
    const std::vector<int64_t>& shape = types[i].shape;
    if (IsCountable(shape)) continue;
    const auto bad = std::ranges::find_if(shape, [](int64_t size) { return size < 0 && size != kDynamic; });
    if (bad != shape.end()) return fmt::format("has {} {} with a dimension of {}", what, i, *bad);
    return fmt::format("has {} {}, whose bytes are more than 64 bits can count", what, i);
  }
  return std::nullopt;
}

// Checks each model and case of a manifest against those before it.
class Neighbours {
 public:
  std::optional<std::string> Add(const Model& model) {
    if (auto fault = FindCaseFault(model)) return fault;
    if (!models_.insert(model.name).second) return fmt::format("model `{}` is a duplicate", model.name);
    return std::nullopt;
  }

  std::optional<std::string> Add(const Case& c) {
    if (auto fault = FindCaseFault(c)) return fault;
    if (!ids_.insert(c.id).second) {
      return fmt::format("case id `{}` is a duplicate: were two manifests joined by hand?", c.id);
    }
    for (const Origin& origin : c.origins) {
      if (!models_.contains(origin.model)) {
        return fmt::format("case `{}` names the model `{}`, which the list `models` lacks", c.id, origin.model);
      }
    }
    return std::nullopt;
  }

 private:
  std::unordered_set<std::string> models_;
  std::unordered_set<std::string> ids_;
};

// Checks the files that cases name: they must be inside the manifest's folder, and no path or link may lead out of it.
class CaseFileChecker {
 public:
  CaseFileChecker(const fs::path& manifest, CaseFiles files)
      : files_(files), folder_(manifest.has_parent_path() ? manifest.parent_path() : fs::path(".")) {
    std::error_code failure;
    root_ = fs::canonical(folder_, failure);
  }

  // Says what is wrong with a file. Needs one system call for a plain file.
  std::optional<std::string> Fault(const std::string& file) {
    std::error_code failure;
    const fs::path path = folder_ / file;
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

  // Most files are in one folder.
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

// Checks one case and its files, and compares it with the cases before it.
class CaseChecker {
 public:
  CaseChecker(const std::filesystem::path& path, Neighbours neighbours, CaseFiles files)
      : path_(path), neighbours_(std::move(neighbours)), files_(files), checker_(path, files) {}

  Expected<void> Check(const Case& c, int line) {
    std::optional<std::string> fault = neighbours_.Add(c);
    if (!fault) fault = FindFileFault(c);
    if (!fault) return {};
    return MakeError(ExitCode::kBadInput, fmt::format("{}:{}: {}", path_.string(), line, *fault));
  }

 private:
  std::optional<std::string> FindFileFault(const Case& c) {
    if (files_ == CaseFiles::kElsewhere) return std::nullopt;
    std::optional<std::string> fault = checker_.Fault(c.file);
    if (!fault && c.breach) fault = checker_.Fault(c.breach->valid);
    return fault ? std::optional(fmt::format("case `{}` {}", c.id, *fault)) : std::nullopt;
  }

  std::filesystem::path path_;
  Neighbours neighbours_;
  CaseFiles files_;
  CaseFileChecker checker_;
};

// Splits off the `cases:` section if each line holds one JSON object. nullopt if it has another form.
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

// Writes the lines of `cases` on as many threads as are worth it; the lines are independent.
std::string WriteCaseLines(std::span<const Case> cases) {
  constexpr size_t kWorthAThread = 256;
  const size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const size_t threads = std::clamp<size_t>(cases.size() / kWorthAThread, 1, cores);
  const size_t share = (cases.size() + threads - 1) / threads;
  const auto lines = [&](size_t part) {
    std::string text;
    JsonText json;
    const size_t begin = std::min(part * share, cases.size());
    for (const Case& c : cases.subspan(begin, std::min(share, cases.size() - begin))) {
      text += kItem;
      Write(c, json);
      text += json.Take();
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

std::optional<std::string> FindCaseFault(const Model& model) {
  if (const auto fault = NameFault(model.name)) return fmt::format("model name {}", *fault);
  if (model.ops < 0 || model.ops > kMostOps) {
    return fmt::format("model `{}` has {} ops, expected 0 to {}", model.name, model.ops, kMostOps);
  }
  return std::nullopt;
}

std::optional<std::string> FindCaseFault(const Case& c) {
  if (const auto fault = NameFault(c.id)) return fmt::format("case id {}", *fault);
  const auto bad = [&](const std::string& what) { return fmt::format("case `{}` {}", c.id, what); };
  for (const std::string* file : {&c.file, c.breach ? &c.breach->valid : &c.file}) {
    if (const auto fault = FileFault(*file)) return bad(*fault);
  }
  if (auto fault = TypesFault(c.inputs.items(), "input")) return bad(*fault);
  if (auto fault = TypesFault(c.outputs.items(), "output")) return bad(*fault);
  if (c.flops < 0 || c.bytes < 0) return bad(fmt::format("has {} flops and {} bytes", c.flops, c.bytes));
  if (!c.grid.is_valid()) {
    return bad(fmt::format("has a grid of {} replicas and {} partitions, expected 1 to {} processes", c.grid.replicas,
                           c.grid.partitions, Grid::kMostProcesses));
  }
  if (c.sharding && (c.grid != Grid() || c.sharding->inputs.size() != c.inputs.size() ||
                     c.sharding->outputs.size() != c.outputs.size())) {
    return bad("has shardings of other tensors than its inputs and outputs");
  }
  if (c.processes < 1) return bad(fmt::format("names {} processes", c.processes));
  if (c.origins.empty()) return bad("has no origin");
  for (const Origin& origin : c.origins) {
    if (const auto fault = NameFault(origin.model)) return bad(fmt::format("has an origin whose model {}", *fault));
    if (origin.count < 0 || origin.count > kMostOps) {
      return bad(fmt::format("stands for {} ops of `{}`, expected 0 to {}", origin.count, origin.model, kMostOps));
    }
    if (origin.trips < 0 || origin.trips > kMostOps) {
      return bad(fmt::format("has an origin with {} trips, expected 0 to {}", origin.trips, kMostOps));
    }
  }
  for (const int64_t index : c.elided_constants) {
    if (index < 0 || index >= static_cast<int64_t>(c.inputs.size())) {
      return bad(fmt::format("has no input {}, which `elided_constants` names", index));
    }
  }
  for (const InputRange& range : c.input_ranges) {
    if (range && range->first > range->second) {
      return bad(fmt::format("has an input of {} to {}, which is empty", range->first, range->second));
    }
  }
  return std::nullopt;
}

Expected<void> CheckManifest(const Manifest& manifest) {
  const auto bad = [&](const std::string& what) {
    return MakeError(ExitCode::kBadInput, fmt::format("{} cannot be a manifest: {}", manifest.path.string(), what));
  };
  if (const auto& suite = manifest.suite;
      suite && (suite->name.empty() || suite->version.empty() || suite->level.empty())) {
    return bad("its suite has no name, version or level");
  }
  Neighbours neighbours;
  for (const Model& model : manifest.models) {
    if (const auto fault = neighbours.Add(model)) return bad(*fault);
  }
  for (const Case& c : manifest.cases) {
    if (const auto fault = neighbours.Add(c)) return bad(*fault);
  }
  return {};
}

bool Manifest::is_whole() const { return !cases.empty() && std::ranges::all_of(cases, &Case::is_whole_model); }

bool Manifest::has_models() const { return std::ranges::any_of(cases, &Case::is_judged_as_model); }

std::string RowName(const Row& row) { return row.model + "__" + row.c->id; }

std::vector<Row> Rows(const Manifest& manifest) {
  std::vector<Row> rows;
  for (const Case& c : manifest.cases) {
    for (std::string& model : ModelsOf(c)) rows.push_back({&c, std::move(model)});
  }
  return rows;
}

Expected<Manifest> LoadManifest(const std::filesystem::path& path, CaseFiles files, const Manifest* known) {
  const Expected<std::string> text = ReadFile(path);
  std::error_code unknown;
  if (!text && !std::filesystem::exists(path, unknown)) {
    return MakeError(text.error().code, fmt::format("{}; `opbyop split MODEL -o {}` writes it", text.error().message,
                                                    path.has_parent_path() ? path.parent_path().string() : "."));
  }
  if (!text) return Unexpected(text.error());
  Manifest manifest;
  manifest.path = path;
  manifest.hash = Sha256Hex(*text);
  const std::optional<CaseLines> fast = FindCaseLines(*text);
  if (known && fast && known->hash == manifest.hash && known->cases.size() == fast->lines.size()) {
    manifest = *known;
    manifest.path = path;
    Neighbours neighbours;
    for (const Model& model : manifest.models) (void)neighbours.Add(model);
    CaseChecker checker(path, std::move(neighbours), files);
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
  Neighbours neighbours;
  for (YamlMap& map : top->Maps("models")) {
    Model model = ReadModel(map);
    if (const auto fault = neighbours.Add(model)) map.Fail(ExitCode::kBadInput, *fault);
    manifest.models.push_back(std::move(model));
  }
  std::vector<std::pair<int, json>> objects;
  if (!fast) {
    // Read any other YAML form of the cases: slower, but with the same meaning.
    for (YamlMap& map : top->Maps("cases")) objects.emplace_back(map.line(), map.ToJson());
  }
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  CaseChecker checker(path, std::move(neighbours), files);
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
    if (model.section != 0) text += fmt::format("  section: {}\n", model.section);
    if (!model.entry.empty()) text += fmt::format("  entry: {}\n", Quoted(model.entry));
    if (!model.shapes.empty()) text += fmt::format("  shapes: {}\n", ListText(model.shapes));
    if (!model.not_divided.empty()) text += fmt::format("  not_divided: {}\n", ListText(model.not_divided));
    if (const auto& from = model.converted_from) {
      text += fmt::format("  converted_from: {{source: {}, sha256: {}, by: {}}}\n", Quoted(from->source),
                          Quoted(from->sha256), Quoted(from->by));
    }
    if (model.split) text += fmt::format("  split: {}\n", ToText(*model.split));
    if (!model.error.empty()) text += fmt::format("  error: {}\n", Quoted(model.error));
  }
  text += manifest.cases.empty() ? "cases: []\n" : "cases:\n";
  return text + WriteCaseLines(manifest.cases);
}

}  // namespace opbyop
