// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The values of the program in both streams of a chained run. A frame finds the values of an op's operands.
//
//   StreamsFrame frame(around);                 // of a region; `around` has what is defined outside of it
//   frame.Set(result, {device, own, ""});
//   const Streams* value = frame.Find(operand);
#ifndef OPBYOP_CHAINED_STREAMS_H_
#define OPBYOP_CHAINED_STREAMS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Value.h"
#include "reference/eval/evaluator.h"

namespace opbyop::chained {

struct Streams {
  reference::Value device;
  std::optional<reference::Value> own;  // the reference's value; nullopt if its stream has ended
  std::string input;                    // the model's input that this value is; empty: none
  bool drawn = false;                   // whether its elements are independent random values of such an input
};
using StreamsList = std::vector<Streams>;

// The values that are defined in a region and around it.
class StreamsFrame {
 public:
  explicit StreamsFrame(const StreamsFrame* around) : around_(around) {}
  const Streams* Find(mlir::Value key) const {
    for (const StreamsFrame* frame = this; frame != nullptr; frame = frame->around_) {
      const auto found = frame->values_.find(key);
      if (found != frame->values_.end()) return &found->second;
    }
    return nullptr;
  }
  void Set(mlir::Value key, Streams value) { values_[key] = std::move(value); }
  void Drop(mlir::Value key) { values_.erase(key); }

 private:
  const StreamsFrame* around_;
  llvm::DenseMap<mlir::Value, Streams> values_;
};

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_STREAMS_H_
