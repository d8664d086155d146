// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a model op by op on a device, on the device's own intermediates, and in the reference at the same time.
//
//   Expected<CaseMap> map = CaseMap::Make(module, split);
//   Expected<ProgramPlan> plan = ProgramPlan::Make(*map);
//   ChainRecorder recorder(*plan, sink, NowNs());
//   Expected<std::vector<InputData>> outputs = RunChain(*map, *plan, inputs, device, recorder, options);
//   recorder.Finish({});
//
// Two streams of values go through the program. In the device's stream, each op gets what the device computed before;
// in the reference's own stream, what the reference computed. After each op the device's output is compared with two
// outputs of the reference: on the device's inputs (`isolated`, judged by its bound), and on the reference's own inputs
// (`accumulated`, which has no bound and is only reported). Calls, branches and loops follow the device's values. If
// the reference would have decided otherwise, its own stream ends for everything that depends on the branch, with a
// warning. If the device cannot run an op, the chain continues with the reference's value on the device's inputs, also
// with a warning.
#ifndef OPBYOP_CHAINED_CHAIN_H_
#define OPBYOP_CHAINED_CHAIN_H_

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "chained/chain_device.h"
#include "chained/chain_recorder.h"
#include "chained/program_plan.h"
#include "chained/streams.h"
#include "generator/split/case_map.h"
#include "manifests/policies/policy.h"
#include "manifests/targets/arithmetic.h"
#include "reference/inputs/inputs.h"
#include "support/expected.h"

namespace opbyop::chained {

// The progress of a chain: in Prepare, the cases compiled so far; then, in each iteration, the op that is next.
struct ChainProgress {
  std::string what;  // "compiled", "iteration 1 of 3: dot_general.3"
  size_t done = 0;
  size_t total = 0;
};

// An op that was just run. Its values still exist.
struct ChainStep {
  int64_t id;  // in the plan
  mlir::Operation& op;
  const StreamsFrame& frame;
  const StreamsList& results;
  // The calls, branches and loops around the op, outermost first, each with the trip of a loop, or -1.
  const std::vector<std::pair<mlir::Operation*, int64_t>>& around;
  bool by_device;  // whether the results are the device's own
};

struct ChainOptions {
  int64_t iterations = 1;                   // whole passes over the program; the first is compared
  bool compare = true;                      // false: the reference only runs the ops that the device cannot
  std::string target;                       // for the policy's relaxations
  Policy policy;                            // of bounds
  Arithmetic arithmetic = {};               // as the target declares it
  size_t shown_elements = 64;               // of each output, printed in full precision
  int64_t max_trips = 1'000'000;            // of one loop; ends a chain whose condition on the device never turns false
  int threads = 1;                          // of the reference
  const std::atomic<bool>* stop = nullptr;  // if set, the chain ends before its next op, with kPartial
  std::function<void(const ChainProgress&)> progress = {};
  // Called after each op; if it returns false, the chain ends with kPartial.
  std::function<bool(const ChainStep&)> observe = {};
  // Called for each op that is wrong, with the inputs that the device ran it on.
  std::function<void(const Case&, const std::vector<reference::InputData>&)> failed = {};
};

// Returns the program's results on the device. An error if neither the device nor the reference can run an op.
Expected<std::vector<reference::InputData>> RunChain(generator::CaseMap& map, const ProgramPlan& plan,
                                                     const std::vector<reference::InputData>& inputs,
                                                     ChainDevice& device, ChainRecorder& recorder,
                                                     const ChainOptions& options);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_CHAIN_H_
