// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-artifact-writer: writes programs as portable artifacts for opbyop-pjrt-worker, which starts it
// (docs/design/pjrt.md).
#include <unistd.h>

#include "device/pjrt/worker/artifact_service.h"
#include "support/process/process.h"

int main() { return opbyop::pjrt::ServeArtifacts(STDIN_FILENO, opbyop::kReplyFd); }
