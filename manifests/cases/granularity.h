// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Says what a case consists of: one op, or several ops of a model together.
//
//   Expected<Granularity> granularity = Granularity::Parse("window:2");
//   granularity->ToText();   // "window:2"
#ifndef OPBYOP_MANIFESTS_CASES_GRANULARITY_H_
#define OPBYOP_MANIFESTS_CASES_GRANULARITY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop {

struct Granularity {
  enum class Kind {
    kOp,
    kWindow,  // each op with the producers of its operands: `number` ops
    kModule,  // the ops of a module of the framework; `number` is its depth, 0: the innermost
    kLayer,   // the ops that a model repeats, and those between
    kModel,   // all ops
  };

  Kind kind = Kind::kOp;
  int64_t number = 0;

  static constexpr int64_t kMostInWindow = 100;

  // Returns kUsage for any other text than op, window:K, module, module:DEPTH, layer and model.
  static Expected<Granularity> Parse(std::string_view text);
  std::string ToText() const;

  bool operator==(const Granularity&) const = default;
};

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_CASES_GRANULARITY_H_
