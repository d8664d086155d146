// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the message of a failed compilation by the patterns of the target's stages: where it ended, whether the plugin
// says that it cannot, and which of its lines says why.
//
//   const CompileEnd end = ReadCompileError(error, CompileStages(target), paths);
//   // {stage 1, kUnsupported, "failed to legalize operation 'ttir.sort'"}
#ifndef OPBYOP_DEVICE_PJRT_WORKER_COMPILE_MESSAGE_H_
#define OPBYOP_DEVICE_PJRT_WORKER_COMPILE_MESSAGE_H_

#include <cstddef>
#include <vector>

#include "device/command/diagnosis.h"
#include "device/pjrt/api.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::pjrt {

struct CompileEnd {
  size_t stage = 0;  // index of the stage that failed
  Error error;       // one line, without the run's own paths
};

// The stages between `parse` and `load`. A plugin compiles in one piece: with several stages, its message says where
// it ended.
std::vector<const Stage*> PluginStages(const Target& target);

// `stages` is not empty.
CompileEnd ReadCompileError(const CallError& error, const std::vector<const Stage*>& stages,
                            const command::LogPaths& paths);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_COMPILE_MESSAGE_H_
