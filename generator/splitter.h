// Models into cases: walk, fold, hash, deduplicate across models, remember every origin.
//
//   Splitter splitter({}, [&](const std::string& hash, std::string text) { return Store(hash, text); });
//   Expected<void> done = splitter.Add(module, {.name = "bert", ...});   // for each model
//   SplitResult result = splitter.Finish();   // manifest and final ids
//
// A model that cannot be split leaves no case and no origin behind, only its error. Case ids do not depend on
// the order or the number of models.
#ifndef OPBYOP_GENERATOR_SPLITTER_H_
#define OPBYOP_GENERATOR_SPLITTER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "generator/case_id.h"
#include "generator/constants.h"
#include "manifests/manifest.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/expected.h"

namespace opbyop {

struct SplitOptions {
  std::string entry = "main";
  int64_t fold_limit = kDefaultFoldLimit;
  int id_digits = kIdHashDigits;
};

// Takes the text of a case when its op is first met, under the case's hash. An error ends the split.
using CaseSink = std::function<Expected<void>(const std::string& hash, std::string text)>;

struct SplitResult {
  Manifest manifest;  // cases sorted by id, their files "cases/<id>.mlir"

  // Cases whose text was handed out under another id than the final one, because another case took the same.
  struct Renamed {
    std::string hash;
    std::string from;
    std::string to;
  };
  std::vector<Renamed> renamed;
};

class Splitter {
 public:
  Splitter(SplitOptions options, CaseSink sink);
  ~Splitter();

  // `model` comes with everything but `ops` and `error`, which are set here. The error that is returned is that
  // of the sink; an error of the model is recorded in it and returned by LastError().
  Expected<void> Add(mlir::ModuleOp module, Model model);

  // A model that could not even be read.
  void AddUnreadable(Model model);

  // The models so far.
  const std::vector<Model>& models() const;
  size_t case_count() const;

  SplitResult Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opbyop

#endif  // OPBYOP_GENERATOR_SPLITTER_H_
