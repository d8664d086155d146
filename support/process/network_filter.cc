// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/network_filter.h"

#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace opbyop {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;  // no system call is looked at
#endif

constexpr uint32_t kTypeBits = 0xf;  // of the second argument of socket(); the others are flags

// The low half of an argument, which is all that the kernel looks at here. Both architectures are little-endian.
constexpr uint32_t Argument(unsigned number) {
  return static_cast<uint32_t>(offsetof(seccomp_data, args) + number * sizeof(uint64_t));
}

sock_filter Load(uint32_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); }

// Where the rule goes on, by the number of the instruction.
enum Place : uint8_t { kProtocol = 9, kAllow = 15, kRefuse = 16, kMissing = 17 };

// Instruction number `at`: goes on at `then` where the loaded word is `value`, else at `otherwise`.
sock_filter Branch(uint8_t at, uint32_t value, uint8_t then, uint8_t otherwise) {
  const auto distance = [at](uint8_t place) { return static_cast<uint8_t>(place - at - 1); };
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, distance(then), distance(otherwise));
}

sock_filter Return(uint32_t what) { return BPF_STMT(BPF_RET | BPF_K, what); }

}  // namespace

bool HasNetworkFilter() {
  const uint32_t action = SECCOMP_RET_ERRNO;
  return kArchitecture != 0 && ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

Expected<void> RefuseDatagrams() {
  sock_filter rules[] = {
      Load(offsetof(seccomp_data, arch)),
      Branch(1, kArchitecture, 2, kAllow),
      Load(offsetof(seccomp_data, nr)),
      Branch(3, SYS_io_uring_setup, kMissing, 4),
      Branch(4, SYS_socket, 5, kAllow),
      Load(Argument(0)),
      Branch(6, AF_PACKET, kRefuse, 7),
      Branch(7, AF_INET, kProtocol, 8),
      Branch(8, AF_INET6, kProtocol, kAllow),
      Load(Argument(1)),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kTypeBits),
      Branch(11, SOCK_STREAM, 12, kRefuse),
      Load(Argument(2)),
      Branch(13, IPPROTO_IP, kAllow, 14),
      Branch(14, IPPROTO_TCP, kAllow, kRefuse),
      Return(SECCOMP_RET_ALLOW),
      Return(SECCOMP_RET_ERRNO | EACCES),
      Return(SECCOMP_RET_ERRNO | ENOSYS),
  };
  static_assert(std::size(rules) == kMissing + 1);
  const sock_fprog program = {static_cast<unsigned short>(std::size(rules)), rules};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
    return MakeError(ExitCode::kInternal, fmt::format("seccomp: {}", std::strerror(errno)));
  }
  return {};
}

}  // namespace opbyop
