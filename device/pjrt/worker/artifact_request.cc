// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/artifact_request.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace opbyop::pjrt {
namespace {

using Json = nlohmann::json;

std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

tl::unexpected<Error> Unreadable(std::string_view json) {
  return MakeError(ExitCode::kInternal, fmt::format("a message between the PJRT worker and its writer of artifacts "
                                                    "cannot be read: {}",
                                                    json.substr(0, 200)));
}

}  // namespace

std::string ToJson(const ArtifactRequest& request) {
  return Dump({{"file", request.file.string()},
               {"output", request.output.string()},
               {"oldest", request.oldest},
               {"newest", request.newest},
               {"partitioned", request.partitioned},
               {"arguments", request.arguments},
               {"results", request.results},
               {"partitions", request.partitions},
               {"shardy", request.shardy},
               {"text", request.text.string()}});
}

Expected<ArtifactRequest> ParseArtifactRequest(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    return ArtifactRequest{.file = json.at("file").get<std::string>(),
                           .output = json.at("output").get<std::string>(),
                           .oldest = json.at("oldest"),
                           .newest = json.at("newest"),
                           .partitioned = json.at("partitioned"),
                           .arguments = json.at("arguments"),
                           .results = json.at("results"),
                           .partitions = json.at("partitions"),
                           .shardy = json.at("shardy"),
                           .text = json.at("text").get<std::string>()};
  } catch (const Json::exception&) {
    return Unreadable(text);
  }
}

std::string ToJson(const Expected<WrittenArtifact>& reply) {
  if (!reply) return Dump({{"error", reply.error().message}, {"code", static_cast<int>(reply.error().code)}});
  return Dump({{"version", reply->version}, {"donated", reply->donated}});
}

Expected<WrittenArtifact> ParseArtifactReply(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.contains("error")) {
      return MakeError(static_cast<ExitCode>(json.at("code").get<int>()), json.at("error"));
    }
    return WrittenArtifact{.version = json.at("version"), .donated = json.at("donated")};
  } catch (const Json::exception&) {
    return Unreadable(text);
  }
}

}  // namespace opbyop::pjrt
