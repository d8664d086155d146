// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/targets/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "manifests/formats/yaml.h"
#include "support/text/pattern.h"

namespace opbyop {
namespace {

constexpr NumberRange<double> kTimeout = {0.001, kLongestTimeoutS};
constexpr NumberRange<int64_t> kMegabytes = {1, kMostMegabytes};
constexpr NumberRange<int64_t> kBatch = {1, 1'000'000};

void ReadLimits(YamlMap& map, Limits& limits) {
  limits.timeout_s = map.Number("timeout_s", limits.timeout_s, kTimeout);
  limits.memory_mb = map.Integer("memory_mb", limits.memory_mb, kMegabytes);
  limits.disk_mb = map.Integer("disk_mb", limits.disk_mb, kMegabytes);
}

void CheckRegex(YamlMap& map, const std::string& text) {
  constexpr size_t kLongest = 1000;  // errors quote it
  if (text.size() > kLongest) {
    map.Fail(ExitCode::kBadInput, fmt::format("a regular expression of {} characters is longer than the {} that are "
                                              "read",
                                              text.size(), kLongest));
    return;
  }
  if (const Expected<Pattern> pattern = Pattern::Compile(text); !pattern) {
    map.Fail(ExitCode::kBadInput, pattern.error().message);
  }
}

std::vector<Meaning> ReadMeanings(YamlMap& map, const std::string& key) {
  std::vector<Meaning> meanings;
  for (YamlMap& entry : map.Maps(key)) {
    Meaning meaning{entry.Required("match"), entry.String("reason")};
    CheckRegex(entry, meaning.match);
    entry.Finish();
    meanings.push_back(std::move(meaning));
  }
  return meanings;
}

std::map<int, Status> ReadExitCodes(YamlMap& map) {
  std::map<int, Status> codes;
  for (const auto& [key, word] : map.StringMap("exit_codes")) {
    const std::optional<Status> status = ParseStatus(word);
    int code = -1;
    const auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), code);
    const bool is_code = failure == std::errc() && end == key.data() + key.size() && code >= 0 && code <= 255;
    if (!status || !IsWorkerStatus(*status) || !is_code) {
      map.Fail(ExitCode::kBadInput,
               fmt::format("`exit_codes` maps codes of 0 to 255 to statuses of a stage, found {}: {}", key, word));
      continue;
    }
    codes.emplace(code, *status);
  }
  return codes;
}

Stage ReadStage(YamlMap& map, const Limits& defaults) {
  Stage stage;
  stage.name = map.Required("name");
  stage.pipeline = map.String("pipeline");
  stage.command = map.Strings("command");
  stage.environment = map.StringMap("environment");
  stage.print_flags = map.Strings("print_flags");
  stage.produces = map.String("produces");
  stage.placements = map.String("placements");
  if (!stage.placements.empty() && stage.placements != kTtnnPlacements) {
    map.Fail(ExitCode::kBadInput, fmt::format("`placements: {}` in stage `{}`: only `{}` is known", stage.placements,
                                              stage.name, kTtnnPlacements));
  }
  stage.diagnostic = map.Strings("diagnostic");
  for (const std::string& pattern : stage.diagnostic) CheckRegex(map, pattern);
  stage.unsupported = ReadMeanings(map, "unsupported");
  stage.stage_of = map.Strings("stage_of");
  for (const std::string& pattern : stage.stage_of) CheckRegex(map, pattern);
  stage.inconclusive = ReadMeanings(map, "inconclusive");
  std::ranges::move(ReadMeanings(map, "mistrusted"), std::back_inserter(stage.inconclusive));  // old name
  stage.exit_codes = ReadExitCodes(map);
  stage.limits = defaults;
  ReadLimits(map, stage.limits);
  if (!stage.pipeline.empty() && !stage.command.empty()) {
    map.Fail(ExitCode::kBadInput, fmt::format("stage `{}` has both `pipeline` and `command`", stage.name));
  }
  if (stage.name == kCompareStage || stage.name == kInputsStage) {
    map.Fail(ExitCode::kBadInput, fmt::format("stage `{}` belongs to the reference and is not declared", stage.name));
  }
  map.Finish();
  return stage;
}

// The stage that XLA's translator runs in, for a compiler that takes HLO.
Stage ToHlo(const Limits& limits) {
  return {.name = "stablehlo-to-hlo",
          .command = {"{root}/device/python/start.sh", "xla:to_hlo", "jaxlib", "{input}", "{output}"},
          .produces = "case.hlo_module.pb",
          .unsupported = {{.match = "can't be translated to XLA HLO|^UNIMPLEMENTED|Unbounded dynamism"}},
          .limits = limits};
}

bool ReadTakesHlo(YamlMap& top) {
  const std::string input = top.String("input", "stablehlo");
  if (input != "stablehlo" && input != "hlo") {
    top.Fail(ExitCode::kBadInput, fmt::format("`input` is `stablehlo` or `hlo`, found '{}'", input));
  }
  return input == "hlo";
}

CompileOnly ReadCompileOnly(YamlMap& top) {
  CompileOnly compile_only;
  auto map = top.Map("compile_only");
  if (!map) return compile_only;
  compile_only.reason = map->Required("reason");
  compile_only.unless = map->String("unless");
  compile_only.environment = map->StringMap("environment");
  if (!compile_only.unless.empty() && !compile_only.unless.starts_with('/')) {
    map->Fail(ExitCode::kBadInput, fmt::format("`unless` is the absolute path of what is there with the device, found "
                                               "'{}'",
                                               compile_only.unless));
  }
  map->Finish();
  return compile_only;
}

bool ReadKeepsHelpers(YamlMap& top) {
  const std::string helpers = top.String("helpers");
  if (!helpers.empty() && helpers != "kept" && helpers != "ended") {
    top.Fail(ExitCode::kBadInput, fmt::format("`helpers` is `kept` or `ended`, found '{}'", helpers));
  }
  return helpers == "kept";
}

std::string ReadPartitioner(YamlMap& top) {
  std::string partitioner = top.String("partitioner");
  if (!partitioner.empty() && partitioner != "gspmd" && partitioner != "shardy") {
    top.Fail(ExitCode::kBadInput, fmt::format("`partitioner` is `gspmd` or `shardy`, found '{}'", partitioner));
  }
  return partitioner;
}

TargetOption OptionOf(const nlohmann::json& value) {
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_boolean()) return value.get<bool>();
  const std::string& text = value.get_ref<const std::string&>();
  // YAML integers have been read already: a text that looks like one was in quotes.
  if (text.find('.') == std::string::npos) return text;
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc() && end == text.data() + text.size()) return number;
  return text;
}

std::map<std::string, TargetOption> ReadOptions(YamlMap& top, const std::string& key) {
  std::map<std::string, TargetOption> read;
  auto options = top.Map(key);
  if (!options) return read;
  const nlohmann::json values = options->ToJson();
  for (const auto& [name, value] : values.items()) {
    if (value.is_string() || value.is_number_integer() || value.is_boolean()) {
      read.emplace(name, OptionOf(value));
    } else {
      top.Fail(ExitCode::kBadInput, fmt::format("the option `{}` is neither a text, a number nor true or false", name));
    }
  }
  return read;
}

void ReadPlugin(YamlMap& top, Target& target) {
  target.plugin = top.String("plugin");
  target.platform = top.String("platform");
  target.topology = top.String("topology");
  target.options = ReadOptions(top, "options");
  target.topology_options = ReadOptions(top, "topology_options");
  target.compile_options = ReadOptions(top, "compile_options");
  target.dump_options = ReadOptions(top, "dump_options");
  const bool is_pjrt = target.device.kind == kPjrtDevice;
  target.preflight = top.Strings("preflight");
  if (is_pjrt && target.preflight.empty()) {
    target.preflight = {"{bin}/opbyop-pjrt-interface", "--target={file}", "--json={out}/interface.json"};
  }
  if (is_pjrt && target.plugin.empty()) {
    top.Fail(ExitCode::kBadInput, "the key `plugin` (a shared library that exports GetPjrtApi) is missing");
  }
  if (target.topology.empty() && !target.topology_options.empty()) {
    top.Fail(ExitCode::kBadInput, "`topology_options` are of a `topology`, and there is none");
  }
  const bool has_options = !target.options.empty() || !target.compile_options.empty() || !target.dump_options.empty();
  if (!is_pjrt && (!target.plugin.empty() || !target.topology.empty() || has_options)) {
    top.Fail(
        ExitCode::kBadInput,
        fmt::format("`plugin`, `topology` and the keys of options are of device kind {}, not {}; MLIR's passes and "
                    "dialects are loaded by `plugins`",
                    kPjrtDevice, target.device.kind));
  }
}

// The form of names in Debian's policy. Nothing else may get into the package manager's command line.
bool IsPackageName(std::string_view text) {
  const auto is_letter_or_digit = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && is_letter_or_digit(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter_or_digit(c) || c == '+' || c == '-' || c == '.'; });
}

}  // namespace

std::vector<std::string> Target::StageNames() const {
  std::vector<std::string> names;
  names.reserve(stages.size() + 1);
  for (const Stage& stage : stages) names.push_back(stage.name);
  names.emplace_back(kCompareStage);
  return names;
}

std::string WhyCompileOnly(const Target& target) {
  const CompileOnly& declared = target.compile_only;
  if (declared.reason.empty()) return "";
  glob_t found = {};
  const bool is_there = !declared.unless.empty() && ::glob(declared.unless.c_str(), 0, nullptr, &found) == 0;
  ::globfree(&found);
  if (is_there) return "";
  return declared.unless.empty() ? declared.reason : fmt::format("{} ({} is absent)", declared.reason, declared.unless);
}

Expected<Target> LoadTarget(const std::filesystem::path& path) {
  Expected<YamlMap> top = LoadYaml(path);
  if (!top) return Unexpected(top.error());
  top->Schema(kTargetSchema);
  Target target;
  target.path = path;
  target.name = top->Required("name");
  target.description = top->String("description");
  target.worker = top->Strings("worker");
  target.flags = top->Strings("flags");
  target.requirements = top->String("requirements");
  target.finding = top->String("finding");
  target.install = top->String("install");
  target.packages = top->Strings("packages");
  for (const std::string& package : target.packages) {
    if (IsPackageName(package)) continue;
    top->Fail(ExitCode::kBadInput, fmt::format("`packages` lists names of Debian packages, found '{}'", package));
  }
  target.environment = top->StringMap("environment");
  target.hello_timeout_s = top->Number("hello_timeout_s", 0, {0, kLongestTimeoutS});
  target.batch = top->Integer("batch", target.batch, kBatch);
  target.version = top->Strings("version");
  target.plugins = top->Strings("plugins");
  target.writable = top->Strings("writable");
  for (const std::string& folder : target.writable) {
    if (folder.starts_with('/') || folder.starts_with("{env:") || folder.starts_with("{venvs}/")) continue;
    top->Fail(ExitCode::kBadInput, fmt::format("`writable` lists absolute folders, found {}", folder));
  }
  target.keep_attributes = top->Strings("keep_attributes");
  for (const std::string& dialect : target.keep_attributes) {
    if (!dialect.empty() && dialect.find_first_of(". #!\"") == std::string::npos) continue;
    top->Fail(ExitCode::kBadInput, fmt::format("`keep_attributes` lists names of dialects, found '{}'", dialect));
  }
  target.network = top->Bool("network", false);
  target.keeps_helpers = ReadKeepsHelpers(*top);
  if (target.worker.empty()) top->Fail(ExitCode::kBadInput, "the key `worker` (an argv) is missing");
  if (auto device = top->Map("device")) {
    target.device.kind = device->Required("kind");
    target.device.parallel = device->Bool("parallel", false);
    target.device.own_inputs = device->Bool("own_inputs", false);
    target.device.worker = device->Strings("worker");
    if ((target.device.kind == kWorkerDevice) == target.device.worker.empty()) {
      device->Fail(ExitCode::kBadInput,
                   fmt::format("`worker` (an argv) is what a device of kind `{0}` has, and only one "
                               "of kind `{0}`",
                               kWorkerDevice));
    }
    target.device.recover = device->Strings("recover");
    target.device.health = device->Strings("health");
    target.device.recover_timeout_s = device->Number("recover_timeout_s", target.device.recover_timeout_s, kTimeout);
    device->Finish();
  } else {
    top->Fail(ExitCode::kBadInput, "the key `device` is missing");
  }
  target.compile_only = ReadCompileOnly(*top);
  ReadPlugin(*top, target);
  target.partitioner = ReadPartitioner(*top);
  target.arithmetic = ReadArithmetic(*top);
  target.verifies = top->Bool("verifies", true);
  Limits defaults;
  if (auto limits = top->Map("limits")) {
    ReadLimits(*limits, defaults);
    limits->Finish();
  }
  std::set<std::string> names;
  const bool takes_hlo = ReadTakesHlo(*top);
  if (takes_hlo) {
    target.stages.push_back(ToHlo(defaults));
    names.insert(target.stages.back().name);
  }
  for (YamlMap& map : top->Maps("stages")) {
    Stage stage = ReadStage(map, defaults);
    if (!names.insert(stage.name).second) {
      map.Fail(ExitCode::kBadInput, fmt::format("stage `{}` is declared twice", stage.name));
    }
    target.stages.push_back(std::move(stage));
  }
  if (takes_hlo && (target.stages.size() < 2 || target.stages[1].command.empty())) {
    top->Fail(ExitCode::kBadInput, "`input: hlo` is for a target whose first stage has a `command`");
  }
  if (target.stages.empty()) top->Fail(ExitCode::kBadInput, "the list `stages` is missing or empty");
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  return target;
}

}  // namespace opbyop
