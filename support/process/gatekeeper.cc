// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/gatekeeper.h"

#include <fmt/format.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "support/process/io_priority.h"
#include "support/process/process_tree.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

// The most bytes that the kernel writes for a question or reads for an answer: newer kernels have more fields than our
// headers.
constexpr size_t kMostBytes = 1024;

// No process has more ancestors.
constexpr int kMostAncestors = 100000;

// The parent of a process, or of the process of a thread. Returns nullopt if it has ended.
std::optional<pid_t> ParentOf(pid_t process) {
  std::ifstream lines(fmt::format("/proc/{}/status", process));
  constexpr std::string_view kParent = "PPid:";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kParent)) return std::stoi(line.substr(kParent.size()));
  }
  return std::nullopt;
}

// Whether the program has created a PID namespace of its own. Such a namespace contains only its own descendants.
bool HasOtherNumbers(pid_t caller) {
  std::error_code error;
  const fs::path theirs = fs::read_symlink(fmt::format("/proc/{}/ns/pid", caller), error);
  return !error && theirs != fs::read_symlink("/proc/self/ns/pid", error);
}

// A descriptor of a process may be used by the caller: it was checked when it was opened. A folder of /proc, which the
// kernel also accepts, was not checked.
bool IsProcessDescriptor(pid_t caller, uint64_t fd) {
  std::error_code error;
  const std::string what =
      fs::read_symlink(fmt::format("/proc/{}/fd/{}", caller, static_cast<int>(fd)), error).string();
  return what.find("pidfd") != std::string::npos;
}

// The object that a call wants to change: a process, a thread of one, or a group of processes.
struct Named {
  int64_t number;
  bool group = false;
};

Named NamedBy(const seccomp_data& call) {
  const auto argument = [&](unsigned number) { return int64_t{static_cast<int32_t>(call.args[number])}; };
  const auto negative_is_group = [](int64_t number) { return Named{std::abs(number), number < 0}; };
  switch (call.nr) {
    case SYS_ptrace:
      return {argument(1)};
    case SYS_setpriority:
      return {argument(1), argument(0) == PRIO_PGRP};
    case SYS_ioprio_set:
      return {argument(1), argument(0) == kIoPriorityOfGroup};
    case SYS_fcntl:
      return negative_is_group(argument(2));
    case SYS_kill:
      return negative_is_group(argument(0));
    default:
      return {argument(0)};
  }
}

// A group is within a session, and the program has started a session of its own: if one member is a descendant, all
// are.
bool IsOfDescendants(pid_t group) {
  return std::ranges::any_of(DescendantsOf(0), [&](pid_t process) { return ::getpgid(process) == group; });
}

// Returns 0 if the call may continue, else its error.
int AnswerTo(const seccomp_notif& question) {
  const auto caller = static_cast<pid_t>(question.pid);
  if (HasOtherNumbers(caller)) return 0;
  if (question.data.nr == SYS_pidfd_send_signal) {
    return IsProcessDescriptor(caller, question.data.args[0]) ? 0 : EPERM;
  }
  const Named named = NamedBy(question.data);
  const auto number = static_cast<pid_t>(named.number);
  if (named.group ? IsOfDescendants(number) : IsDescendant(number)) return 0;
  const bool is_there = ::kill(named.group ? -number : number, 0) == 0 || errno != ESRCH;
  return is_there ? EPERM : ESRCH;
}

}  // namespace

bool IsDescendant(pid_t process) {
  // If the parent of a process ends meanwhile, its next ancestor adopts the process; another look finds that ancestor.
  constexpr int kLooks = 3;
  for (int look = 0; look < kLooks; ++look) {
    std::optional<pid_t> at = process;
    for (int i = 0; i < kMostAncestors && at && *at > 0; ++i) {
      at = ParentOf(*at);
      if (at == ::getpid()) return true;
    }
    if (at) return false;
  }
  return false;
}

Gatekeeper::Gatekeeper() {
  std::array<int, 2> ends;
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  supervisor_end_ = ends[0];
  child_end_ = ends[1];
}

Gatekeeper::~Gatekeeper() {
  for (const int fd : {supervisor_end_, child_end_, questions_}) {
    if (fd >= 0) ::close(fd);
  }
}

void Gatekeeper::Send(int questions) {
  char byte = 0;
  iovec data = {&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (questions >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &questions, sizeof questions);
  }
  (void)!::sendmsg(child_end_, &message, MSG_NOSIGNAL);
  if (questions >= 0) ::close(questions);
}

void Gatekeeper::Take() {
  ::close(std::exchange(child_end_, -1));
  char byte = 0;
  iovec data = {&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t count = 0;
  do count = ::recvmsg(supervisor_end_, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  const cmsghdr* header = count > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) std::memcpy(&questions_, CMSG_DATA(header), sizeof(int));
  ::close(std::exchange(supervisor_end_, -1));
}

void Gatekeeper::Answer(short events) {
  if ((events & POLLIN) == 0) {  // no process is left that could ask
    ::close(std::exchange(questions_, -1));
    return;
  }
  alignas(seccomp_notif) std::array<char, kMostBytes> question = {};
  // Fails if the calling process has been killed in the meantime.
  if (::ioctl(questions_, SECCOMP_IOCTL_NOTIF_RECV, question.data()) != 0) return;
  const auto& asked = reinterpret_cast<const seccomp_notif&>(question);
  alignas(seccomp_notif_resp) std::array<char, kMostBytes> bytes = {};
  auto& answer = reinterpret_cast<seccomp_notif_resp&>(bytes);
  answer.id = asked.id;
  answer.error = -AnswerTo(asked);
  if (answer.error == 0) answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  (void)::ioctl(questions_, SECCOMP_IOCTL_NOTIF_SEND, bytes.data());
}

}  // namespace opbyop
