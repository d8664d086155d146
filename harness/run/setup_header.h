// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The header of a run's results: what is run, by which toolchain, and which rows.
#ifndef OPBYOP_HARNESS_RUN_SETUP_HEADER_H_
#define OPBYOP_HARNESS_RUN_SETUP_HEADER_H_

#include <string>
#include <vector>

#include "harness/run/run_setup.h"
#include "harness/slot/slot.h"
#include "harness/worker/toolchain.h"
#include "manifests/results/result.h"
#include "protocol/hello.h"

namespace opbyop::harness {

// The facts that a run has once the first worker has said hello.
struct StartedRun {
  const protocol::Hello& hello;
  const Toolchain& toolchain;
  const SlotSettings& settings;
  std::string compile_only;   // why nothing is executed; empty if cases are executed
  std::string filter;         // by which the rows were chosen; empty if all were
  std::string selected;       // NumbersOf the rows
  std::string other_version;  // CompiledRun::OtherVersion
};

RunHeader MakeHeader(const RunSetup& setup, const StartedRun& started);

// Returns the row numbers in the form of manifests/cases/row_ranges.h; empty if these are all rows of the manifest.
// `rows` point into one list in the manifest's order.
std::string NumbersOf(const Manifest& manifest, std::vector<const Row*> rows);

// Makes the header cover the rows of both runs.
void JoinSelection(const Manifest& manifest, const RunHeader& old, RunHeader& header);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_SETUP_HEADER_H_
