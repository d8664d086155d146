// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/saved_executable.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "support/files/sha256.h"

namespace opbyop::pjrt {
namespace {

constexpr std::string_view kSchema = "opbyop-pjrt-executable/1";

}  // namespace

std::string EncodeExecutable(const SavedExecutable& executable) {
  // The two parts are joined, so that both are covered by the digest and neither must be text.
  const std::string parts = executable.abi_version + executable.bytes;
  const nlohmann::json head = {{"schema", kSchema},
                               {"donated", executable.donated},
                               {"abi_version_bytes", executable.abi_version.size()},
                               {"sha256", Sha256Hex(parts)}};
  return head.dump() + "\n" + parts;
}

Expected<SavedExecutable> DecodeExecutable(std::string_view file) {
  const size_t end = file.find('\n');
  const nlohmann::json head = nlohmann::json::parse(file.substr(0, std::min(end, file.size())), nullptr, false);
  try {
    if (end != std::string_view::npos && head.is_object() && head.at("schema") == kSchema) {
      const std::string_view parts = file.substr(end + 1);
      const size_t split = head.value("abi_version_bytes", size_t{0});
      if (head.at("sha256") == Sha256Hex(parts) && split <= parts.size()) {
        return SavedExecutable{.donated = head.at("donated"),
                               .bytes = std::string(parts.substr(split)),
                               .abi_version = std::string(parts.substr(0, split))};
      }
      return MakeError(ExitCode::kBadInput, "the saved executable is cut off or was changed");
    }
  } catch (const nlohmann::json::exception&) {
  }
  return MakeError(ExitCode::kBadInput, "the artifact is no executable that the pjrt worker saved");
}

}  // namespace opbyop::pjrt
