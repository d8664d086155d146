// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// manifest.yaml: the models that were split and the cases found in them.
//
//   Expected<Manifest> manifest = LoadManifest("out/nightly/manifest.yaml");
//   for (const Row& row : Rows(*manifest)) Run(row);
//
// Form `opbyop-manifest/1`: YAML whose `cases:` list holds one JSON object a line (JSON is valid YAML), so
// that 100,000 cases load in under two seconds while small sections stay readable.
#ifndef OPBYOP_MANIFESTS_CASES_MANIFEST_H_
#define OPBYOP_MANIFESTS_CASES_MANIFEST_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/cases/case.h"
#include "support/expected.h"

namespace opbyop {

inline constexpr std::string_view kManifestSchema = "opbyop-manifest/1";

// The most characters of a model's name and of a case's id, because both are parts of file names.
inline constexpr size_t kLongestName = 200;

// The most ops of a model, so that the sum over many models fits into 64 bits.
inline constexpr int64_t kMostOps = int64_t{1} << 53;

// Beside the manifest, a FileLock: who writes the folder holds it alone, those who run its cases share it.
inline constexpr std::string_view kSplitLock = ".split.lock";

// How a model was made into cases: what `opbyop split` was asked for besides the entry function and the shapes, which
// stand beside it. Whoever runs the model again op by op makes the same cases with it.
struct ModelSplit {
  int64_t fold_limit = 0;           // bytes of the largest constant that is folded into its op
  bool vary_constants = false;      // an op of nothing but constants takes them as arguments
  bool inside_regions = false;      // the ops in the bodies of control flow are cases too
  bool inline_composites = false;   // the ops of a decomposition stand for the composite
  bool allow_unregistered = false;  // of dialects that are not known, in generic form

  bool operator==(const ModelSplit&) const = default;
};

struct Model {
  std::string name;
  std::string source;    // path as given to the splitter
  std::string sha256;    // of the source file
  std::string frontend;  // "jax", "torch-xla", ... or "unknown"
  std::string producer;  // "StableHLO_v1.15.0" of an artifact; empty for text
  std::string stage;     // "host/stablehlo-to-linalg" where that target's IR was split; empty: the model itself
  int64_t section = 0;   // of a file of several programs, from 1; 0: the file is one
  std::string entry;     // function that was split; empty: main
  std::vector<std::string> shapes;  // of its arguments, as asked for on the command line: "x=4x8xf32"
  int64_t ops = 0;                  // ops reached from @main, every call site followed, constants not counted
  std::optional<ModelSplit> split;  // nullopt: the manifest was written before it was recorded
  std::string error;                // why it could not be split; such a model has no cases and makes the run red
};

// The suite whose cases these are: two runs are comparable where name, version and level are equal.
struct SuiteInfo {
  std::string name;     // "stablehlo"
  std::string version;  // "1.0"
  std::string level;    // "smoke", "full", "refused"
  std::string digest;   // sha256 over the ids and hashes of its cases; empty: it was written before there was one

  bool operator==(const SuiteInfo&) const = default;
};

struct Manifest {
  std::filesystem::path path;      // of the file itself; case files are relative to its folder
  std::string hash;                // sha256 of the file's bytes
  std::optional<SuiteInfo> suite;  // nullopt: the cases are those of models
  std::vector<Model> models;
  std::vector<Case> cases;

  // Its cases are whole models: what `opbyop run --mode=whole` runs.
  bool is_whole() const;
};

struct Row {
  const Case* c;
  std::string model;
};

// Case id and model as one GoogleTest name: "<model>__<case id>".
std::string RowName(const Row& row);

// Every (case, model), in manifest order. Pointers into `manifest`.
std::vector<Row> Rows(const Manifest& manifest);

// Whether who reads a manifest runs its cases, tells of a run whose programs may have been left behind, or does not
// have the cases where the manifest names them, so that nobody looks there.
enum class CaseFiles { kNeeded, kMayBeGone, kElsewhere };

// Reads and checks: schema version, ids well-formed and unique, models known, numbers in their range, case files
// present and inside the manifest's folder. Errors name file and line. kUnsupported for an unknown schema version,
// kBadInput otherwise. Where `known` was read from the same bytes, its cases are taken and checked at their place: runs
// of several targets have one manifest.
Expected<Manifest> LoadManifest(const std::filesystem::path& path, CaseFiles files = CaseFiles::kNeeded,
                                const Manifest* known = nullptr);

// What LoadManifest refuses of a model, or of a case, whatever stands beside it and on the disk; nullopt: nothing.
// `case id `a-b` has characters outside [A-Za-z0-9_]`. Whoever makes one asks, so that what is written is read.
std::optional<std::string> FaultOf(const Model& model);
std::optional<std::string> FaultOf(const Case& c);

// The same of a whole manifest, with what its parts must be to each other: names given once, models known. kBadInput.
Expected<void> CheckManifest(const Manifest& manifest);

// The text of the file; deterministic. For a manifest that CheckManifest() accepts.
std::string WriteManifest(const Manifest& manifest);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_MANIFEST_H_
