// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Removes folders when a run and all processes that it started are gone, even if the run was killed.
//
//   Expected<std::unique_ptr<Sweeper>> sweeper = Sweeper::Start(scratch.folders());
//   Process::Spawn({.argv = argv, .supervision = Supervision{.hold_fd = (*sweeper)->hold_fd()}});
//
// It is a process of its own, which waits until the other end of its pipe is closed everywhere. This process holds that
// end, and so does every supervisor that got hold_fd().
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
