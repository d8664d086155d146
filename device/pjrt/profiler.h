// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A plugin's own profiler, where it has one: what the device does between Start and Stop, as an XSpace.
//
//   Expected<const ProfilerTable*> table = FindProfiler(api);   // kUnsupported: why it cannot be used
//   Expected<ProfilerSession> session = ProfilerSession::Start(**table);
//   ... executions ...
//   Expected<std::string> bytes = session->Stop();              // xspace.h reads them
//
// Each call is made on a thread of its own and waited for with a limit: a profiler that never comes back costs its
// session, not the case that it was to measure. A session that is not stopped is stopped and thrown away at its end.
#ifndef OPBYOP_DEVICE_PJRT_PROFILER_H_
#define OPBYOP_DEVICE_PJRT_PROFILER_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "device/pjrt/api.h"
#include "device/pjrt/profiler_interface.h"
#include "support/expected.h"

namespace opbyop::pjrt {

// A trace of more is not read.
inline constexpr size_t kMostTraceBytes = 64 << 20;

inline constexpr std::chrono::milliseconds kProfilerLimit(10'000);

// The plugin's table with all of its functions. kUnsupported where it has no such extension, one of an older form, or
// one without them, with the reason.
Expected<const ProfilerTable*> FindProfiler(const Api& api);

class ProfilerSession {
 public:
  // The error names the call that failed, with the profiler's code and text.
  static Expected<ProfilerSession> Start(const ProfilerTable& table, std::chrono::milliseconds limit = kProfilerLimit);

  ProfilerSession(ProfilerSession&&) = default;
  ProfilerSession& operator=(ProfilerSession&&) = delete;
  ~ProfilerSession();

  // The trace, serialized; empty where the device did nothing. Once.
  Expected<std::string> Stop();

 private:
  struct State;

  explicit ProfilerSession(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // shared with calls that have not come back
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_PROFILER_H_
