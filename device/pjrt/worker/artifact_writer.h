// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Starts the program that writes portable artifacts and sends it requests (docs/design/pjrt.md).
//
//   Expected<std::unique_ptr<ArtifactWriter>> writer =
//       ArtifactWriter::Start(ProgramFolder() / "opbyop-artifact-writer");
//   Expected<WrittenArtifact> written =
//       (*writer)->Write({.file = file, .output = dir / "program.mlirbc"});
#ifndef OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_WRITER_H_
#define OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_WRITER_H_

#include <filesystem>
#include <memory>

#include "device/pjrt/worker/artifact_request.h"
#include "support/expected.h"
#include "support/process/process.h"

namespace opbyop::pjrt {

class ArtifactWriter {
 public:
  // Returns kNoInput if there is no such program.
  static Expected<std::unique_ptr<ArtifactWriter>> Start(std::filesystem::path program);

  // Returns when the program has answered; the harness enforces the time limit. If the program died, returns kInternal
  // with how it ended, and the next call starts another one.
  Expected<WrittenArtifact> Write(const ArtifactRequest& request);

  // The program's process, or -1 if it has died and was not started again.
  pid_t pid() const { return process_ == nullptr ? -1 : process_->pid(); }

 private:
  explicit ArtifactWriter(std::filesystem::path program) : program_(std::move(program)) {}

  Expected<void> Launch();
  Expected<std::string> ReadReply();
  void PassOnLog();

  std::filesystem::path program_;
  std::unique_ptr<Process> process_;
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_WRITER_H_
