#include "manifests/target.h"

#include <fmt/format.h>

#include <set>

#include "manifests/yaml.h"

namespace opbyop {
namespace {

void ReadLimits(YamlMap& map, Limits& limits) {
  limits.timeout_s = map.Number("timeout_s", limits.timeout_s);
  limits.memory_mb = map.Integer("memory_mb", limits.memory_mb);
  if (limits.timeout_s <= 0) map.Fail(ExitCode::kBadInput, "`timeout_s` must be above 0");
  if (limits.memory_mb <= 0) map.Fail(ExitCode::kBadInput, "`memory_mb` must be above 0");
}

Stage ReadStage(YamlMap& map, const Limits& defaults) {
  Stage stage;
  stage.name = map.Required("name");
  stage.pipeline = map.String("pipeline");
  stage.command = map.Strings("command");
  stage.environment = map.StringMap("environment");
  stage.produces = map.String("produces");
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

}  // namespace

std::vector<std::string> Target::StageNames() const {
  std::vector<std::string> names;
  for (const Stage& stage : stages) names.push_back(stage.name);
  names.emplace_back(kCompareStage);
  return names;
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
  target.batch = top->Integer("batch", target.batch);
  if (target.batch < 1) top->Fail(ExitCode::kBadInput, "`batch` must be at least 1");
  target.version = top->Strings("version");
  if (target.worker.empty()) top->Fail(ExitCode::kBadInput, "the key `worker` (an argv) is missing");
  if (auto device = top->Map("device")) {
    target.device.kind = device->Required("kind");
    target.device.parallel = device->Bool("parallel", false);
    device->Finish();
  } else {
    top->Fail(ExitCode::kBadInput, "the key `device` is missing");
  }
  Limits defaults;
  if (auto limits = top->Map("limits")) {
    ReadLimits(*limits, defaults);
    limits->Finish();
  }
  std::set<std::string> names;
  for (YamlMap& map : top->Maps("stages")) {
    Stage stage = ReadStage(map, defaults);
    if (!names.insert(stage.name).second) {
      map.Fail(ExitCode::kBadInput, fmt::format("stage `{}` is declared twice", stage.name));
    }
    target.stages.push_back(std::move(stage));
  }
  if (target.stages.empty()) top->Fail(ExitCode::kBadInput, "the list `stages` is missing or empty");
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  return target;
}

}  // namespace opbyop
