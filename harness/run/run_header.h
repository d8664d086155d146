// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a result stream says of the machine and the moment.
#ifndef OPBYOP_HARNESS_RUN_RUN_HEADER_H_
#define OPBYOP_HARNESS_RUN_RUN_HEADER_H_

#include "manifests/results/result.h"

namespace opbyop::harness {

// run_id, host, git_sha (of $OPBYOP_GIT_SHA, else of the current folder's checkout) and start; the rest is the
// caller's.
RunHeader MachineHeader();

// "AMD EPYC 7B13", or the architecture where the processor does not say.
std::string ProcessorName();

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_RUN_HEADER_H_
