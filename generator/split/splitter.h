// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns models into cases: walks, folds, hashes, deduplicates across models, and records every origin.
//
//   Splitter splitter({}, [&](const std::string& id, const std::string& text) { return Store(id, text); });
//   splitter.Add(0, module, {.name = "bert", ...});   // for each model
//   SplitResult result = splitter.Finish();           // manifest and final ids
//
// A model that cannot be split adds no case and no origin, only its error. Case ids do not depend on the order or the
// number of models. Models may be added from several threads; the result is the same.
//
// Another process may do the first half of the work: it describes its model, and this process enters the description.
#ifndef OPBYOP_GENERATOR_SPLIT_SPLITTER_H_
#define OPBYOP_GENERATOR_SPLIT_SPLITTER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "generator/walk/split_options.h"
#include "manifests/cases/manifest.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop::generator {

// An attribute on an op of a model that a suite made: the ids of what the op exercises, as a list of texts. They become
// `covers` of its case, and are not part of the case itself.
inline constexpr std::string_view kCoversAttribute = "opbyop.covers";

// Stores the text of a case. Called once for each case, with an id that no other case has, from the threads that add
// models.
using CaseSink = std::function<Expected<void>(const std::string& id, const std::string& text)>;

struct SplitResult {
  Manifest manifest;  // models in order of turns; cases sorted by id, their files "cases/<id>.mlir"

  // Cases whose text was stored under another id than the final one, because another case has the same id.
  struct Renamed {
    std::string from;
    std::string to;
  };
  std::vector<Renamed> renamed;
};

class Splitter {
 public:
  Splitter(SplitOptions options, CaseSink sink);
  ~Splitter();

  struct Added {
    int64_t ops = 0;
    size_t new_cases = 0;
    std::string error;  // why the model could not be split; empty if it was
  };

  // `turn` is the model's position: every number from 0 on is used once, by Add or AddUnreadable. A thread waits until
  // all earlier turns are done. `model` comes without `ops` and `error`. A returned error is the sink's.
  Expected<Added> Add(size_t turn, mlir::ModuleOp module, Model model);

  // Adds a model that could not be read; `model.error` says why.
  void AddUnreadable(size_t turn, Model model);

  // The first half of Add: returns the manifest of this model alone, with ids that are unique in it and the hashes of
  // members in place of their ids, and `error` if it cannot be split. `sink` gets the text of each case that no model entered so far has, under its id in that manifest.
  // A returned error is the sink's.
  Expected<Manifest> Describe(mlir::ModuleOp module, Model model, const CaseSink& sink) const;

  // A case that this model is the first to have.
  struct Entered {
    std::string described;  // its id in the model's own manifest
    std::string id;         // its id from now on; Finish may rename it again
  };

  // The second half, for models in order of turns: `described` was returned by Describe. The texts of the cases in the
  // result are those that Describe passed to its sink.
  std::vector<Entered> Enter(Manifest described);

  SplitResult Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_SPLITTER_H_
