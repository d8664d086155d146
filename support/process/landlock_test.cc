// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/landlock.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

class LandlockTest : public testing::Test {
 protected:
  void SetUp() override {
    if (LandlockAbi() == 0) GTEST_SKIP() << "this kernel has no Landlock (CONFIG_SECURITY_LANDLOCK, lsm=landlock)";
    fs::create_directories(own_);
    fs::create_directories(other_);
    ASSERT_TRUE(WriteFile(other_ / "output_0.npy", "theirs"));
  }

  // Whether `attempt` succeeds in a process that may write only to `own_`.
  bool Restricted(const std::function<bool()>& attempt, bool network = false) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (!Restrict({{own_, folder_.path() / "absent"}, network})) ::_exit(2);
      ::_exit(attempt() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << status;
    return status == 0;
  }

  static bool Binds() {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }

  TestFolder folder_;
  const fs::path own_ = folder_.path() / "slot-0", other_ = folder_.path() / "slot-1";
};

TEST_F(LandlockTest, ItsOwnFolderIsWritable) {
  EXPECT_TRUE(Restricted([&] { return WriteFile(own_ / "a/output_0.npy", "mine").has_value(); }));
  EXPECT_TRUE(Restricted([&] { return fs::remove_all(own_ / "a") == 2; }));
}

TEST_F(LandlockTest, FoldersOfOthersAreReadOnly) {
  const fs::path theirs = other_ / "output_0.npy";
  EXPECT_TRUE(Restricted([&] { return ReadFile(theirs).value_or("") == "theirs"; }));
  EXPECT_FALSE(Restricted([&] { return WriteFile(theirs, "forged").has_value(); }));
  EXPECT_FALSE(Restricted([&] { return ::truncate(theirs.c_str(), 0) == 0; }));
  EXPECT_FALSE(Restricted([&] { return ::unlink(theirs.c_str()) == 0; }));
  EXPECT_FALSE(Restricted([&] { return WriteFile(other_ / "new", "x").has_value(); }));
  EXPECT_FALSE(Restricted([&] { return ::rename(theirs.c_str(), (own_ / "stolen").c_str()) == 0; }));
  EXPECT_FALSE(Restricted([&] { return ::mkdir((folder_.path() / "slot-2").c_str(), 0700) == 0; }));
  EXPECT_EQ(ReadFile(theirs).value_or(""), "theirs");
}

TEST_F(LandlockTest, WhatItStartsIsUnderTheSameRule) {
  EXPECT_FALSE(Restricted([&] { return std::system(("rm -r " + other_.string() + " 2>/dev/null").c_str()) == 0; }));
  EXPECT_TRUE(fs::exists(other_ / "output_0.npy"));
}

TEST_F(LandlockTest, DevicesStayUsable) {
  EXPECT_TRUE(Restricted([] { return ::open("/dev/null", O_WRONLY | O_TRUNC) >= 0; }));
}

TEST_F(LandlockTest, ADeviceCannotBeMade) {
  EXPECT_FALSE(Restricted([&] { return ::mknod((own_ / "null").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0; }));
}

TEST_F(LandlockTest, DevShmIsNoDevice) {
  const std::string file = "/dev/shm/opbyop-landlock-test-" + std::to_string(::getpid());
  EXPECT_FALSE(Restricted([&] { return ::open(file.c_str(), O_WRONLY | O_CREAT, 0600) >= 0; }));
  fs::remove(file);
}

TEST_F(LandlockTest, TheNetworkIsUsableOnlyIfRequested) {
  if (LandlockAbi() < 4) GTEST_SKIP() << "Landlock " << LandlockAbi() << " knows no network: Linux 6.7 does";
  EXPECT_FALSE(Restricted(Binds, false));
  EXPECT_TRUE(Restricted(Binds, true));
}

TEST_F(LandlockTest, ProcessesOutsideAreNotSignalled) {
  if (LandlockAbi() < 6) GTEST_SKIP() << "Landlock " << LandlockAbi() << " knows no signals: Linux 6.12 does";
  EXPECT_FALSE(Restricted([] { return ::kill(::getppid(), 0) == 0; }));
}

}  // namespace
}  // namespace opbyop
