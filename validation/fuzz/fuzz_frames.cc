// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuzz target: any bytes that come over a pipe are messages of a worker or requests, or are refused with a reason. The
// first byte of an input determines the pieces in which the rest comes.
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
