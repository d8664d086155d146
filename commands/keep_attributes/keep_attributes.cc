// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop keep-attributes MANIFEST --target T: writes the cases of a manifest with the attributes of the models that the
// target keeps. `conformance` starts it, because it has no MLIR itself.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/execute.h"
#include "generator/split/kept_attributes.h"
#include "manifests/cases/manifest.h"
#include "manifests/runs/kept_attributes.h"
#include "manifests/targets/find_target.h"
#include "reference/inputs/captured.h"

namespace opbyop::commands {
namespace {

namespace fs = std::filesystem;

// Makes the captured operands of each case (`opbyop capture`) those of its cases with attributes too.
Expected<void> LinkCaptured(const Manifest& split, const std::vector<std::string>& dialects, const fs::path& folder) {
  const auto captured = reference::CapturedIndex::Load(split.path.parent_path());
  if (!captured) return Unexpected(captured.error());
  auto kept = reference::CapturedIndex::Load(folder);
  if (!kept) return Unexpected(kept.error());
  bool changed = false;
  for (const generator::KeptCase& c : generator::KeptCases(split, dialects)) {
    const Expected<bool> adopted = kept->Adopt(c.c.id, *captured, c.plain->id);
    if (!adopted) return Unexpected(adopted.error());
    changed |= *adopted;
  }
  return changed ? kept->Save() : Expected<void>();
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("keep-attributes", "Write cases with the attributes that a target keeps.");
  app->group("");
  struct Arguments {
    std::filesystem::path manifest;
    std::string target;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("MANIFEST", arguments->manifest, "What `split` wrote")->required();
  app->add_option("--target", arguments->target, "Name or file of the target")->required();
  return InReadingChild(
      {app, [arguments] {
         const Expected<Target> target = FindTarget(arguments->target, arguments->manifest.parent_path());
         if (!target) return Report(target.error());
         const Expected<Manifest> split = LoadManifest(arguments->manifest);
         if (!split) return Report(split.error());
         const auto written = generator::WriteKeptCases(*split, target->keep_attributes, KeptFolder(*split, *target));
         if (!written) return Report(written.error());
         const Expected<void> linked = LinkCaptured(*split, target->keep_attributes, written->parent_path());
         return linked ? ExitCode::kOk : Report(linked.error());
       }});
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
