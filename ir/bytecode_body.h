// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the operations of MLIR bytecode hold together: counts fit, values are defined where they are said to be, and
// the stored orders of uses are orders.
#ifndef OPBYOP_IR_BYTECODE_BODY_H_
#define OPBYOP_IR_BYTECODE_BODY_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/bytecode_edit.h"
#include "support/expected.h"

namespace opbyop {

// What references in the body may be.
struct BytecodeNumbers {
  uint64_t version;
  uint64_t attributes;
  uint64_t types;
  uint64_t operations;  // names of them
};

// An operation's row of properties.
struct BytecodeProperties {
  uint64_t operation;       // its name's number
  uint64_t row;             // in the section of properties
  std::string_view number;  // where the file says which row
};

// What has to be known to change the rows of operations.
struct BytecodeUses {
  std::vector<BytecodeProperties> properties;
  std::vector<BytecodeSection> sections;  // that are nested in the body
};

Expected<BytecodeUses> CheckBody(std::string_view body, std::string_view file, const BytecodeNumbers& numbers);

}  // namespace opbyop

#endif  // OPBYOP_IR_BYTECODE_BODY_H_
