// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/sweeper.h"

namespace opbyop::harness {

Expected<std::unique_ptr<Sweeper>> Sweeper::Start(const std::vector<std::filesystem::path>& folders) {
  ProcessOptions options = {.argv = {SupervisorProgram(), "sweep"}, .outlives_parent = true};
  for (const std::filesystem::path& folder : folders) options.argv.push_back(folder.string());
  Expected<std::unique_ptr<Process>> process = Process::Spawn(options);
  if (!process) return Unexpected(process.error());
  return std::unique_ptr<Sweeper>(new Sweeper(std::move(*process)));
}

}  // namespace opbyop::harness
