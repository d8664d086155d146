// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/machine_peaks.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace opbyop::chained {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Lanes of the widest registers; narrower ones take several.
constexpr int kLanes = 16;
typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));

// kChains independent multiply-adds a round: enough to hide their latency, few enough to stay in registers.
template <int kChains>
[[gnu::always_inline]] inline float Chains(int64_t rounds, float factor) {
#pragma clang fp contract(fast)
  Vector sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = Vector{} + static_cast<float>(c);
  const Vector factors = Vector{} + factor;
  for (int64_t i = 0; i < rounds; ++i) {
    for (int c = 0; c < kChains; ++c) sums[c] = sums[c] * factors + factors;
  }
  float total = 0;
  for (int c = 0; c < kChains; ++c) {
    for (int lane = 0; lane < kLanes; ++lane) total += sums[c][lane];
  }
  return total;
}

using Kernel = float (*)(int64_t rounds, float factor);

template <int kChains>
float Baseline(int64_t rounds, float factor) {
  return Chains<kChains>(rounds, factor);
}

struct Variant {
  Kernel kernel;
  int chains;
};

#if defined(__x86_64__)
// The build is for any machine of the architecture; these functions use the instructions of the current one.
[[gnu::target("avx2,fma")]] float Avx2(int64_t rounds, float factor) { return Chains<6>(rounds, factor); }
[[gnu::target("avx512f,avx512vl,avx2,fma")]] float Avx512(int64_t rounds, float factor) {
  return Chains<12>(rounds, factor);
}
#endif

std::vector<Variant> Variants() {
  std::vector<Variant> variants = {{&Baseline<3>, 3}, {&Baseline<6>, 6}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) variants.push_back({&Avx2, 6});
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) variants.push_back({&Avx512, 12});
#endif
  return variants;
}

// Returns the amount that `run` does per second on all of `cores` together. The best of a few tries counts, because
// other processes only slow it down.
template <typename Run>
double Best(int64_t cores, double amount, const Run& run) {
  constexpr int kTries = 5;
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    std::barrier together(cores);
    std::vector<double> seconds(static_cast<size_t>(cores));
    std::vector<std::thread> threads;
    for (size_t core = 0; core < seconds.size(); ++core) {
      threads.emplace_back([&, core] {
        together.arrive_and_wait();
        const Clock::time_point begin = Clock::now();
        run(core);
        seconds[core] = SecondsSince(begin);
      });
    }
    for (std::thread& thread : threads) thread.join();
    best = std::max(best, static_cast<double>(cores) * amount / std::ranges::max(seconds));
  }
  return best;
}

double MeasureGflops(int64_t cores) {
  constexpr int64_t kRounds = 1'000'000;
  double best = 0;
  for (const Variant& variant : Variants()) {
    const double flops = 2.0 * kLanes * variant.chains * static_cast<double>(kRounds);
    best = std::max(best, Best(cores, flops / 1e9, [&](size_t) {
                      volatile float sink = variant.kernel(kRounds, 1e-3F);
                      (void)sink;
                    }));
  }
  return best;
}

double MeasureGbPerS(int64_t cores) {
  constexpr size_t kBytes = 64 << 20;  // twice a core: beyond the last cache of most machines
  const auto count = static_cast<size_t>(cores);
  std::vector<std::vector<std::byte>> from(count, std::vector<std::byte>(kBytes, std::byte{1}));
  std::vector<std::vector<std::byte>> to = from;
  return Best(cores, 2.0 * kBytes / 1e9, [&](size_t core) {
    from[core][0] ^= std::byte{3};
    std::memcpy(to[core].data(), from[core].data(), kBytes);
    // Keeps the compiler from removing the copy.
    asm volatile("" : : "r"(to[core].data()) : "memory");
  });
}

}  // namespace

MachinePeaks MeasurePeaks(int64_t cores) {
  cores = std::max<int64_t>(1, cores);
  return {.gflops = MeasureGflops(cores), .gb_per_s = MeasureGbPerS(cores)};
}

}  // namespace opbyop::chained
