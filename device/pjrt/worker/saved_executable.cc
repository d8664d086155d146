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
  const nlohmann::json head = {
      {"schema", kSchema}, {"donated", executable.donated}, {"sha256", Sha256Hex(executable.bytes)}};
  return head.dump() + "\n" + executable.bytes;
}

Expected<SavedExecutable> DecodeExecutable(std::string_view file) {
  const size_t end = file.find('\n');
  const nlohmann::json head = nlohmann::json::parse(file.substr(0, std::min(end, file.size())), nullptr, false);
  try {
    if (end != std::string_view::npos && head.is_object() && head.at("schema") == kSchema) {
      SavedExecutable executable = {head.at("donated"), std::string(file.substr(end + 1))};
      if (head.at("sha256") == Sha256Hex(executable.bytes)) return executable;
      return MakeError(ExitCode::kBadInput, "the saved executable is cut off or was changed");
    }
  } catch (const nlohmann::json::exception&) {
  }
  return MakeError(ExitCode::kBadInput, "the artifact is no executable that the pjrt worker saved");
}

}  // namespace opbyop::pjrt
