// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which models a command line means: files, and folders that list their models in models.yaml.
//
//   std::vector<ModelSource> sources = ListModels({"fixtures/models", "extra.mlir", "bert=bert-v2.mlirbc"});
//
// A source that cannot be had (no such file, a broken models.yaml) is in the list with its error, so that the
// other models still are split.
#ifndef OPBYOP_GENERATOR_MODEL_LIST_H_
#define OPBYOP_GENERATOR_MODEL_LIST_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manifests/case.h"
#include "support/expected.h"

namespace opbyop::generator {

struct ModelSource {
  std::string name;  // over [A-Za-z0-9_], unique in the list
  std::filesystem::path file;
  std::string frontend = "unknown";
  std::string sha256;  // that models.yaml states; empty where none does
  std::optional<Error> error;

  // Of each argument, the range of integers that models.yaml states; empty where it states none.
  using Range = InputRange;
  std::vector<Range> ranges;
};

// A file is named by its stem, or by what precedes '='. A folder that a split wrote stands for its cases
// (generator/split_again.h); another holds models.yaml (schema opbyop-models/1), or else all its .mlir, .mlirbc and .bc
// files are models. A file beside a models.yaml takes its entry.
std::vector<ModelSource> ListModels(const std::vector<std::string>& arguments);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_MODEL_LIST_H_
