// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A loop over chunks on several threads.
//
//   ForChunks(rows, threads, [&](int64_t begin, int64_t end) { ... });   // chunks cover [0, rows)
//
// The result must not depend on where the chunks end. With one thread or one chunk, no thread is started.
#ifndef OPBYOP_REFERENCE_TENSOR_PARALLEL_H_
#define OPBYOP_REFERENCE_TENSOR_PARALLEL_H_

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace opbyop::reference {

template <typename Fn>
void ForChunks(int64_t count, int threads, Fn&& fn) {
  const int64_t chunks = std::clamp<int64_t>(threads, 1, std::max<int64_t>(count, 1));
  std::vector<std::thread> others;
  for (int64_t c = 1; c < chunks; ++c) {
    others.emplace_back([&fn, count, chunks, c] { fn(count * c / chunks, count * (c + 1) / chunks); });
  }
  fn(0, count / chunks);
  for (std::thread& thread : others) thread.join();
}

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_PARALLEL_H_
