// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the text of a compiled HLO program: its instructions in the order of the schedule, their shapes and the names
// that they have from the program that was compiled.
//
//   HloText program = ReadHloText(text);
//   const HloInstruction& fusion = program.computations.at(program.entry)[2];
//   fusion.name;                        // "add_sine_fusion"
//   OpNamesOf(program, fusion);         // {"sine.3", "add.2", "tanh.1"}, of the fused computation too
//   LiveBytes(program)["add_sine_fusion"];   // of all values that are still needed while it runs
//
// The text is a compiler's, in a form that changes: a line that is not understood is left out.
#ifndef OPBYOP_CHAINED_HLO_TEXT_H_
#define OPBYOP_CHAINED_HLO_TEXT_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop::chained {

struct HloInstruction {
  std::string name;
  std::string opcode;   // "fusion"
  std::string op_name;  // of its metadata; may be empty
  double bytes = 0;     // of its result
  bool is_root = false;
  std::vector<std::string> operands;
  std::vector<std::string> calls;  // the computations that it calls
  int64_t group = 0;               // the devices of a group in a collective; 0: it is none, or unknown

  friend bool operator==(const HloInstruction&, const HloInstruction&) = default;
};

struct HloText {
  std::map<std::string, std::vector<HloInstruction>> computations;
  std::string entry;
  int64_t devices = 1;  // that run the program at once
};

HloText ReadHloText(std::string_view text);

// Its own op_name, and those of all instructions in the computations that it calls.
std::set<std::string> OpNamesOf(const HloText& program, const HloInstruction& instruction);

// For each instruction of the entry computation, the bytes of the arguments, of its own result and of all results that
// are read by it or later. Results that only name others, such as tuples, have none of their own. What a called
// computation needs meanwhile, and what an allocator adds, is not known.
std::map<std::string, double> LiveBytes(const HloText& program);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_HLO_TEXT_H_
