// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/repro_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "manifests/targets/find_manifest_file.h"
#include "support/files/project_folder.h"
#include "support/text/shell_quote.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

fs::path FromAnywhere(const fs::path& path) {
  std::error_code error;
  return path.empty() ? path : fs::absolute(path, error).lexically_normal();
}

// Returns the folder without a slash at its end.
std::string Folder(const fs::path& path) { return (path.has_filename() ? path : path.parent_path()).string(); }

std::string PoliciesFromAnywhere(std::string_view list) {
  std::string names;
  for (size_t begin = 0; begin <= list.size() && !list.empty();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    names += (begin == 0 ? "" : ",") + NameFromAnywhere("policies", std::string(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  return names;
}

}  // namespace

ReproCommand::ReproCommand(const Run& run)
    : run_(run), opbyop_(CommandName("opbyop")), conformance_(CommandName("conformance")) {
  run_.manifest = FromAnywhere(run.manifest);
  run_.bundle = FromAnywhere(run.bundle);
  run_.target = NameFromAnywhere("targets", run.target);
  run_.policies = PoliciesFromAnywhere(run.policies);
  for (std::string& file : run_.meanings) file = FromAnywhere(file).string();
}

std::string ReproCommand::Of(const std::string& row, const ReproOptions& repeat) const {
  const std::string alone = PoliciesFromAnywhere(repeat.policy);
  const uint64_t seed = repeat.fresh_seed.value_or(run_.seed);
  const std::string filter = ShellQuote("*/" + row), kept = ShellQuote("out/repro/" + row);
  std::string meanings;
  for (const std::string& file : run_.meanings) meanings += " --meaning=" + ShellQuote(file);
  // A case of a bundle is executed again, not compiled.
  if (!run_.bundle.empty()) {
    std::string command = fmt::format("{} run {} --from load -o {}", opbyop_, ShellQuote(Folder(run_.bundle)), kept);
    if (run_.allow_other_version) command += " --allow-other-version";
    if (!alone.empty()) command += " --policy=" + ShellQuote(alone);
    command += fmt::format(" -- --gtest_filter={} --keep={}", filter, kept);
    // The policies of a bundle are those of its run.
    return command + meanings + (repeat.fresh_seed ? fmt::format(" --seed={}", seed) : "") + " --fresh-seed=none";
  }
  // `opbyop repro` expects a manifest of the usual name. For any other name `conformance` is run directly.
  std::string command = run_.manifest.filename() == "manifest.yaml"
                            ? fmt::format("{} repro {} --run={}", opbyop_, ShellQuote(row),
                                          ShellQuote(Folder(run_.manifest.parent_path())))
                            : fmt::format("{} --manifest={} --gtest_filter={} --keep={} --fresh-seed=none",
                                          conformance_, ShellQuote(run_.manifest.string()), filter, kept);
  command += " --target=" + ShellQuote(run_.target);
  const std::string& under = alone.empty() ? run_.policies : alone;
  if (!under.empty()) command += " --policy=" + ShellQuote(under);
  if (seed != 0) command += fmt::format(" --seed={}", seed);
  return command + meanings;
}

}  // namespace opbyop::harness
