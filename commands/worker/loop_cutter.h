// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reference as a worker, which offers the same loop with three trips, or two, where a loop is too much for it
// (docs/worker-protocol.md, `smaller`).
//
//   LoopCutter worker(limits, std::move(meanings));
//   return protocol::ServeWorker(reference::ReferenceWorker::MakeHello(), worker);
#ifndef OPBYOP_COMMANDS_WORKER_LOOP_CUTTER_H_
#define OPBYOP_COMMANDS_WORKER_LOOP_CUTTER_H_

#include <string>
#include <utility>

#include "protocol/worker_server.h"
#include "reference/eval/estimate.h"
#include "reference/worker/reference_worker.h"

namespace opbyop {

class LoopCutter : public protocol::WorkerHandler {
 public:
  explicit LoopCutter(reference::WorkLimits limits = {}, reference::Meanings meanings = {})
      : limits_(limits), worker_(limits, std::move(meanings)) {}

  // A loop whose trips cannot be cut, or that is still too much then, keeps its answer, with the reason.
  protocol::Reply Handle(const protocol::Request& request, protocol::StageEvents& events) override;

 private:
  // Returns why there is no smaller program; empty if it is in the reply.
  std::string Offer(const protocol::Request& request, protocol::Reply& reply) const;

  reference::WorkLimits limits_;
  reference::ReferenceWorker worker_;
};

}  // namespace opbyop

#endif  // OPBYOP_COMMANDS_WORKER_LOOP_CUTTER_H_
