// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A compiled run, as a folder to be copied to the machine that executes it (docs/workflows.md).
//
//   bundle.json            this file: how the run is judged
//   manifest.yaml, cases/  the programs, for the reference
//   target/, policies/     the files that the run named, and what they name
//   artifacts/             the target's artifact of each case
//   compile/results.jsonl  how the cases compiled, where, and the sha256 of each artifact
//
//   Expected<Bundle> bundle = LoadBundle("run/bundle-host");
//   LoadTarget(bundle->folder / bundle->target_file);
#ifndef OPBYOP_MANIFESTS_RUNS_BUNDLE_H_
#define OPBYOP_MANIFESTS_RUNS_BUNDLE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "support/expected.h"

namespace opbyop {

inline constexpr std::string_view kBundleSchema = "opbyop-bundle/1";

// Names in a bundle's folder.
inline constexpr std::string_view kBundleFile = "bundle.json";
inline constexpr std::string_view kCompileFolder = "compile";  // with results.jsonl
inline constexpr std::string_view kArtifactFolder = "artifacts";

struct Bundle {
  struct PolicyFile {
    std::string given;  // on the command line: a name or a file
    std::string file;

    friend bool operator==(const PolicyFile&, const PolicyFile&) = default;
  };

  std::filesystem::path folder;  // names of files are relative to it
  std::string target;            // name
  std::string target_file;
  std::string manifest_hash;
  std::vector<PolicyFile> policies;
  uint64_t seed = 0;
  // Seed of the further draw (manifests/results/set_name.h). Empty: the run that executes the bundle chooses.
  std::string fresh_seed;
  std::string baseline;  // file, or "none"
  // ".ttnn", if the target's tools depend on it; may be empty.
  std::string artifact_suffix;
};

// kNoInput if the folder is no bundle, kUnsupported for another version, kBadInput if it is malformed, names a file
// outside of the folder, or is unfinished.
Expected<Bundle> LoadBundle(const std::filesystem::path& folder);

// True if the folder has a bundle.json, of any version and state.
bool IsBundle(const std::filesystem::path& folder);

// Returns the text of bundle.json.
std::string ToJson(const Bundle& bundle);

// Returns the text for a bundle that is still being written. LoadBundle reports it as unfinished.
std::string UnfinishedBundle();

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_BUNDLE_H_
