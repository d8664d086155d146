// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/filter_program.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace opbyop {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;  // no system call is checked
#endif

// Both architectures are little-endian.
constexpr uint32_t LowHalf(unsigned argument) {
  return static_cast<uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(uint64_t));
}

sock_filter LoadAt(uint32_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); }

}  // namespace

FilterProgram::FilterProgram() {
  code_.push_back(LoadAt(offsetof(seccomp_data, arch)));
  Compare(kArchitecture, 1, 0);
  Return(SECCOMP_RET_ALLOW);
  code_.push_back(LoadAt(offsetof(seccomp_data, nr)));
#if defined(__x86_64__)
  // x32 programs have other numbers for system calls. Most systems do not support such programs anyway, so their calls
  // are refused as missing.
  constexpr uint32_t kOtherNumbers = 0x40000000;
  code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherNumbers, 0, 1));
  Return(SECCOMP_RET_ERRNO | ENOSYS);
#endif
}

bool FilterProgram::IsUsable(uint32_t action) {
  return kArchitecture != 0 && ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

void FilterProgram::Compare(uint32_t value, size_t skipped_then, size_t skipped_otherwise) {
  code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, static_cast<uint8_t>(skipped_then),
                           static_cast<uint8_t>(skipped_otherwise)));
}

void FilterProgram::Begin(long number) {
  begin_ = code_.size();
  Compare(static_cast<uint32_t>(number), 0, 0);  // End fills in how many instructions are skipped
}

void FilterProgram::End() { code_[begin_].jf = static_cast<uint8_t>(code_.size() - begin_ - 1); }

void FilterProgram::Load(unsigned argument) { code_.push_back(LoadAt(LowHalf(argument))); }

void FilterProgram::ReturnIf(uint32_t value, uint32_t action) {
  Compare(value, 0, 1);
  Return(action);
}

void FilterProgram::ReturnUnless(std::initializer_list<uint32_t> values, uint32_t action) {
  size_t left = values.size();
  for (const uint32_t value : values) Compare(value, left--, 0);
  Return(action);
}

void FilterProgram::ReturnIfNull(unsigned argument, uint32_t action) {
  Load(argument);
  Compare(0, 0, 3);
  code_.push_back(LoadAt(LowHalf(argument) + sizeof(uint32_t)));
  ReturnIf(0, action);
}

void FilterProgram::Mask(uint32_t bits) { code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)); }

void FilterProgram::Return(uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }

int FilterProgram::Install(unsigned flags) const {
  const sock_fprog program = {static_cast<unsigned short>(code_.size()), const_cast<sock_filter*>(code_.data())};
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}

}  // namespace opbyop
