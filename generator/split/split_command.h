// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `opbyop split MODEL... -o DIR`: per-op files and a manifest from models.
//
//   SplitCommand command{.models = {"fixtures/models"}, .output = "out/nightly"};
//   ExitCode code = RunSplit(command, std::cout, std::cerr);
//
// Writes DIR/cases/<id>.mlir, DIR/models/<name>.mlir for a model that was converted, and DIR/manifest.yaml; the manifest is last, so that there is never a manifest of an
// unfinished split. Case files of an earlier split that are no longer cases are removed; other files in DIR stay. Each
// model is read in a separate process: a crash of the reader, or too much memory, costs that model alone.
#ifndef OPBYOP_GENERATOR_SPLIT_SPLIT_COMMAND_H_
#define OPBYOP_GENERATOR_SPLIT_SPLIT_COMMAND_H_

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "generator/specialize/specialize.h"
#include "generator/split/model_list.h"
#include "generator/split/splitter.h"
#include "support/exit_code.h"
#include "support/process/reading_child.h"

namespace opbyop::generator {

// Returns the file to split instead of the model's own: the IR that a compiler made of the model. Called from several
// threads.
using Lowering = std::function<Expected<std::filesystem::path>(const ModelSource&)>;

// Converts a program of another format to StableHLO, and says who did it. Called from one thread.
struct ConvertedProgram {
  std::string bytes;
  std::string by;
};
using Converter = std::function<Expected<ConvertedProgram>(const ModelSource&)>;

struct SplitCommand {
  std::vector<std::string> models;  // files, NAME=FILE, or folders (generator/split/model_list.h)
  std::filesystem::path output;
  SplitOptions options;
  std::vector<ShapeArgument> shapes;  // for the arguments of the entry function
  Converter converter;                // of HLO, into DIR/models; null: HLO is refused
  Lowering lowering;                  // null: the model itself is split
  // the name of the stage whose IR `lowering` returns, for the manifest: "host/stablehlo-to-linalg"
  std::string stage;
  ReadingLimits reading;            // limits for each model
  bool split_input_file = false;    // each section of a file (separated by `// -----`) is a model
  bool allow_unregistered = false;  // keeps MHLO in generic form, like unknown dialects
  bool quiet = false;               // no line per model
};

// Writes a line per model and a closing one to `out`, and one sentence per bad model to `err`.
//   kOk           all models are split
//   kPartial      some are split; the others are in the manifest with their error
//   kNothingToDo  no model was named, or the models have no op
//   other codes   no model could be split, or the folder could not be written: nothing was written
ExitCode RunSplit(const SplitCommand& command, std::ostream& out, std::ostream& err);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_SPLIT_COMMAND_H_
