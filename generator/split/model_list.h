// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which models a command line means: files, and folders that list their models in models.yaml.
//
//   std::vector<ModelSource> sources = ListModels({"fixtures/models", "extra.mlir", "bert=bert-v2.mlirbc"});
//
// A source that cannot be had (no such file, a broken models.yaml) is in the list with its error, so that the
// other models still are split.
#ifndef OPBYOP_GENERATOR_SPLIT_MODEL_LIST_H_
#define OPBYOP_GENERATOR_SPLIT_MODEL_LIST_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manifests/cases/case.h"
#include "support/expected.h"

namespace opbyop::generator {

struct ModelSource {
  std::string name;  // over [A-Za-z0-9_], unique in the list
  std::filesystem::path file;
  std::string frontend = "unknown";
  std::string sha256;  // that models.yaml states; empty where none does
  std::optional<Error> error;

  // The range of integers that models.yaml states for each argument. Empty if it states none.
  using Range = InputRange;
  std::vector<Range> ranges;

  int64_t section = 0;  // of a file of several programs, from 1; 0: the file is one
};

// A file is named by its stem, or by what precedes '='. A folder that a split wrote stands for its cases
// (generator/split/split_again.h); another holds models.yaml (schema opbyop-models/1), or else all its .mlir, .mlirbc
// and .bc files are models. A file beside a models.yaml takes its entry.
std::vector<ModelSource> ListModels(const std::vector<std::string>& arguments);

// Each file of several programs as so many models, "tests_2" of the second one in tests.mlir. Empty ones are left out.
std::vector<ModelSource> EachSection(const std::vector<ModelSource>& sources);

// The program of `bytes` that the section is; `bytes` themselves where it is 0.
std::string TextOfSection(std::string bytes, int64_t section);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_MODEL_LIST_H_
