// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loop over cases on several threads. A thread that is ready takes the next case.
//
//   const Expected<void> done = ForEachCase(cases, jobs, EndAfter(total_seconds), [&] {
//     return [runner = std::make_unique<CaseRunner>(settings)](const Case& c) { return runner->Run(c); };
//   });
#ifndef OPBYOP_HARNESS_RUN_CASE_LOOP_H_
#define OPBYOP_HARNESS_RUN_CASE_LOOP_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "manifests/cases/case.h"
#include "support/expected.h"

namespace opbyop::harness {

// Returns when a loop must end that starts now and may take `seconds`: never, if the clock cannot count that far.
std::chrono::steady_clock::time_point EndAfter(double seconds);

// Uses at least one thread. Each thread calls `make_job` once; the result is called for each case of that thread:
// Expected<void>(const Case&). No case is started after `end`, nor after a case that ended with an error. Returns the
// first error.
template <typename MakeJob>
Expected<void> ForEachCase(const std::vector<const Case*>& cases, int threads,
                           std::chrono::steady_clock::time_point end, const MakeJob& make_job) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> error;
  const auto run = [&] {
    auto job = make_job();
    for (size_t i = next++; i < cases.size() && std::chrono::steady_clock::now() < end; i = next++) {
      const Expected<void> done = job(*cases[i]);
      if (done) continue;
      const std::scoped_lock lock(mutex);
      if (!error) error = done.error();
      next = cases.size();
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<size_t>(std::max(threads, 1)));
  for (int i = 0; i < std::max(threads, 1); ++i) others.emplace_back(run);
  for (std::thread& thread : others) thread.join();
  if (error) return Unexpected(*error);
  return {};
}

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_CASE_LOOP_H_
