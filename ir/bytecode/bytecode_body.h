// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that the operations of MLIR bytecode are consistent: counts fit, values are defined where the file says, and
// the stored orders of uses are permutations.
//
//   Expected<BytecodeUses> uses = CheckBody(body, file, numbers);
#ifndef OPBYOP_IR_BYTECODE_BYTECODE_BODY_H_
#define OPBYOP_IR_BYTECODE_BYTECODE_BODY_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/bytecode/bytecode_edit.h"
#include "support/expected.h"

namespace opbyop {

// The version, and the limits of the indices that the body may contain.
struct BytecodeNumbers {
  uint64_t version;
  uint64_t attributes;
  uint64_t types;
  uint64_t operations;  // number of operation names
};

// Refers to an operation's row of properties.
struct BytecodeProperties {
  uint64_t operation;       // index of the operation's name
  uint64_t row;             // index in the section of properties
  std::string_view number;  // the bytes of the file that hold `row`
};

// The places in the file that must be known to change the rows of operations.
struct BytecodeUses {
  std::vector<BytecodeProperties> properties;
  std::vector<BytecodeSection> sections;  // sections nested in the body
};

Expected<BytecodeUses> CheckBody(std::string_view body, std::string_view file, const BytecodeNumbers& numbers);

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_BYTECODE_BODY_H_
