// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How an executable divides the tensors of a sharded case among the devices.
//
//   Expected<CaseDivision> division = DivisionOf(*compiled.facts, request, ttnn);
//   division->sharding->inputs[0];   // as the executable takes argument 0, not as the request asks
//   division->changed;               // ", argument 0 by {devices=[2,1,4]<=[8] last_tile_dim_replicate}"
//
// A compiler may take an argument in another way than the program asks for, such as one whose dimension does not divide
// evenly. It is sent in that way. A result in another way is an error.
#ifndef OPBYOP_DEVICE_PJRT_WORKER_CASE_DIVISION_H_
#define OPBYOP_DEVICE_PJRT_WORKER_CASE_DIVISION_H_

#include <memory>
#include <string>

#include "device/pjrt/divided_program.h"
#include "device/pjrt/executable.h"
#include "manifests/cases/case_sharding.h"
#include "protocol/request.h"
#include "support/expected.h"

namespace opbyop::pjrt {

struct CaseDivision {
  std::shared_ptr<const CaseSharding> sharding;  // null: the case is not divided
  std::string changed;                           // the arguments that the executable takes in another way
};

// `ttnn` is the TTNN text that the compiler left, or empty. Returns kUnsupported if the plugin does not say how the
// executable divides its tensors, otherwise as ReconcileDivision.
Expected<CaseDivision> DivisionOf(const Executable& facts, const protocol::Request& request, const std::string& ttnn);

// The division of a case whose executable has these tensors. Returns kUnsupported if they are more or fewer than the
// case has, kUnexpectedResult if a result is divided in another way than the request asks for, or if an argument is and
// its own way is not understood, and kBadInput for a request whose texts do not fit its types.
Expected<CaseDivision> ReconcileDivision(const DividedProgram& divided, const protocol::Request& request);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_WORKER_CASE_DIVISION_H_
