// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/readiness.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "harness/worker/scratch.h"
#include "harness/worker/verdict.h"
#include "harness/worker/worker.h"
#include "harness/worker/worker_isolation.h"
#include "support/process/process.h"

namespace opbyop::harness {
namespace {

constexpr const char* kSlot = "doctor";

// Takes the worker's own last line, which says what it lacks; if it printed none, says how it ended.
Readiness NotStarted(const Worker& worker) {
  const Error& error = *worker.start_error();
  const std::vector<std::string> words = worker.last_words();
  const bool absent = error.code == ExitCode::kNoInput;
  return {absent ? Readiness::State::kNotInstalled : Readiness::State::kBroken,
          absent && !words.empty() ? words.back() : error.message};
}

Readiness Started(const Target& target, const protocol::Hello& hello) {
  if (!HasDevice(target)) return {Readiness::State::kCompilesOnly, fmt::format("has no device; {}", hello.version)};
  if (!hello.compile_only.empty()) return {Readiness::State::kCompilesOnly, hello.compile_only};
  return {Readiness::State::kExecutes, hello.version};
}

}  // namespace

std::string ToString(Readiness::State state) {
  switch (state) {
    case Readiness::State::kExecutes:
      return "runs";
    case Readiness::State::kCompilesOnly:
      return "compiles only";
    case Readiness::State::kNotInstalled:
      return "not installed";
    case Readiness::State::kBroken:
      return "broken";
  }
  return "";
}

std::vector<std::string> LackingPackages(const std::vector<std::string>& packages) {
  constexpr std::chrono::seconds kPatience(20);
  std::vector<std::string> lacking;
  if (packages.empty() || !RunCommand({"dpkg-query", "--version"}, kPatience)) return lacking;
  for (const std::string& package : packages) {
    const Expected<std::string> status =
        RunCommand({"dpkg-query", "-W", "-f=${db:Status-Status}\n", package}, kPatience);
    if (!status || status->find("installed\n") != 0) lacking.push_back(package);
  }
  return lacking;
}

Readiness CheckReadiness(const Target& target) {
  AdoptOrphans();
  const Expected<std::unique_ptr<Scratch>> scratch = Scratch::Open();
  if (!scratch) return {Readiness::State::kBroken, scratch.error().message};
  Worker worker(RestrictedTargetWorker(target, **scratch, kSlot));
  Readiness readiness = worker.Start() ? Started(target, worker.hello()) : NotStarted(worker);
  if (readiness.state != Readiness::State::kExecutes) readiness.lacking = LackingPackages(target.packages);
  return readiness;
}

}  // namespace opbyop::harness
