// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Estimates the cost of running and judging a case from its entry in the manifest.
//
//   double ms = EstimatedMs(c);
//   if (StepsOf(c) > protocol::kMostSteps && !HasChecksums(c)) ...   // the reference will skip it
#ifndef OPBYOP_HARNESS_RUN_CASE_COST_H_
#define OPBYOP_HARNESS_RUN_CASE_COST_H_

#include <cstdint>

#include "manifests/cases/case.h"

namespace opbyop::harness {

// Estimates the milliseconds that a case takes on one core from what it computes and moves. Every case takes some.
double EstimatedMs(const Case& c);

// Estimates the reference's work for one set of inputs, in its steps (protocol/judging_limits.h).
double StepsOf(const Case& c);

// True if the reference judges the case by a sample and by checksums where its work exceeds the limit: one matrix
// product or convolution of floats narrower than f64, or of integers, on one process.
bool HasChecksums(const Case& c);

// Estimates the bytes of arguments, results and bounds that the reference holds at once for one set of inputs, from their
// types; the values within a body or a decomposition come on top. An elementwise op that is right takes less.
double ReferenceBytesOf(const Case& c);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_RUN_CASE_COST_H_
