// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A compiled run, as a folder to be copied to the machine that executes it (docs/workflows.md).
//
//   bundle.json            this file: what the run was to be judged by
//   manifest.yaml, cases/  the programs, for the reference
//   target/, policies/     the files that the run named, and what they name
//   artifacts/             what the target made of each case
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

  std::filesystem::path folder;  // the names of files are relative to it
  std::string target;            // name
  std::string target_file;
  std::string manifest_hash;
  std::vector<PolicyFile> policies;
  uint64_t seed = 0;
  std::string fresh_seed;       // of whoever executes it (manifests/results/set_name.h); empty: as that one chooses
  std::string baseline;         // file, or "none"
  std::string artifact_suffix;  // ".ttnn", where the target's tools read what it says; may be empty
};

// kNoInput where the folder is no bundle, kUnsupported for another version of one, kBadInput for what is malformed,
// names a file outside of the folder, or was not finished.
Expected<Bundle> LoadBundle(const std::filesystem::path& folder);

// True where the folder has a bundle.json, of whatever version and state.
bool IsBundle(const std::filesystem::path& folder);

// The text of bundle.json.
std::string ToJson(const Bundle& bundle);

// The text of a bundle that is being written, of which LoadBundle says that it is not finished.
std::string UnfinishedBundle();

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_BUNDLE_H_
