// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `opbyop split MODEL... -o DIR`: per-op files and a manifest from models.
//
//   SplitCommand command{.models = {"fixtures/models"}, .output = "out/nightly"};
//   ExitCode code = RunSplit(command, std::cout, std::cerr);
//
// DIR/cases/<id>.mlir and DIR/manifest.yaml are written; the manifest last, so that a manifest is never of a
// split that did not end. Files of an earlier split that are no case any more are removed. Other files in DIR
// stay. Each model is read by a process of its own: what that dies of, or its hunger, costs the model alone.
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

// What a model is before it is split, where that is not its own file: the path of the IR that a compiler made of it.
// Called from several threads.
using Lowering = std::function<Expected<std::filesystem::path>(const ModelSource&)>;

struct SplitCommand {
  std::vector<std::string> models;  // files, NAME=FILE, or folders (generator/split/model_list.h)
  std::filesystem::path output;
  SplitOptions options;
  std::vector<ShapeArgument> shapes;  // of the entry function's arguments
  Lowering lowering;                  // null: the model itself is split
  std::string stage;                  // whose IR `lowering` gives, as the manifest names it: "host/stablehlo-to-linalg"
  ReadingLimits reading;              // of each model
  bool split_input_file = false;      // each section of a file, between `// -----`, is a model
  bool allow_unregistered = false;    // MHLO is kept, in generic form, as dialects that are not known are
  bool quiet = false;                 // no line per model
};

// A line per model and a closing one to `out`; one sentence per bad model to `err`.
//   kOk           all models are split
//   kPartial      some are, the others are in the manifest with their error
//   kNothingToDo  no model was named, or the models have no op
//   the error's   no model could be split, or the folder could not be written: nothing is left behind
ExitCode RunSplit(const SplitCommand& command, std::ostream& out, std::ostream& err);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_SPLIT_COMMAND_H_
