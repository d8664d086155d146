// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/target_facts.h"

#include <nlohmann/json.hpp>

#include "harness/worker/worker_spec.h"
#include "manifests/runs/private_text.h"
#include "manifests/targets/find_target.h"
#include "support/files/project_folder.h"

namespace opbyop::commands {

Expected<std::string> TargetFacts(const std::string& name, const std::filesystem::path& folder) {
  const Expected<Target> target = FindTarget(name, folder);
  if (!target) return Unexpected(target.error());
  const std::string bin = ProgramFolder().string(), root = ProjectFolder().string();
  const harness::WorkerSpec spec = harness::TargetWorkerSpec(*target, bin, root);
  const PrivateValues hidden = PrivateValues::OfThisProgram(VariablesNamedBy(target->path));
  const auto shown = [&](std::vector<std::string> words) {
    for (std::string& word : words) hidden.HideIn(word);
    return words;
  };
  const nlohmann::json facts = {{"name", target->name},
                                {"file", target->path.string()},
                                {"given", name},
                                {"kind", target->device.kind},
                                {"finding", target->finding},
                                {"flags", shown(target->flags)},
                                {"worker", shown(spec.argv)},
                                {"environment", spec.environment},
                                {"requirements", target->requirements},
                                {"plugin", target->plugin},
                                {"topology", target->topology},
                                {"bin", bin},
                                {"root", root}};
  return facts.dump();
}

}  // namespace opbyop::commands
