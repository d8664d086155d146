// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interface of a device that computes one chunk of a function. A target's worker implements it; tests implement it
// with the reference.
//
//   Expected<std::unique_ptr<WorkerChunkDevice>> device = WorkerChunkDevice::Start(target, out / "cases");
//   ChunkRun run = (*device)->Run(c, text, chunk.input);
#ifndef OPBYOP_COMMANDS_EXHAUST_CHUNK_DEVICE_H_
#define OPBYOP_COMMANDS_EXHAUST_CHUNK_DEVICE_H_

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/worker/case_client.h"
#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "reference/inputs/inputs.h"
#include "support/expected.h"

namespace opbyop::exhaustive {

struct ChunkRun {
  CaseRecord record;              // its stages: those of the compiler only if it ran for this chunk
  std::vector<std::byte> output;  // in stored form, if the status is pass
};

class ChunkDevice {
 public:
  virtual ~ChunkDevice() = default;

  // `text` returns the function's program, and is called only if it must be compiled.
  virtual ChunkRun Run(const Case& c, const std::function<std::string()>& text, const reference::InputData& input) = 0;
};

// Uses a target's warm worker, which compiles each function once. A function that does not compile is not tried again.
class WorkerChunkDevice : public ChunkDevice {
 public:
  // Returns kUnsupported for a target that has no device.
  static Expected<std::unique_ptr<WorkerChunkDevice>> Start(const Target& target, const std::filesystem::path& cases);

  ChunkRun Run(const Case& c, const std::function<std::string()>& text, const reference::InputData& input) override;

  const protocol::Hello& hello() const { return client_->worker().hello(); }

 private:
  explicit WorkerChunkDevice(std::unique_ptr<harness::CaseClient> client) : client_(std::move(client)) {}

  std::unique_ptr<harness::CaseClient> client_;
};

}  // namespace opbyop::exhaustive

#endif  // OPBYOP_COMMANDS_EXHAUST_CHUNK_DEVICE_H_
