// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds where the first NaN or infinity of a program comes from: the first op with one in a result and none in its
// operands. Traces the reference, or a device that runs the program op by op on its own intermediates.
//
//   Expected<NanTrace> reference = TraceReference(map, plan, inputs, threads);
//   Expected<NanTrace> device = TraceDevice(map, plan, inputs, device, options);
//   if (reference->nan) fmt::print("{}\n", Describe(*reference->nan));
//
// Constants and the program's inputs are not blamed: an infinity in a constant mask comes from no op.
#ifndef OPBYOP_CHAINED_NAN_TRACE_H_
#define OPBYOP_CHAINED_NAN_TRACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chained/chain.h"
#include "chained/chain_device.h"
#include "chained/program_plan.h"
#include "generator/split/case_map.h"
#include "reference/inputs/inputs.h"
#include "support/expected.h"

namespace opbyop::chained {

// Statistics of a tensor of floats or complex numbers. For other types nothing is counted.
struct Contents {
  std::string type;  // "4x16xf32"
  int64_t elements = 0;
  int64_t nans = 0;
  int64_t infinities = 0;
  int64_t first_nan = -1;                 // index of the element, row-major
  int64_t first_infinity = -1;            // as first_nan
  std::optional<double> least, greatest;  // of the finite elements
};
Contents ContentsOf(const reference::Tensor& tensor);

// For example "4x16xf32 from -1 to 3.5, 2 NaN".
std::string Describe(const Contents& contents);

struct NanSite {
  int64_t op = -1;    // in the plan; -1: a call that the reference evaluates as one
  std::string name;   // "log.3"
  std::string place;  // "model.py:12"; empty if the program does not say
  // The calls, branches and loops around it, outermost first: "trip 3 of stablehlo.while at model.py:8", "func.call at
  // model.py:30".
  std::vector<std::string> around;
  std::vector<int64_t> trips;  // of the loops around it, from 0
  bool is_nan = false;         // false: an infinity
  size_t result = 0;
  std::vector<int64_t> index;  // of the first such element
  std::string value;           // "nan", "-inf"
  int64_t count = 0;           // of such elements
  Contents contents;           // of the result
  std::vector<Contents> operands;
  // On a device: what the reference computes from the same operands; nullopt if it cannot.
  std::optional<Contents> reference;
  bool by_device = false;  // false: the reference computed it, perhaps because the device could not run the op

  bool IsAt(const NanSite& other) const { return op == other.op && name == other.name && trips == other.trips; }
};

// Describes it in some lines: "log.3 (model.py:12) gives -inf ...".
std::string Describe(const NanSite& site);

struct NanTrace {
  std::optional<NanSite> nan;
  std::optional<NanSite> infinity;     // the first one before that NaN
  std::vector<std::string> of_inputs;  // the inputs that have a NaN or an infinity: "input 0: 4xf32 ..."
  int64_t executed = 0;                // number of ops
  int64_t substituted = 0;             // the ops of these that the reference ran because the device could not
  // why the program was not run to its end; empty if it was, or if a NaN was found before
  std::string stopped;

  const NanSite* first() const { return nan ? &*nan : infinity ? &*infinity : nullptr; }
};

Expected<NanTrace> TraceReference(generator::CaseMap& map, const ProgramPlan& plan,
                                  const std::vector<reference::InputData>& inputs, int threads);

Expected<NanTrace> TraceDevice(generator::CaseMap& map, const ProgramPlan& plan,
                               const std::vector<reference::InputData>& inputs, ChainDevice& device,
                               ChainOptions options);

// One sentence that says whether the two agree.
std::string Agreement(const NanTrace& reference, const NanTrace& device, const std::string& target);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_NAN_TRACE_H_
