// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Divides the values of a function into chunks, and orders them.
//
//   const ChunkPlan plan(function.Values(), 1 << 20);
//   for (const uint64_t chunk : plan.Of({.part = 2, .parts = 64})) plan.First(chunk), plan.size() ...
//
// The order goes through all binades again and again, so that a part of it, or an interrupted run, has values of every
// magnitude. The parts of a plan have no chunk in common and together are the whole.
#ifndef OPBYOP_COMMANDS_EXHAUST_CHUNK_PLAN_H_
#define OPBYOP_COMMANDS_EXHAUST_CHUNK_PLAN_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/expected.h"

namespace opbyop::exhaustive {

struct Part {
  uint64_t part = 1;  // from 1
  uint64_t parts = 1;
};

// Reads "3/64". Returns kUsage with the expected form.
Expected<Part> ParsePart(std::string_view text);

class ChunkPlan {
 public:
  // `size`, a power of two, is limited to `values`, another power of two.
  ChunkPlan(uint64_t values, uint64_t size);

  uint64_t chunks() const { return chunks_; }
  uint64_t size() const { return size_; }
  uint64_t First(uint64_t chunk) const { return chunk * size_; }
  uint64_t ChunkOf(uint64_t code) const { return code / size_; }

  std::vector<uint64_t> Of(Part part) const;

 private:
  uint64_t size_;
  uint64_t chunks_;
};

}  // namespace opbyop::exhaustive

#endif  // OPBYOP_COMMANDS_EXHAUST_CHUNK_PLAN_H_
