// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a worker says of itself before its first request (docs/worker-protocol.md).
#ifndef OPBYOP_PROTOCOL_HELLO_H_
#define OPBYOP_PROTOCOL_HELLO_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace opbyop::protocol {

inline constexpr std::string_view kWorkerProtocol = "opbyop-worker/1";

// The environment variable that names the worker's end of the reply pipe.
inline constexpr const char* kReplyFdVariable = "OPBYOP_REPLY_FD";

// The environment variable that names the only verb that a worker will be asked: `compile` where the device may be
// absent, `execute` where the compiler may be. Not set: both.
inline constexpr const char* kOnlyVariable = "OPBYOP_ONLY";

// A longer diagnostic is cut, by the worker and again by the parent.
inline constexpr size_t kMaxDiagnosticBytes = 4096;

struct Hello {
  std::string role;     // "target" or "reference"
  std::string name;     // "host", "iree", "reference"
  std::string version;  // of the toolchain: part of what a result is valid for
  int64_t cores = 0;    // of this machine's processor, that an execution uses; 0: it runs elsewhere, or is not told
  // Why it compiles, but executes nothing here: "no Vulkan device". Empty: it executes.
  std::string compile_only;
  // What else it says of its toolchain and device, for the run's header: "device_kind" -> "TPU v5 lite".
  std::map<std::string, std::string> properties;
  // It is asked to `release` each case, so that what it dies of then is that case's.
  bool releases = false;
  // It is told with an `execute` which comes next, and begins with that one meanwhile.
  bool ahead = false;
};

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_HELLO_H_
