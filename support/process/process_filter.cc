// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/process_filter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/ptrace.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "support/process/filter_program.h"
#include "support/process/io_priority.h"

namespace opbyop {
namespace {

// System calls that the headers of the oldest supported systems do not have.
constexpr long kOpenTreeAttributes = 467;  // open_tree_attr, Linux 6.15
constexpr long kFileSetAttributes = 469;   // file_setattr, Linux 6.17
constexpr unsigned kWaitKillable = 1u << 5;

constexpr uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

// Calls with the number of the argument that is a process, or a thread of one.
struct Call {
  long number;
  unsigned process;
};

constexpr Call kProcessors[] = {
    {SYS_sched_setaffinity, 0},
    {SYS_sched_setattr, 0},
    {SYS_sched_setparam, 0},
    {SYS_sched_setscheduler, 0},
};
constexpr Call kMemory[] = {
    {SYS_migrate_pages, 0},    {SYS_move_pages, 0},        {SYS_pidfd_open, 0},
    {SYS_process_vm_readv, 0}, {SYS_process_vm_writev, 0},
};
constexpr Call kSignals[] = {
    {SYS_rt_sigqueueinfo, 0},
    {SYS_rt_tgsigqueueinfo, 0},
    {SYS_tgkill, 0},
    {SYS_tkill, 0},
};

// Calls by which root could leave its mounts or make them writable.
constexpr long kMounts[] = {SYS_mount_setattr, SYS_setns, kOpenTreeAttributes};

// The rules for the process with the number `own`. `ask` is the action for calls on other processes; `ask_thread` is
// used for calls that programs also make with the numbers of their own threads.
FilterProgram Rules(uint32_t own, bool signals, uint32_t ask, uint32_t ask_thread) {
  FilterProgram program;
  const auto own_or = [&](unsigned argument, uint32_t otherwise) {
    program.Load(argument);
    program.ReturnIf(0, kAllow);
    program.ReturnIf(own, kAllow);
    program.Return(otherwise);
  };
  program.Begin(SYS_prlimit64);
  program.ReturnIfNull(2, kAllow);  // the limits are only read
  own_or(0, ask);
  program.End();
  program.Begin(SYS_setpriority);
  program.Load(0);
  program.ReturnIf(PRIO_USER, kRefuse);
  own_or(1, ask);
  program.End();
  program.Begin(SYS_ioprio_set);
  program.Load(0);
  program.ReturnIf(kIoPriorityOfUser, kRefuse);
  own_or(1, ask);
  program.End();
  program.Begin(SYS_ptrace);
  program.Load(0);
  program.ReturnUnless({PTRACE_ATTACH, PTRACE_SEIZE}, kAllow);
  program.Return(ask_thread);
  program.End();
  const auto enter = [&](const Call& call) {
    program.Begin(call.number);
    own_or(call.process, ask_thread);
    program.End();
  };
  for (const Call& call : kProcessors) enter(call);
  for (const Call& call : kMemory) enter(call);
  if (signals) {
    program.Begin(SYS_kill);
    program.Load(0);
    program.ReturnIf(static_cast<uint32_t>(-1), kRefuse);  // signals all processes of the user
    own_or(0, ask_thread);
    program.End();
    for (const Call& call : kSignals) enter(call);
    program.Begin(SYS_pidfd_send_signal);
    program.Return(ask_thread);
    program.End();
    program.Begin(SYS_fcntl);  // sets the receiver of a descriptor's signals
    program.Load(1);
    program.ReturnIf(F_SETOWN_EX, kRefuse);
    program.ReturnUnless({F_SETOWN}, kAllow);
    own_or(2, ask_thread);
    program.End();
  }
  for (const long number : kMounts) {
    program.Begin(number);
    program.Return(kRefuse);
    program.End();
  }
  program.Begin(SYS_ioctl);
  program.Load(1);
  program.ReturnUnless({FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR}, kAllow);
  program.Return(kRefuse);
  program.End();
  program.Begin(kFileSetAttributes);
  program.Return(SECCOMP_RET_ERRNO | ENOSYS);
  program.End();
  program.Return(kAllow);
  return program;
}

}  // namespace

Expected<int> FilterProcesses(const ProcessFilter& filter) {
  const auto own = static_cast<uint32_t>(::getpid());
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return MakeError(ExitCode::kInternal, fmt::format("no_new_privs: {}", std::strerror(errno)));
  }
  if (filter.asks && FilterProgram::IsUsable(SECCOMP_RET_USER_NOTIF)) {
    const FilterProgram asking = Rules(own, filter.signals, SECCOMP_RET_USER_NOTIF, SECCOMP_RET_USER_NOTIF);
    for (const unsigned more : {kWaitKillable, 0u}) {
      const int questions = asking.Install(SECCOMP_FILTER_FLAG_NEW_LISTENER | more);
      if (questions >= 0) return questions;
    }
  }
  if (Rules(own, filter.signals, kRefuse, kAllow).Install(0) != 0) {
    return MakeError(ExitCode::kInternal, fmt::format("seccomp: {}", std::strerror(errno)));
  }
  return -1;
}

}  // namespace opbyop
