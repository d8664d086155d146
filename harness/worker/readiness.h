// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a target can run on this machine, by what its own worker says.
//
//   const Readiness readiness = CheckReadiness(target);
//   if (!readiness.can_run()) fmt::print("{}: {}", target.name, readiness.answer);
//
// The worker is started as a run starts it, restrictions included, and asked nothing: it knows best which programs,
// packages, variables and devices it needs, and a list of them here would be a second one.
#ifndef OPBYOP_HARNESS_WORKER_READINESS_H_
#define OPBYOP_HARNESS_WORKER_READINESS_H_

#include <string>
#include <vector>

#include "manifests/targets/target.h"

namespace opbyop::harness {

struct Readiness {
  enum class State { kExecutes, kCompilesOnly, kNotInstalled, kBroken };

  State state = State::kBroken;
  std::string answer;                     // the toolchain's version; why the worker compiles only, or does not start
  std::vector<std::string> lacking = {};  // of the target's Debian packages; asked only where it does not execute

  bool can_run() const { return state == State::kExecutes || state == State::kCompilesOnly; }
};

// "runs", "compiles only", "not installed", "broken".
std::string ToString(Readiness::State state);

// Those of Debian's `packages` that are not there, or not wholly. A system without Debian's package manager has none to
// lack.
std::vector<std::string> LackingPackages(const std::vector<std::string>& packages);

Readiness CheckReadiness(const Target& target);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_READINESS_H_
