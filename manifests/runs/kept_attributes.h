// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a manifest has attributes that a target keeps (`keep_attributes`), and where its cases with them are.
//
//   if (KeepsAny(split, target.keep_attributes)) manifest = LoadManifest(KeptFolder(split, target) / "manifest.yaml");
#ifndef OPBYOP_MANIFESTS_RUNS_KEPT_ATTRIBUTES_H_
#define OPBYOP_MANIFESTS_RUNS_KEPT_ATTRIBUTES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "manifests/cases/manifest.h"
#include "manifests/targets/target.h"

namespace opbyop {

// Whether the attribute is of one of these dialects.
bool IsKept(const PlacedAttribute& attribute, const std::vector<std::string>& dialects);

// Whether any case has attributes of these dialects. The IR of a stage has them in its programs, and keeps none.
bool KeepsAny(const Manifest& split, const std::vector<std::string>& dialects);

// The folder of a target's cases inside the folder of the split: `kept-tenstorrent`.
std::filesystem::path KeptFolder(const Manifest& split, const Target& target);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_RUNS_KEPT_ATTRIBUTES_H_
