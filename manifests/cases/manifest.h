// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// manifest.yaml: the models that were split and the cases found in them.
//
//   Expected<Manifest> manifest = LoadManifest("out/nightly/manifest.yaml");
//   for (const Row& row : Rows(*manifest)) Run(row);
//
// The format is `opbyop-manifest/1`: YAML whose `cases:` list holds one JSON object per line (JSON is valid YAML). So
// 100,000 cases load in less than two seconds, and the small sections stay readable.
#ifndef OPBYOP_MANIFESTS_CASES_MANIFEST_H_
#define OPBYOP_MANIFESTS_CASES_MANIFEST_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/cases/granularity.h"
#include "support/expected.h"

namespace opbyop {

inline constexpr std::string_view kManifestSchema = "opbyop-manifest/1";

// The longest name of a model and the longest id of a case, because both are parts of file names.
inline constexpr size_t kLongestName = 200;

// The most ops of a model, so that the sum over many models fits into 64 bits.
inline constexpr int64_t kMostOps = int64_t{1} << 53;

// A FileLock next to the manifest: a process that writes the folder locks it exclusively, those that run its cases
// share it.
inline constexpr std::string_view kSplitLock = ".split.lock";

// The ops of a composite's decomposition: not cases, cases in addition to the composite, or cases in its place.
enum class Composites { kWhole, kInside, kInline };

// The ops of a model that is divided over a mesh: on whole tensors; on whole tensors with the shardings that they have in
// the model; or on one device's parts, without the collectives between devices.
enum class Shards { kGlobal, kSharded, kLocal };

// The options of `opbyop split` that made a model's cases, except for the entry function and the shapes, which are in
// Model. Commands that run the model op by op use them to make the same cases.
struct ModelSplit {
  int64_t fold_limit = 0;       // bytes of the largest constant that is folded into its op
  bool vary_constants = false;  // constants of an op without other operands become arguments
  bool inside_regions = false;  // the ops in the bodies of control flow become cases too
  Composites composites = Composites::kWhole;
  Granularity granularity;  // of the cases beside those of single ops
  Shards shards = Shards::kGlobal;
  bool allow_unregistered = false;  // ops of unknown dialects are accepted in generic form

  bool operator==(const ModelSplit&) const = default;
};

// The program of another format that a model's source was made of.
struct Conversion {
  std::string source;  // path as given to the splitter
  std::string sha256;
  std::string by;  // "hlo-to-stablehlo, jaxlib 0.10.2"

  bool operator==(const Conversion&) const = default;
};

struct Model {
  std::string name;
  std::string source;    // path as given to the splitter, or in its output if the program was converted
  std::string sha256;    // of the source file
  std::string frontend;  // "jax", "torch-xla", ... or "unknown"
  std::string producer;  // "StableHLO_v1.15.0" of an artifact; empty for text
  // "host/stablehlo-to-linalg" if that target's IR was split; empty: the model itself.
  std::string stage;
  int64_t section = 0;              // number of the program in a file of several, from 1; 0: the file has one
  std::string entry;                // the function that was split; empty: main
  std::vector<std::string> shapes;  // of its arguments, as asked for on the command line: "x=4x8xf32"
  int64_t ops = 0;                  // ops reachable from @main, every call site counted, without constants
  std::optional<Conversion> converted_from;
  // Shardings of the program that no case has, so that devices have whole tensors or dimensions instead: which value, and
  // why. "argument 0 of @main: dimension 1 of size 10 does not divide into 4 equal parts"
  std::vector<std::string> not_divided;
  std::optional<ModelSplit> split;  // nullopt: the manifest was written before this field existed
  std::string error;                // why it could not be split; such a model has no cases and makes the run red
};

// The suite that the cases belong to. Two runs are comparable if name, version and level are equal.
struct SuiteInfo {
  std::string name;     // "stablehlo"
  std::string version;  // "1.0"
  std::string level;    // "smoke", "full", "refused"
  // Sha256 over the ids and hashes of its cases; empty: it was written before this field existed.
  std::string digest;

  bool operator==(const SuiteInfo&) const = default;
};

struct Manifest {
  std::filesystem::path path;      // of the file itself; case files are relative to its folder
  std::string hash;                // sha256 of the file's bytes
  std::optional<SuiteInfo> suite;  // nullopt: the cases come from models
  std::vector<Model> models;
  std::vector<Case> cases;

  // True if its cases are whole models, as `opbyop run --mode=whole` runs them.
  bool is_whole() const;

  // True if a case is a whole model or a part of one that needs as much time (Case::is_judged_as_model).
  bool has_models() const;
};

struct Row {
  const Case* c;
  std::string model;
};

// Returns case id and model as one GoogleTest name: "<model>__<case id>".
std::string RowName(const Row& row);

// Returns every (case, model) in manifest order. The rows point into `manifest`.
std::vector<Row> Rows(const Manifest& manifest);

// The state of the case files. kNeeded: the caller runs the cases. kMayBeGone: the caller reports on a run whose
// programs may be missing. kElsewhere: the files are not where the manifest says, so they are not looked for.
enum class CaseFiles { kNeeded, kMayBeGone, kElsewhere };

// Reads and checks: schema version, ids well-formed and unique, models known, numbers in range, case files present and
// inside the manifest's folder. Errors name file and line. kUnsupported for an unknown schema version, kBadInput
// otherwise. If `known` was read from the same bytes, its cases are used and only their files are checked: runs of
// several targets often share one manifest.
Expected<Manifest> LoadManifest(const std::filesystem::path& path, CaseFiles files = CaseFiles::kNeeded,
                                const Manifest* known = nullptr);

// Returns the reason for which LoadManifest would refuse this model or case, for example "case id `a-b` has characters
// outside [A-Za-z0-9_]", or nullopt. Writers call it, so that what they write can be read.
std::optional<std::string> FindCaseFault(const Model& model);
std::optional<std::string> FindCaseFault(const Case& c);

// Checks a whole manifest, including that names are unique and models known. kBadInput.
Expected<void> CheckManifest(const Manifest& manifest);

// Returns the text of the file. It is deterministic. The manifest must pass CheckManifest().
std::string WriteManifest(const Manifest& manifest);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_MANIFEST_H_
