// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Describes the machine and the time in the header of a result stream.
#ifndef OPBYOP_HARNESS_RUN_RUN_HEADER_H_
#define OPBYOP_HARNESS_RUN_RUN_HEADER_H_

#include "manifests/results/result.h"

namespace opbyop::harness {

// Fills run_id, host, git_sha (from $OPBYOP_GIT_SHA, else from the current folder's checkout) and start. The caller
// fills the rest.
RunHeader MachineHeader();

// Returns "AMD EPYC 7B13", or the architecture if the processor has no name.
std::string ProcessorName();

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_RUN_HEADER_H_
