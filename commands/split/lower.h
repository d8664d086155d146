// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The IR that a target's compiler makes of a model, up to one of its stages.
//
//   Expected<std::unique_ptr<Lowerer>> lowerer = Lowerer::Start("host", "stablehlo-to-linalg");
//   Expected<std::filesystem::path> ir = (*lowerer)->Lower("bert", "bert.mlirbc");   // gone with the lowerer
//
// The compiler runs in the target's worker (docs/worker-protocol.md): whatever becomes of it costs the current model.
#ifndef OPBYOP_COMMANDS_SPLIT_LOWER_H_
#define OPBYOP_COMMANDS_SPLIT_LOWER_H_

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "harness/worker/scratch.h"
#include "harness/worker/target_client.h"
#include "support/expected.h"

namespace opbyop::commands {

class Lowerer {
 public:
  // `target` is a name or a file. kUsage where it has no such compile stage.
  static Expected<std::unique_ptr<Lowerer>> Start(const std::string& target, const std::string& stage);

  // From any thread; one model at a time. What the stages after the one asked for would do is not asked.
  Expected<std::filesystem::path> Lower(const std::string& name, const std::filesystem::path& model);

  // "host/stablehlo-to-linalg"
  std::string Label() const { return client_.target().name + "/" + stage_; }

 private:
  Lowerer(const Target& target, std::string stage, harness::WorkerSpec spec, std::unique_ptr<harness::Scratch> scratch);

  std::mutex mutex_;
  std::string stage_;
  harness::TargetClient client_;
  std::unique_ptr<harness::Scratch> scratch_;
  std::vector<harness::ScratchDir> dirs_;  // of what was made, where the worker may not write
};

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_SPLIT_LOWER_H_
