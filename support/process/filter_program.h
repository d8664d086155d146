// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds rules for system calls in the form of the kernel's seccomp: a block for each call that is checked, which ends
// with the action for that call.
//
//   FilterProgram program;
//   program.Begin(SYS_socket);
//   program.Load(0);
//   program.ReturnIf(AF_PACKET, SECCOMP_RET_ERRNO | EACCES);
//   program.Return(SECCOMP_RET_ALLOW);
//   program.End();
//   program.Return(SECCOMP_RET_ALLOW);      // for all other calls
//   if (program.Install(0) < 0) ...
//
// Calls of 32-bit programs are not checked.
#ifndef OPBYOP_SUPPORT_PROCESS_FILTER_PROGRAM_H_
#define OPBYOP_SUPPORT_PROCESS_FILTER_PROGRAM_H_

#include <linux/filter.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace opbyop {

class FilterProgram {
 public:
  FilterProgram();

  // Whether the kernel supports rules with this action on this processor.
  static bool IsUsable(uint32_t action);

  // Starts the rules for one call; End ends them.
  void Begin(long number);
  void End();

  // Loads the low half of an argument. The kernel uses only that half of numbers.
  void Load(unsigned argument);

  // These compare the loaded value.
  void ReturnIf(uint32_t value, uint32_t action);
  void ReturnUnless(std::initializer_list<uint32_t> values, uint32_t action);

  // Returns `action` if an argument that is a pointer is null. Replaces the loaded value.
  void ReturnIfNull(unsigned argument, uint32_t action);

  // Keeps only these bits of the loaded value.
  void Mask(uint32_t bits);

  void Return(uint32_t action);

  // Applies the rules to this process and to all that it will start; `flags` are those of SECCOMP_SET_MODE_FILTER.
  // Returns the kernel's result, or -1 with errno if it refused.
  int Install(unsigned flags) const;

 private:
  void Compare(uint32_t value, size_t skipped_then, size_t skipped_otherwise);

  std::vector<sock_filter> code_;
  size_t begin_ = 0;  // start of the current block
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_FILTER_PROGRAM_H_
