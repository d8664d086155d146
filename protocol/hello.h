// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The hello of a worker: how it describes itself before its first request (docs/worker-protocol.md).
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

// The environment variable that names the only verb that a worker will get: `compile` if the device may be absent,
// `execute` if the compiler may be absent. Not set: both.
inline constexpr const char* kOnlyVariable = "OPBYOP_ONLY";

// A longer diagnostic is cut by the worker, and again by the parent.
inline constexpr size_t kMaxDiagnosticBytes = 4096;

struct Hello {
  std::string role;  // "target" or "reference"
  std::string name;  // "host", "iree", "reference"
  // The toolchain's version; a result is valid only for this version.
  std::string version;
  // Cores of this machine's processor that an execution uses; 0 if it runs elsewhere or is unknown.
  int64_t cores = 0;
  // Why the worker only compiles: "no Vulkan device". Empty: it also executes.
  std::string compile_only;
  // Other facts about its toolchain and device, for the run's header: "device_kind" -> "TPU v5 lite".
  std::map<std::string, std::string> properties;
  // It gets a `release` for each case, so that a crash while releasing is blamed on that case.
  bool releases = false;
  // An `execute` names the next case as well, and the worker may start on that one meanwhile.
  bool ahead = false;
  // An `execute` may ask it for the record that the device's profiler makes of one execution.
  bool profiles = false;
  // The most processes of one program that it runs, or compiles for, at once: its devices.
  int64_t devices = 1;
  // It divides the tensors of a sharded case among its devices.
  bool shardings = false;
};

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_HELLO_H_
