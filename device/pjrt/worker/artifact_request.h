// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The request of the worker to the program that writes portable artifacts, and its reply, as values on both sides. Each
// is one frame of JSON (protocol/frame.h).
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
  std::filesystem::path output;  // the file to write
  std::string oldest;            // StableHLO versions that the plugin reads; empty if it does not report them
  std::string newest;
  // The program is that of one of several partitions: no op is to be partitioned.
  bool partitioned = false;
  // The shardings of all arguments and results, as texts of `mhlo.sharding`, by which the compiler is to partition the
  // program. Empty: it states none.
  std::vector<std::string> arguments;
  std::vector<std::string> results;
  int64_t partitions = 1;
  bool shardy = false;         // they are stated in the form of Shardy, not as `mhlo.sharding`
  std::filesystem::path text;  // file for the program in generic form with locations; empty: not written
};

struct WrittenArtifact {
  std::string version;           // "1.13.0"; "text" if no version can express the program
  std::vector<int64_t> donated;  // arguments of @main whose buffers the program may take over
};

std::string ToJson(const ArtifactRequest& request);
Expected<ArtifactRequest> ParseArtifactRequest(std::string_view json);

std::string ToJson(const Expected<WrittenArtifact>& reply);

// The error that the other side sent, or kInternal if it sent no valid reply.
Expected<WrittenArtifact> ParseArtifactReply(std::string_view json);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_ARTIFACT_REQUEST_H_
