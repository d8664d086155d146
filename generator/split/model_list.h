// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the models that a command line names: files, and folders that list their models in models.yaml.
//
//   std::vector<ModelSource> sources = ListModels({"fixtures/models", "extra.mlir", "bert=bert-v2.mlirbc"});
//
// A source that cannot be used (no such file, an invalid models.yaml) is listed with its error, so that the other
// models are still split.
#ifndef OPBYOP_GENERATOR_SPLIT_MODEL_LIST_H_
#define OPBYOP_GENERATOR_SPLIT_MODEL_LIST_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manifests/cases/case.h"
#include "manifests/cases/manifest.h"
#include "support/expected.h"

namespace opbyop::generator {

struct ModelSource {
  std::string name;  // over [A-Za-z0-9_], unique in the list
  std::filesystem::path file;
  std::string frontend = "unknown";
  std::string sha256;  // the checksum in models.yaml; empty if it has none
  std::optional<Error> error;

  // The range of integers that models.yaml states for each argument. Empty if it states none.
  using Range = InputRange;
  std::vector<Range> ranges;

  // If the program is in another format: where it came from, once it is converted and `file` is the result.
  std::optional<Conversion> converted_from;

  int64_t section = 0;  // number of the program in a file of several, from 1; 0: the file is one program
};

// A file is named by its stem, or by the text before '='. A folder that a split wrote stands for its cases
// (generator/split/split_again.h). Another folder has a models.yaml (schema opbyop-models/1); without one, all its
// .mlir, .mlirbc and .bc files and XLA's dumps of HLO (ir/hlo/hlo_file.h) are models, and a folder that torch_xla's save()
// wrote is one model. A file next to a
// models.yaml uses its entry there. `-` is the standard input, as the model `stdin`.
std::vector<ModelSource> ListModels(const std::vector<std::string>& arguments);

// Lists each program of a file of several as a model: "tests_2" is the second one in tests.mlir. Empty ones are left
// out.
std::vector<ModelSource> EachSection(const std::vector<ModelSource>& sources);

// The program of `bytes` with the number `section`; all of `bytes` if it is 0.
std::string TextOfSection(std::string bytes, int64_t section);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_MODEL_LIST_H_
