// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rules for system calls, as the kernel's seccomp takes them: a block for each call that is looked at, which ends with
// what is to happen to it.
//
//   FilterProgram program;
//   program.Begin(SYS_socket);
//   program.Load(0);
//   program.ReturnIf(AF_PACKET, SECCOMP_RET_ERRNO | EACCES);
//   program.Return(SECCOMP_RET_ALLOW);
//   program.End();
//   program.Return(SECCOMP_RET_ALLOW);      // of all other calls
//   if (program.Install(0) < 0) ...
//
// Calls of 32-bit programs are not looked at.
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

  // Whether the kernel takes rules for this processor that end so.
  static bool IsUsable(uint32_t action);

  // Between these two are the rules for one call.
  void Begin(long number);
  void End();

  // Takes up the low half of an argument, which is all that the kernel looks at of numbers.
  void Load(unsigned argument);

  // Compare what was taken up.
  void ReturnIf(uint32_t value, uint32_t action);
  void ReturnUnless(std::initializer_list<uint32_t> values, uint32_t action);

  // Where an argument that is a pointer is null. What was taken up is lost.
  void ReturnIfNull(unsigned argument, uint32_t action);

  // Cuts what was taken up to these bits.
  void Mask(uint32_t bits);

  void Return(uint32_t action);

  // For this process and all that it will start, with flags of SECCOMP_SET_MODE_FILTER. What the kernel returned; -1
  // and errno where it refused.
  int Install(unsigned flags) const;

 private:
  void Compare(uint32_t value, size_t skipped_then, size_t skipped_otherwise);

  std::vector<sock_filter> code_;
  size_t begin_ = 0;  // of the current block
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_FILTER_PROGRAM_H_
