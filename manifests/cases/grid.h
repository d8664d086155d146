// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The processes that a program runs on, each with inputs and outputs of its own: replicas times partitions.
//
//   Grid grid{.partitions = 8};
//   grid.processes();        // 8
//   ToString(Grid{2, 4});    // "2r4p"
//
// Process i is partition i % partitions of replica i / partitions. The tensors of all processes are numbered in the
// order of the processes: argument k of process i is number i * arguments + k.
#ifndef OPBYOP_MANIFESTS_CASES_GRID_H_
#define OPBYOP_MANIFESTS_CASES_GRID_H_

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "support/sharding/axes.h"

namespace opbyop {

struct Grid {
  int64_t replicas = 1;
  int64_t partitions = 1;

  // More are refused when a manifest or a request is read, so that products of counts cannot overflow.
  static constexpr int64_t kMostProcesses = kMostDevices;

  int64_t processes() const { return replicas * partitions; }
  bool is_valid() const {
    return replicas >= 1 && partitions >= 1 && replicas <= kMostProcesses && partitions <= kMostProcesses &&
           processes() <= kMostProcesses;
  }

  friend bool operator==(const Grid&, const Grid&) = default;
};

// "8p", "2r", "2r4p"; "1p" for a single process.
inline std::string ToString(const Grid& grid) {
  std::string name = grid.replicas > 1 ? fmt::format("{}r", grid.replicas) : "";
  if (grid.partitions > 1 || name.empty()) name += fmt::format("{}p", grid.partitions);
  return name;
}

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_GRID_H_
