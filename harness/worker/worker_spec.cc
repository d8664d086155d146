// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/worker_spec.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "support/files/project_folder.h"
#include "support/machine_memory.h"
#include "support/saturated.h"
#include "support/text/placeholders.h"

namespace opbyop::harness {

const Limits& WorkerSpec::LimitsOf(std::string_view stage) const {
  const auto it = limits.find(stage);
  return it == limits.end() ? fallback : it->second;
}

bool WorkerSpec::Declares(std::string_view stage) const {
  return limits.contains(stage) || (role == "reference" && (stage == kInputsStage || stage == kCompareStage));
}

double WorkerSpec::RequestTimeoutS() const {
  double sum = 0;
  for (const auto& [stage, limit] : limits) sum += limit.timeout_s;
  // A request to the reference is one stage; a target without stages has a limit all the same.
  return limits.empty() ? fallback.timeout_s : sum;
}

WorkerSpec TargetWorkerSpec(const Target& target, const std::string& bin, const std::string& root) {
  WorkerSpec spec{.role = "target", .argv = target.worker};
  for (std::string& argument : spec.argv) {
    argument = ExpandPlaceholders(argument, {{"bin", bin}, {"root", root}, {"file", target.path.string()}});
  }
  spec.argv.insert(spec.argv.end(), target.flags.begin(), target.flags.end());
  const auto add = [&](const std::map<std::string, std::string>& environment) {
    for (const auto& [name, value] : environment) {
      spec.environment[name] = ExpandPlaceholders(value, [&](std::string_view word) {
        if (word == "root") return std::optional(root);
        return word == "venvs" ? std::optional(VenvsFolder().string()) : VariableValue(word);
      });
    }
  };
  add(target.environment);
  if (!WhyCompileOnly(target).empty()) add(target.compile_only.environment);
  for (const Stage& stage : target.stages) spec.limits[stage.name] = stage.limits;
  spec.hello_timeout_s = std::max(spec.hello_timeout_s, target.hello_timeout_s);
  spec.keeps_helpers = target.keeps_helpers;
  return spec;
}

WorkerSpec ReferenceWorkerSpec(const std::string& bin) {
  constexpr double kTimeout = 600;
  constexpr int64_t kMegabyte = 1 << 20;
  const int64_t machine_mb = MachineMemory() / kMegabyte;
  WorkerSpec spec{.role = "reference", .argv = {bin + "/opbyop-worker", "--reference"}};
  spec.fallback.timeout_s = std::max(spec.fallback.timeout_s, kTimeout);
  spec.fallback.memory_mb = std::max(spec.fallback.memory_mb, machine_mb / 4 * 3);
  return spec;
}

ExtraLimits ExtraFor(const Case& c) {
  constexpr double kOperationsPerSecond = 4e9, kBytesPerSecond = 1e8;
  constexpr int64_t kMegabyte = 1'000'000;
  const int64_t operations = MulCapped(c.flops, c.grid.processes()), bytes = c.device_bytes();
  const double seconds =
      static_cast<double>(operations) / kOperationsPerSecond + static_cast<double>(bytes) / kBytesPerSecond;
  return {.seconds = std::floor(std::min(seconds, kLongestTimeoutS)),
          .megabytes = std::min(AddCapped(c.total_bytes(), bytes), MachineMemory() / 2) / kMegabyte};
}

void WidenForModel(Limits& limits) {
  constexpr double kTime = 10;
  constexpr int64_t kMemoryMb = 16384;
  limits.timeout_s *= kTime;
  limits.memory_mb = std::max(limits.memory_mb, kMemoryMb);
}

}  // namespace opbyop::harness
