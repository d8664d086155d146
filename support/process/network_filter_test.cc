// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/network_filter.h"

#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

namespace opbyop {
namespace {

class NetworkFilterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasNetworkFilter()) GTEST_SKIP() << "this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)";
  }

  // Runs `attempt`, which returns the result of a system call, in a process with the rule. Returns its errno, or 0 on
  // success.
  static int Filtered(const std::function<long()>& attempt) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (!RefuseDatagrams()) ::_exit(255);
      ::_exit(attempt() < 0 ? errno : 0);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    return WEXITSTATUS(status);
  }

  static int Socket(int family, int type, int protocol = 0) {
    return Filtered([=] { return ::socket(family, type, protocol); });
  }
};

TEST_F(NetworkFilterTest, DatagramsAreRefused) {
  EXPECT_EQ(Socket(AF_INET, SOCK_DGRAM), EACCES);
  EXPECT_EQ(Socket(AF_INET6, SOCK_DGRAM), EACCES);
  EXPECT_EQ(Socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK), EACCES);
  EXPECT_EQ(Socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP), EACCES);
}

TEST_F(NetworkFilterTest, RawAndPacketSocketsAreRefused) {
  EXPECT_EQ(Socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), EACCES);
  EXPECT_EQ(Socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP), EACCES);
  EXPECT_EQ(Socket(AF_PACKET, SOCK_RAW, ETH_P_ALL), EACCES);
}

TEST_F(NetworkFilterTest, StreamsThatAreNotTcpAreRefused) {
  EXPECT_EQ(Socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP), EACCES);
  EXPECT_EQ(Socket(AF_INET6, SOCK_STREAM, IPPROTO_MPTCP), EACCES);
}

TEST_F(NetworkFilterTest, TcpIsLeftToLandlock) {
  EXPECT_EQ(Socket(AF_INET, SOCK_STREAM), 0);
  EXPECT_EQ(Socket(AF_INET, SOCK_STREAM, IPPROTO_TCP), 0);
}

TEST_F(NetworkFilterTest, LocalSocketsCanBeCreated) {
  EXPECT_EQ(Socket(AF_UNIX, SOCK_DGRAM), 0);
  EXPECT_EQ(Socket(AF_UNIX, SOCK_STREAM), 0);
  EXPECT_EQ(Socket(AF_NETLINK, SOCK_RAW), 0);
  EXPECT_EQ(Filtered([] {
              int pair[2];
              return ::socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
            }),
            0);
}

TEST_F(NetworkFilterTest, NoSocketsByIoUring) {
  EXPECT_EQ(Filtered([] { return ::syscall(SYS_io_uring_setup, 1, nullptr); }), ENOSYS);
}

TEST_F(NetworkFilterTest, WhatItStartsIsUnderTheSameRule) {
  const auto child = [] {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(::socket(AF_INET, SOCK_DGRAM, 0) < 0 ? errno : 0);
    int status = 0;
    ::waitpid(pid, &status, 0);
    errno = WEXITSTATUS(status);
    return errno == 0 ? 0L : -1L;
  };
  EXPECT_EQ(Filtered(child), EACCES);
}

}  // namespace
}  // namespace opbyop
