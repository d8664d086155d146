// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes programs as portable artifacts for another process, which has loaded a plugin with its own MLIR.
//
//   return ServeArtifacts(STDIN_FILENO, kReplyFd);   // until the end of input
#ifndef OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_SERVICE_H_
#define OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_SERVICE_H_

#include <cstdint>
#include <memory>

#include "device/pjrt/worker/artifact_request.h"
#include "support/expected.h"

namespace mlir {
class DialectRegistry;
class MLIRContext;
}  // namespace mlir

namespace opbyop::pjrt {

class ArtifactService {
 public:
  ArtifactService();
  ~ArtifactService();

  // Writes the newest version that both the plugin and this project know. If the plugin reports no version, writes the
  // oldest version from 1.0.0 on that expresses the program: a plugin that old is most likely to read it. A program
  // that no artifact can express (an op of CHLO, a dialect of the plugin's own) is written as text. Returns
  // kUnsupported if the program needs a newer version than the plugin reads.
  Expected<WrittenArtifact> Write(const ArtifactRequest& request);

 private:
  mlir::MLIRContext& Context(std::uintmax_t file_bytes);

  std::unique_ptr<mlir::DialectRegistry> registry_;
  std::unique_ptr<mlir::MLIRContext> context_;
  std::uintmax_t read_bytes_ = 0;  // of the programs that were read into the context
};

// Serves requests until the end of input and returns the exit code of main().
int ServeArtifacts(int request_fd, int reply_fd);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_SERVICE_H_
