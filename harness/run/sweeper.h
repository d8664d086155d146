// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Removes folders when a run and all that it started are gone, also where the run was killed and could not.
//
//   Expected<std::unique_ptr<Sweeper>> sweeper = Sweeper::Start(scratch.folders());
//   Process::Spawn({.argv = argv, .supervision = Supervision{.hold_fd = (*sweeper)->hold_fd()}});
//
// A process of its own, which waits until nobody holds the other end of its pipe: this process does, and every
// supervisor that hold_fd() was given to.
#ifndef OPBYOP_HARNESS_RUN_SWEEPER_H_
#define OPBYOP_HARNESS_RUN_SWEEPER_H_

#include <filesystem>
#include <memory>
#include <vector>

#include "support/expected.h"
#include "support/process/process.h"

namespace opbyop::harness {

class Sweeper {
 public:
  static Expected<std::unique_ptr<Sweeper>> Start(const std::vector<std::filesystem::path>& folders);

  int hold_fd() const { return process_->request_fd(); }

 private:
  explicit Sweeper(std::unique_ptr<Process> process) : process_(std::move(process)) {}

  std::unique_ptr<Process> process_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_SWEEPER_H_
