// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: whatever bytes come over a pipe, each frame is a message of a worker or a request, or a refusal that
// says why. The first byte of an input says in what pieces the rest of it comes.
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/frame.h"
#include "protocol/worker_message.h"
#include "protocol/worker_server.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opbyop;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr size_t kLongestPiece = 16;
  constexpr size_t kPrefix = 4;
  const size_t piece = data[0] % kLongestPiece + 1;
  protocol::FrameReader reader;
  size_t taken = 0;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    reader.Append(bytes.substr(at, piece));
    while (const std::optional<std::string> frame = reader.Next()) {
      taken += kPrefix + frame->size();
      const Expected<protocol::WorkerMessage> message = protocol::ParseWorkerMessage(*frame);
      if (!message && message.error().message.empty()) __builtin_trap();
      const Expected<protocol::Request> request = protocol::ParseRequest(*frame);
      if (!request && request.error().message.empty()) __builtin_trap();
      if (request) protocol::ToJson(*request);
    }
  }
  if (!reader.broken() && taken + reader.pending() != bytes.size()) __builtin_trap();
  return 0;
}
