// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes programs as portable artifacts for another process, in which a plugin with an MLIR of its own is loaded.
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

  // In the newest version that the plugin and this project both know. Where the plugin names none: the oldest of 1.0.0
  // and later that expresses the program, which is what a plugin from before there were such attributes is most likely
  // to read. What has no form in any artifact (an op of CHLO, a dialect of the plugin's own) goes over as text.
  // kUnsupported where the program needs a newer version than the plugin reads.
  Expected<WrittenArtifact> Write(const ArtifactRequest& request);

 private:
  mlir::MLIRContext& Context(std::uintmax_t file_bytes);

  std::unique_ptr<mlir::DialectRegistry> registry_;
  std::unique_ptr<mlir::MLIRContext> context_;
  std::uintmax_t read_bytes_ = 0;  // of programs, into the context
};

// The exit code of main().
int ServeArtifacts(int request_fd, int reply_fd);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_SERVICE_H_
