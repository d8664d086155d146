// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/network_filter.h"

#include <fmt/format.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "support/process/filter_program.h"

namespace opbyop {
namespace {

constexpr uint32_t kTypeBits = 0xf;  // bits of the second argument of socket(); the others are flags
constexpr uint32_t kAllowSocket = SECCOMP_RET_ALLOW, kRefuseSocket = SECCOMP_RET_ERRNO | EACCES;

FilterProgram Rules() {
  FilterProgram program;
  program.Begin(SYS_io_uring_setup);
  program.Return(SECCOMP_RET_ERRNO | ENOSYS);
  program.End();
  program.Begin(SYS_socket);
  program.Load(0);
  program.ReturnIf(AF_PACKET, kRefuseSocket);
  program.ReturnUnless({AF_INET, AF_INET6}, kAllowSocket);
  program.Load(1);
  program.Mask(kTypeBits);
  program.ReturnUnless({SOCK_STREAM}, kRefuseSocket);
  program.Load(2);
  program.ReturnUnless({IPPROTO_IP, IPPROTO_TCP}, kRefuseSocket);
  program.Return(kAllowSocket);
  program.End();
  program.Return(kAllowSocket);
  return program;
}

}  // namespace

bool HasNetworkFilter() { return FilterProgram::IsUsable(SECCOMP_RET_ERRNO); }

Expected<void> RefuseDatagrams() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || Rules().Install(0) != 0) {
    return MakeError(ExitCode::kInternal, fmt::format("seccomp: {}", std::strerror(errno)));
  }
  return {};
}

}  // namespace opbyop
