// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/setup_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/cache/run_digest.h"
#include "harness/run/run_header.h"
#include "manifests/cases/row_ranges.h"
#include "manifests/runs/run_manifest.h"
#include "manifests/targets/find_target.h"
#include "support/files/project_folder.h"

namespace opbyop::harness {

RunHeader MakeHeader(const RunSetup& setup, const StartedRun& started) {
  const auto& [hello, toolchain, settings, compile_only, filter, selected, other_version] = started;
  RunHeader header = MachineHeader();
  header.argv = setup.options.argv;
  header.target = setup.target.name;
  header.target_file = setup.target.path.string();
  header.toolchain = toolchain.version;
  if (toolchain.commit && std::getenv("OPBYOP_GIT_SHA") == nullptr) header.git_sha = *toolchain.commit;
  if (!toolchain.card.empty()) header.host["device"] = toolchain.card;
  header.properties = hello.properties;
  if (std::string declared = ToText(setup.target.arithmetic); !declared.empty()) {
    header.properties[kDeclaredArithmetic] = std::move(declared);
  }
  if (const std::string declaring = DeclaringTarget(setup.target); declaring != setup.target.name) {
    header.properties[kDeclarationsOf] = declaring;
  }
  if (setup.compiled) {
    header.toolchain = setup.compiled->header().toolchain;
    header.git_sha = setup.compiled->header().git_sha;
    header.compiled = setup.compiled->Origin();
    header.host["runtime"] = hello.version;
    if (!other_version.empty()) header.compiled[kOtherVersion] = other_version;
  }
  header.stages = setup.stages;
  header.compile_only = compile_only;
  SetManifestPath(setup.manifest.path, setup.options.out, header);
  if (setup.compiles_only()) std::tie(header.manifest, header.manifest_relative) = std::pair("../manifest.yaml", "");
  header.manifest_hash = setup.manifest.hash;
  for (const Case& c : setup.manifest.cases) header.manifest_rows += ModelsOf(c).size();
  header.shard = setup.options.shard + 1;
  header.shards = setup.options.shards;
  header.balance = setup.balance;
  header.mode = setup.manifest.is_whole() ? "whole" : "isolated";
  header.policy = NamesOf(setup.policies);
  header.seed = setup.options.seed;
  header.filter = filter;
  header.selected = selected;
  header.demands = setup.options.demands;
  header.decides = DecidingFactsOf({.manifest = &setup.manifest,
                                    .target = &setup.target,
                                    .second_target = setup.second_target ? &*setup.second_target : nullptr,
                                    .stages = setup.stages,
                                    .policies = setup.policies,
                                    .seed = setup.options.seed,
                                    .repeat = settings.repeat,
                                    .executions = settings.executions,
                                    .retries = setup.options.retries,
                                    .toolchain = header.toolchain + other_version,
                                    .devices = hello.devices,
                                    .target_worker = settings.target_worker.argv,
                                    .reference_worker = settings.reference_worker.argv,
                                    .half = setup.compiles_only() ? "compile"
                                            : setup.compiled      ? setup.compiled->header().digest
                                                                  : "",
                                    .project = ProjectFolder()});
  header.digest = DigestOf(header.decides);
  return header;
}

std::string NumbersOf(const Manifest& manifest, std::vector<const Row*> rows) {
  std::ranges::sort(rows);  // GoogleTest may have shuffled them; their addresses are in the manifest's order
  auto next = rows.begin();
  std::vector<size_t> numbers;
  size_t number = 0;
  for (const Case& c : manifest.cases) {
    for (const std::string& model : ModelsOf(c)) {
      if (next != rows.end() && (*next)->c == &c && (*next)->model == model) {
        numbers.push_back(number);
        ++next;
      }
      ++number;
    }
  }
  return numbers.size() == number ? "" : FormatRows(numbers);
}

void JoinSelection(const Manifest& manifest, const RunHeader& old, RunHeader& header) {
  const size_t count = Rows(manifest).size();
  const std::optional<std::vector<bool>> then = ParseRows(old.selected, count);
  const std::optional<std::vector<bool>> now = ParseRows(header.selected, count);
  if (old.selected.empty() || header.selected.empty() || !then || !now) {
    header.selected = header.filter = "";
    return;
  }
  std::vector<size_t> numbers;
  for (size_t i = 0; i < count; ++i) {
    if ((*then)[i] || (*now)[i]) numbers.push_back(i);
  }
  header.selected = numbers.size() == count ? "" : FormatRows(numbers);
  if (header.filter != old.filter) header.filter = fmt::format("{} and {}", old.filter, header.filter);
  if (header.selected.empty()) header.filter = "";
}

}  // namespace opbyop::harness
