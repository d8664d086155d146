// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers a model with a target's compiler, up to one of its stages.
//
//   Expected<std::unique_ptr<Lowerer>> lowerer = Lowerer::Start("host", "stablehlo-to-linalg");
//   Expected<std::filesystem::path> ir = (*lowerer)->Lower("bert", "bert.mlirbc");   // removed with the lowerer
//
// The compiler runs in the target's worker (docs/worker-protocol.md): if it dies, only the current model fails.
#ifndef OPBYOP_COMMANDS_SPLIT_LOWER_H_
#define OPBYOP_COMMANDS_SPLIT_LOWER_H_

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/worker/case_client.h"
#include "harness/worker/scratch.h"
#include "support/expected.h"

namespace opbyop::commands {

class Lowerer {
 public:
  // `target` is a name or a file. Returns kUsage if it has no such compile stage.
  static Expected<std::unique_ptr<Lowerer>> Start(const std::string& target, const std::string& stage);

  // May be called from any thread, for one model at a time. Stages after the requested one are not run. The compiler
  // gets the program as text that does not depend on a version of MLIR, or, for what is no MLIR, the file itself.
  enum class Input { kProgramText, kAsItIs };
  Expected<std::filesystem::path> Lower(const std::string& name, const std::filesystem::path& model,
                                        Input input = Input::kProgramText);

  // "jaxlib 0.10.2"; empty before the first model.
  std::string Version() const { return client_->worker().hello().version; }

  // "host/stablehlo-to-linalg"
  std::string Label() const { return client_->worker().target().name + "/" + stage_; }

 private:
  Lowerer(std::string stage, std::unique_ptr<harness::CaseClient> client)
      : stage_(std::move(stage)), client_(std::move(client)) {}

  std::mutex mutex_;
  std::string stage_;
  std::unique_ptr<harness::CaseClient> client_;
  std::vector<harness::ScratchDir> dirs_;  // of the results, where the worker may not write
};

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_SPLIT_LOWER_H_
