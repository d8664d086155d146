// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A target that is asked one request at a time: compile and execute as calls, each with its verdict in a record.
//
//   TargetClient client(target, RestrictedTargetWorker(target, scratch, "chain"));
//   if (Expected<void> ready = client.Start(); !ready) ...
//   CaseRecord record{.id = c.id};
//   client.Compile(request, record);
//   if (record.status == Status::kPass) Answer answer = client.Execute(c, request, record);
//
// For whoever runs cases without slots. A worker that dies costs the current request; Start brings up another, and
// after a death on the device the target's `recover` and `health` commands have run. The rules are those of a slot,
// which has several workers at work at once and so asks each of them itself (harness/worker/verdict.h).
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
  // Starts nothing yet.
  TargetClient(const Target& target, WorkerSpec spec);

  // The worker up and ready; another where it has ended.
  Expected<void> Start();

  // A worker that has grown beyond this is replaced by the next Start. Default: never.
  void set_rss_limit_kb(int64_t limit) { rss_limit_kb_ = limit; }

  // The request's verb is set here. The stages that its `after` and `until` leave must have passed for a pass.
  Answer Compile(protocol::Request request, CaseRecord& record);

  // Whether the worker has the artifact of a case that was compiled with `keep`.
  bool Keeps(const std::string& case_id) const { return kept_.contains(case_id); }

  // In the request's folder, which holds input_<i>.npy and then output_<i>.npy. `meanwhile` is called while the device
  // works.
  Answer Execute(
      const Case& c, protocol::Request request, CaseRecord& record, const std::function<void()>& meanwhile = [] {});

  // The same in two steps, so that several targets work at once.
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
  std::filesystem::path dir_;   // of the request that is being executed
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_TARGET_CLIENT_H_
