// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the worker asks of the program that writes portable artifacts, and its answer, as values on both sides: one
// frame of JSON each (protocol/frame.h).
//
//   WriteFrame(fd, ToJson(ArtifactRequest{.file = file, .output = dir / "program.mlirbc", .newest = "1.13.3"}));
//   Expected<WrittenArtifact> written = ParseArtifactReply(frame);
#ifndef OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_REQUEST_H_
#define OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_REQUEST_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop::pjrt {

struct ArtifactRequest {
  std::filesystem::path file;    // a program in any form that ir/read_module.h reads
  std::filesystem::path output;  // where the artifact goes
  std::string oldest;            // StableHLO versions that the plugin reads; empty where it does not say
  std::string newest;
  std::filesystem::path text;  // where the program goes in generic form with locations; empty: nowhere
};

struct WrittenArtifact {
  std::string version;           // "1.13.0"; "text" where no version expresses the program
  std::vector<int64_t> donated;  // arguments of @main whose buffers the program may take over
};

std::string ToJson(const ArtifactRequest& request);
Expected<ArtifactRequest> ParseArtifactRequest(std::string_view json);

std::string ToJson(const Expected<WrittenArtifact>& reply);

// The error that the other side sent, or kInternal where it sent no reply of this form.
Expected<WrittenArtifact> ParseArtifactReply(std::string_view json);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_REQUEST_H_
