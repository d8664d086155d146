// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The current op of a chained run: its inputs, and its outcome so far.
#ifndef OPBYOP_CHAINED_OP_STEP_H_
#define OPBYOP_CHAINED_OP_STEP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chained/streams.h"
#include "generator/split/case_map.h"
#include "manifests/status/status.h"
#include "mlir/IR/Operation.h"
#include "reference/inputs/inputs.h"

namespace opbyop::chained {

struct OpStep {
  mlir::Operation& op;
  const StreamsFrame& frame;
  int64_t id;  // in the trace
  generator::CaseInputs inputs;
  const Case* c = nullptr;                  // the case of the op; set if it was given to the device
  std::vector<reference::InputData> given;  // what the device ran on
  // whether every element of its inputs is an independent random value, as in an isolated case
  bool drawn = false;
  Status status = Status::kPass;
  std::string stage, diagnostic;

  // Only the first end that is no pass counts.
  void End(Status with, std::string_view at, std::string why) {
    if (status != Status::kPass) return;
    status = with;
    stage = at;
    diagnostic = std::move(why);
  }

  std::string_view name() const {
    const llvm::StringRef name = op.getName().getStringRef();
    return {name.data(), name.size()};
  }
};

// Names an op in messages: "resnet.py:12: stablehlo.add".
std::string Named(mlir::Operation* op);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_OP_STEP_H_
