// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop keep-attributes MANIFEST --target T: writes the cases of a manifest with the attributes of the models that the
// target keeps. `conformance` starts it, because it has no MLIR itself.

#include <filesystem>
#include <memory>
#include <string>

#include "commands/execute.h"
#include "commands/verbs.h"
#include "generator/split/kept_attributes.h"
#include "manifests/cases/manifest.h"
#include "manifests/runs/kept_attributes.h"
#include "manifests/targets/find_target.h"

namespace opbyop::commands {

Command KeepAttributesCommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("keep-attributes", "Write cases with the attributes that a target keeps.");
  app->group("");
  struct Arguments {
    std::filesystem::path manifest;
    std::string target;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("MANIFEST", arguments->manifest, "What `split` wrote")->required();
  app->add_option("--target", arguments->target, "Name or file of the target")->required();
  return {app, [arguments] {
            const Expected<Target> target = FindTarget(arguments->target, arguments->manifest.parent_path());
            if (!target) return Report(target.error());
            const Expected<Manifest> split = LoadManifest(arguments->manifest);
            if (!split) return Report(split.error());
            const auto written =
                generator::WriteKeptCases(*split, target->keep_attributes, KeptFolder(*split, *target));
            return written ? ExitCode::kOk : Report(written.error());
          }};
}

}  // namespace opbyop::commands
