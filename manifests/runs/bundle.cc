// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "manifests/formats/json.h"
#include "manifests/results/set_name.h"
#include "support/files/file.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

// True if the file is below the bundle's folder and its name contains no `..`.
bool StaysInside(const fs::path& file) {
  return !file.empty() && file.is_relative() && std::ranges::find(file, fs::path("..")) == file.end();
}

bool IsSuffix(std::string_view text) {
  constexpr size_t kLongest = 32;
  return text.size() <= kLongest && text.find_first_not_of(
                                        "._-0123456789abcdefghijklmnopqrstuvwxyz"
                                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

// Says what is wrong with the bundle; empty if nothing is.
std::string FindBundleFault(const Bundle& bundle) {
  std::vector<std::string> files = {bundle.target_file};
  for (const Bundle::PolicyFile& policy : bundle.policies) files.push_back(policy.file);
  if (bundle.baseline != "none") files.push_back(bundle.baseline);
  for (const std::string& file : files) {
    if (!StaysInside(file)) return fmt::format("'{}' is no file in its folder", file);
  }
  if (bundle.policies.empty()) return "it has no policies";
  if (!IsSuffix(bundle.artifact_suffix)) return fmt::format("'{}' is no suffix", bundle.artifact_suffix);
  return "";
}

}  // namespace

bool IsBundle(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kBundleFile, error);
}

std::string ToJson(const Bundle& bundle) {
  ordered_json policies = ordered_json::array();
  for (const Bundle::PolicyFile& policy : bundle.policies) {
    policies.push_back({{"given", policy.given}, {"file", policy.file}});
  }
  ordered_json object = {{"schema", kBundleSchema},           {"target", bundle.target},
                         {"target_file", bundle.target_file}, {"manifest_hash", bundle.manifest_hash},
                         {"policies", std::move(policies)},   {"seed", bundle.seed},
                         {"baseline", bundle.baseline},       {"artifact_suffix", bundle.artifact_suffix}};
  if (!bundle.fresh_seed.empty()) object["fresh_seed"] = bundle.fresh_seed;
  return object.dump(2) + "\n";
}

std::string UnfinishedBundle() {
  return ordered_json({{"schema", kBundleSchema}, {"unfinished", true}}).dump(2) + "\n";
}

Expected<Bundle> LoadBundle(const fs::path& folder) {
  const fs::path file = folder / kBundleFile;
  if (!IsBundle(folder)) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("{}: no bundle, it has no {}; `opbyop run DIR --target T --until compile` makes one",
                                 folder.string(), kBundleFile));
  }
  const Expected<std::string> text = ReadFile(file, 1 << 20);
  if (!text) return Unexpected(text.error());
  const json object = ParseJson(*text).value_or(json());
  const auto bad = [&](std::string_view why) {
    return MakeError(ExitCode::kBadInput, fmt::format("{}: {}; compile the bundle again", file.string(), why));
  };
  if (!object.is_object()) return bad("not a JSON object");
  try {
    const std::string schema = object.at("schema");
    if (schema != kBundleSchema) {
      return MakeError(ExitCode::kUnsupported,
                       fmt::format("{}: schema {} is not read by this version, which reads {}; compile and execute "
                                   "with the same version of opbyop",
                                   file.string(), schema, kBundleSchema));
    }
    if (object.value("unfinished", false)) {
      return MakeError(
          ExitCode::kBadInput,
          fmt::format("{}: the bundle is not finished: repeat the command that was compiling it, which resumes it",
                      file.string()));
    }
    Bundle bundle;
    bundle.folder = folder;
    bundle.target = object.at("target");
    bundle.target_file = object.at("target_file");
    bundle.manifest_hash = object.at("manifest_hash");
    for (const json& item : object.at("policies")) bundle.policies.push_back({item.at("given"), item.at("file")});
    bundle.seed = IntegerOr(object, "seed", uint64_t{0});
    bundle.fresh_seed = object.value("fresh_seed", "");
    if (std::optional<uint64_t> seed; !bundle.fresh_seed.empty() && !ParseFreshSeed(bundle.fresh_seed, seed)) {
      return bad(fmt::format("fresh_seed `{}` is neither a seed nor `none`", bundle.fresh_seed));
    }
    bundle.baseline = object.at("baseline");
    bundle.artifact_suffix = object.at("artifact_suffix");
    if (const std::string fault = FindBundleFault(bundle); !fault.empty()) return bad(fault);
    return bundle;
  } catch (const json::exception& error) {
    return bad(error.what());
  }
}

}  // namespace opbyop
