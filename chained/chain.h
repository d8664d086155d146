// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A model run op by op on a device, with the device's own intermediates, beside the reference.
//
//   Expected<CaseMap> map = CaseMap::Make(module, split);
//   Expected<ProgramPlan> plan = ProgramPlan::Make(*map);
//   ChainRecorder recorder(*plan, sink, NowNs());
//   Expected<std::vector<InputData>> outputs = RunChain(*map, *plan, inputs, device, recorder, options);
//   recorder.Finish({});
//
// Two streams of values go through the program. In the device's, each op gets what the device gave before; in the
// reference's own, what the reference gave. After each op the device's output is compared with the reference fed the
// device's inputs (`isolated`, judged by its bound) and fed its own (`accumulated`, no bound: told, not judged).
// Calls, branches and loops follow the device's values. Where the reference would have decided otherwise its own stream
// ends for what depends on the branch, with a warning. What the device cannot do goes on with the reference's value
// on the device's inputs, also with a warning.
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

// How far a chain is: in Prepare, cases that were compiled; then, in each iteration, the op that is next.
struct ChainProgress {
  std::string what;  // "compiled", "iteration 1 of 3: dot_general.3"
  size_t done = 0;
  size_t total = 0;
};

// An op that was just run, with its values still there.
struct ChainStep {
  int64_t id;  // in the plan
  mlir::Operation& op;
  const StreamsFrame& frame;
  const StreamsList& results;
  // Calls, branches and loops, outermost first, with a loop's trip or -1.
  const std::vector<std::pair<mlir::Operation*, int64_t>>& around;
  bool by_device;  // the results are the device's own
};

struct ChainOptions {
  int64_t iterations = 1;         // whole passes over the program; the first is compared
  bool compare = true;            // false: the reference is only asked where the device does not answer
  std::string target;             // for the policy's relaxations
  Policy policy;                  // of bounds
  Arithmetic arithmetic = {};     // that the target declares
  size_t shown_elements = 64;     // of each output, printed with full precision
  int64_t max_trips = 1'000'000;  // of one loop: a device whose condition never turns false would go on for ever
  int threads = 1;                // of the reference
  const std::atomic<bool>* stop = nullptr;  // set: the chain ends before its next op, with kPartial
  std::function<void(const ChainProgress&)> progress = {};
  // Sees each op after its run; false ends the chain with kPartial.
  std::function<bool(const ChainStep&)> observe = {};
  // An op that is wrong, and what the device ran it on.
  std::function<void(const Case&, const std::vector<reference::InputData>&)> failed = {};
};

// The program's results on the device. An error only where neither device nor reference has a value to go on with.
Expected<std::vector<reference::InputData>> RunChain(generator::CaseMap& map, const ProgramPlan& plan,
                                                     const std::vector<reference::InputData>& inputs,
                                                     ChainDevice& device, ChainRecorder& recorder,
                                                     const ChainOptions& options);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_CHAIN_H_
