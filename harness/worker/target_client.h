// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sends one request at a time to a target: compiles and executes cases and puts each verdict in a record.
//
//   TargetClient client(target, RestrictedTargetWorker(target, scratch, "chain"));
//   if (Expected<void> ready = client.Start(); !ready) ...
//   CaseRecord record{.id = c.id};
//   client.Compile(request, record);
//   if (record.status == Status::kPass) Answer answer = client.Execute(c, request, record);
//
// For programs that run cases without slots. If the worker dies only the current request is lost; Start starts another.
// After a death on the device the target's `recover` and `health` commands are run. The rules are those of a slot,
// which has several workers busy at once and sends requests to each of them itself (harness/worker/verdict.h).
#ifndef OPBYOP_HARNESS_WORKER_TARGET_CLIENT_H_
#define OPBYOP_HARNESS_WORKER_TARGET_CLIENT_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "harness/worker/worker.h"
#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/expected.h"

namespace opbyop::harness {

class TargetClient {
 public:
  // Does not start the worker yet.
  TargetClient(const Target& target, WorkerSpec spec);

  // Starts the worker unless it is ready; replaces one that has ended.
  Expected<void> Start();

  // The next Start replaces a worker that has grown beyond this. Default: never.
  void set_rss_limit_kb(int64_t limit) { rss_limit_kb_ = limit; }

  // Sends a `compile`. To pass, all stages that its `after` and `until` leave must have passed.
  Answer Compile(protocol::Request request, CaseRecord& record);

  // True if the worker has the artifact of a case that was compiled with `keep`.
  bool Keeps(const std::string& case_id) const { return kept_.contains(case_id); }

  // Sends an `execute`. The request's folder holds input_<i>.npy and then output_<i>.npy. `meanwhile` is called while
  // the device works.
  Answer Execute(
      const Case& c, protocol::Request request, CaseRecord& record, const std::function<void()>& meanwhile = [] {});

  // The same in two steps, so that several targets can work at once.
  void BeginExecute(const Case& c, protocol::Request request);
  Answer EndExecute(const Case& c, CaseRecord& record);

  const Target& target() const { return target_; }
  const protocol::Hello& hello() const { return worker_.hello(); }
  bool Ready() { return worker_.Ready(); }

 private:
  Target target_;
  Worker worker_;
  int64_t rss_limit_kb_ = INT64_MAX;
  std::set<std::string> kept_;  // cases whose artifacts the worker has until it ends
  std::filesystem::path dir_;   // folder of the request that is being executed
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_TARGET_CLIENT_H_
