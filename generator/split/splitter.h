// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Models into cases: walk, fold, hash, deduplicate across models, remember every origin.
//
//   Splitter splitter({}, [&](const std::string& id, const std::string& text) { return Store(id, text); });
//   splitter.Add(0, module, {.name = "bert", ...});   // for each model
//   SplitResult result = splitter.Finish();           // manifest and final ids
//
// A model that cannot be split leaves no case and no origin behind, only its error. Case ids do not depend on
// the order or the number of models. Models may be added from several threads; the result is the same.
//
// Another process may do the first half of the work: it describes its model, and this one enters the description.
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

// On an op of a model that a suite made, a list of texts: the ids of what it exercises, `covers` of its case. No part
// of the case itself.
inline constexpr std::string_view kCoversAttribute = "opbyop.covers";

// Takes the text of a case, once per case, under an id that no other case has. Called from the threads that add.
using CaseSink = std::function<Expected<void>(const std::string& id, const std::string& text)>;

struct SplitResult {
  Manifest manifest;  // models in turn; cases sorted by id, their files "cases/<id>.mlir"

  // Cases whose text was handed out under another id than the final one, because another case took the same.
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
    std::string error;  // of the model; empty where it was split
  };

  // `turn` is the model's place: every number from 0 on is used once, by Add or AddUnreadable. A thread waits
  // until all earlier turns have been taken. `model` comes without `ops` and `error`. The error that is returned
  // is that of the sink.
  Expected<Added> Add(size_t turn, mlir::ModuleOp module, Model model);

  // A model that could not even be read; `model.error` says why.
  void AddUnreadable(size_t turn, Model model);

  // The first half of Add: the manifest of the one model, with ids that are unique in it, and `error` where it cannot
  // be split. `sink` gets the text of each case that no model entered so far has, under its id in that manifest. The
  // error that is returned is that of `sink`.
  Expected<Manifest> Describe(mlir::ModuleOp module, Model model, const CaseSink& sink) const;

  // A case that the model is the first to have.
  struct Entered {
    std::string described;  // its id in the model's own manifest
    std::string id;         // what it is called from now on; Finish may rename it once more
  };

  // The second half, for models in turn: `described` is what Describe has returned, and the texts of the cases that
  // are named in the result are those that it has handed out.
  std::vector<Entered> Enter(Manifest described);

  SplitResult Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_SPLITTER_H_
