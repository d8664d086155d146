// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Uses a plugin's own profiler, if it has one, to record what the device does between Start and Stop, as an XSpace.
//
//   Expected<const ProfilerTable*> table = FindProfiler(api);   // kUnsupported: why it cannot be used
//   Expected<ProfilerSession> session = ProfilerSession::Start(**table);
//   ... executions ...
//   Expected<std::string> bytes = session->Stop();              // xspace.h reads them
//
// Each call is made on a thread of its own, and the caller waits for it with a time limit: a profiler that never
// returns costs its session, not the case that it was to measure. A session that was not stopped is stopped by its
// destructor, and its trace is discarded.
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

// Larger traces are not read.
inline constexpr size_t kMostTraceBytes = 64 << 20;

inline constexpr std::chrono::milliseconds kProfilerLimit(10'000);

// The plugin's table with all of its functions. Returns kUnsupported, with the reason, if there is no such extension,
// or an older form of it, or one without the functions.
Expected<const ProfilerTable*> FindProfiler(const Api& api);

class ProfilerSession {
 public:
  // The error names the call that failed, with the profiler's code and text.
  static Expected<ProfilerSession> Start(const ProfilerTable& table, std::chrono::milliseconds limit = kProfilerLimit);

  ProfilerSession(ProfilerSession&&) = default;
  ProfilerSession& operator=(ProfilerSession&&) = delete;
  ~ProfilerSession();

  // The serialized trace; empty if the device did nothing. May be called once.
  Expected<std::string> Stop();

 private:
  struct State;

  explicit ProfilerSession(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // shared with calls that have not returned
};

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_PROFILER_H_
