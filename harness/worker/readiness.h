// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds out whether a target can run on this machine, from its own worker.
//
//   const Readiness readiness = CheckReadiness(target);
//   if (!readiness.can_run()) fmt::print("{}: {}", target.name, readiness.answer);
//
// Starts the worker as a run does, with its restrictions, and sends no request. The worker itself knows which programs,
// packages, variables and devices it needs; a list of them here would only repeat that.
#ifndef OPBYOP_HARNESS_WORKER_READINESS_H_
#define OPBYOP_HARNESS_WORKER_READINESS_H_

#include <string>
#include <vector>

#include "manifests/targets/target.h"

namespace opbyop::harness {

struct Readiness {
  enum class State { kExecutes, kCompilesOnly, kNotInstalled, kBroken };

  State state = State::kBroken;
  // The toolchain's version, or why the worker only compiles or does not start.
  std::string answer;
  // The target's Debian packages that are not installed. Checked only if the target does not execute.
  std::vector<std::string> lacking = {};

  bool can_run() const { return state == State::kExecutes || state == State::kCompilesOnly; }
};

// Returns "runs", "compiles only", "not installed" or "broken".
std::string ToString(Readiness::State state);

// Returns those of Debian's `packages` that are not, or not completely, installed; none on a system without dpkg.
std::vector<std::string> LackingPackages(const std::vector<std::string>& packages);

Readiness CheckReadiness(const Target& target);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_READINESS_H_
