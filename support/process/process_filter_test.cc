// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests what a supervised program can do to processes that it did not start, with each of the kernel's means and with
// all.
#include "support/process/process_filter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/ptrace.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include "support/process/io_priority.h"
#include "support/process/landlock.h"
#include "support/process/network_filter.h"
#include "support/process/process.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

// Runs `attempt` in a process with the rules, without a supervisor that answers. Returns its errno, or 0 on success.
int Unasked(const std::function<long()>& attempt, bool signals = false) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (!FilterProcesses({.signals = signals, .asks = false})) ::_exit(255);
    ::_exit(attempt() < 0 ? errno : 0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  return WEXITSTATUS(status);
}

long LimitFiles(pid_t process) {
  const rlimit limit = {1 << 20, 1 << 20};
  return ::prlimit(process, RLIMIT_FSIZE, &limit, nullptr);
}

class ProcessFilterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasNetworkFilter()) GTEST_SKIP() << "this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)";
  }
};

TEST_F(ProcessFilterTest, LimitsOfOthersCanBeReadButNotSet) {
  rlimit limit = {};
  EXPECT_EQ(Unasked([] { return LimitFiles(::getppid()); }), EPERM);
  EXPECT_EQ(Unasked([&] { return ::prlimit(::getppid(), RLIMIT_FSIZE, nullptr, &limit); }), 0);
}

TEST_F(ProcessFilterTest, ItMaySetItsOwnLimits) {
  EXPECT_EQ(Unasked([] { return LimitFiles(0); }), 0);
  EXPECT_EQ(Unasked([] { return LimitFiles(::getpid()); }), 0);
}

TEST_F(ProcessFilterTest, PrioritiesOfOthersCannotBeSet) {
  EXPECT_EQ(Unasked([] { return ::setpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()), 19); }), EPERM);
  EXPECT_EQ(Unasked([] { return ::setpriority(PRIO_USER, 0, 19); }), EPERM);
  EXPECT_EQ(Unasked([] { return ::setpriority(PRIO_PROCESS, 0, 19); }), 0);
  EXPECT_EQ(Unasked([] { return ::syscall(SYS_ioprio_set, kIoPriorityOfUser, 0, kIdleIoPriority); }), EPERM);
  EXPECT_EQ(Unasked([] { return ::syscall(SYS_ioprio_set, kIoPriorityOfProcess, ::getppid(), kIdleIoPriority); }),
            EPERM);
  EXPECT_EQ(Unasked([] { return ::syscall(SYS_ioprio_set, kIoPriorityOfProcess, 0, kIdleIoPriority); }), 0);
}

TEST_F(ProcessFilterTest, SignalsToAllProcessesAreRefused) {
  EXPECT_EQ(Unasked([] { return ::kill(-1, 0); }, true), EPERM);
}

TEST_F(ProcessFilterTest, FilesThatCannotBeRemovedAreRefused) {
  const int set_flags = 0x40086602;  // FS_IOC_SETFLAGS, as used by chattr +i
  EXPECT_EQ(Unasked([&] { return ::syscall(SYS_ioctl, 0, set_flags, nullptr); }), EPERM);
}

// --- with a supervisor that answers

struct Means {
  const char* name;
  const char* isolation;
};

class SupervisedProcessTest : public testing::TestWithParam<Means> {
 protected:
  void SetUp() override {
    if (!HasNetworkFilter()) GTEST_SKIP() << "this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)";
    ::setenv("OPBYOP_ISOLATION", GetParam().isolation, 1);
    victim_ = ::fork();
    if (victim_ == 0) {
      while (true) ::pause();
    }
  }

  void TearDown() override {
    ::unsetenv("OPBYOP_ISOLATION");
    if (victim_ <= 0) return;
    ::kill(victim_, SIGKILL);
    int status = 0;
    ::waitpid(victim_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  }

  // The output of Python for `script`, which has `victim` and can start `child`, a process of its own.
  std::string Run(const std::string& script) {
    const std::string prelude = fmt::format(
        "import ctypes, os, resource, signal, subprocess, threading, time\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "victim = {}\n"
        "child = subprocess.Popen(['sleep', '100']).pid\n"
        "def tries(act, *args):\n"
        "    try:\n"
        "        print(act(*args) is not False and 'done' or 'refused')\n"
        "    except OSError as error:\n"
        "        print('refused')\n"
        "def call(number, *args):\n"
        "    if libc.syscall(number, *args) < 0: raise OSError(ctypes.get_errno())\n",
        victim_);
    Expected<std::unique_ptr<Process>> process = Process::Spawn(
        {.argv = {"python3", "-S", "-c", prelude + script}, .supervision = Supervision{.writable = {folder_.path()}}});
    EXPECT_TRUE(process) << process.error().message;
    (*process)->WaitFor(kTestPatience);
    (*process)->DrainLog();
    return std::string((*process)->log().text());
  }

  TestFolder folder_;
  pid_t victim_ = -1;
};

TEST_P(SupervisedProcessTest, LimitsCanBeSetOnlyForItsFamily) {
  const std::string set = "tries(resource.prlimit, {}, resource.RLIMIT_NOFILE, (8, 8))\n";
  EXPECT_EQ(Run(fmt::format(fmt::runtime(set + set + set), "victim", "os.getppid()", "child")),
            "refused\nrefused\ndone\n");
  rlimit limit = {};
  ::prlimit(victim_, RLIMIT_NOFILE, nullptr, &limit);
  EXPECT_GT(limit.rlim_cur, 8u);
}

TEST_P(SupervisedProcessTest, ProcessorsCanBeSetOnlyForItsFamily) {
  EXPECT_EQ(Run("mask = os.sched_getaffinity(0)\n"
                "for pid in (victim, child, threading.get_native_id()): tries(os.sched_setaffinity, pid, mask)\n"
                "tries(os.sched_setscheduler, victim, os.SCHED_IDLE, os.sched_param(0))\n"
                "tries(os.sched_setscheduler, child, os.SCHED_IDLE, os.sched_param(0))\n"),
            "refused\ndone\ndone\nrefused\ndone\n");
}

TEST_P(SupervisedProcessTest, ItMayChangeItsOwnThreads) {
  EXPECT_EQ(Run("ids = []\n"
                "thread = threading.Thread(target=lambda: (ids.append(threading.get_native_id()), time.sleep(0.5)))\n"
                "thread.start()\n"
                "while not ids: time.sleep(0.01)\n"
                "tries(os.sched_setaffinity, ids[0], os.sched_getaffinity(0))\n"
                "thread.join()\n"),
            "done\n");
}

TEST_P(SupervisedProcessTest, ItMayChangeOrphansOfItsFamily) {
  EXPECT_EQ(Run("out = subprocess.run(['sh', '-c', 'sleep 100 >&- & echo $!'], stdout=subprocess.PIPE).stdout\n"
                "tries(resource.prlimit, int(out), resource.RLIMIT_NOFILE, (8, 8))\n"),
            "done\n");
}

TEST_P(SupervisedProcessTest, SignalsReachOnlyItsFamily) {
  EXPECT_EQ(Run("for pid in (victim, os.getppid(), child, os.getpid()): tries(os.kill, pid, 0)\n"
                "tries(os.kill, -1, 0)\n"
                "tries(signal.pidfd_send_signal, os.open(f'/proc/{victim}', os.O_RDONLY), 0)\n"
                "tries(signal.pidfd_send_signal, os.pidfd_open(child), signal.SIGKILL)\n"),
            GetParam().isolation == std::string("landlock,seccomp") && LandlockAbi() >= kLandlockSignalAbi
                ? "refused\nrefused\ndone\ndone\ndone\nrefused\ndone\n"  // -1: it reaches the family
                : "refused\nrefused\ndone\ndone\nrefused\nrefused\ndone\n");
}

TEST_P(SupervisedProcessTest, SignalsOfADescriptorReachOnlyItsFamily) {
  // Landlock checks the signal when it is sent, not the setting.
  const bool scoped = GetParam().isolation != std::string("seccomp") && LandlockAbi() >= kLandlockSignalAbi;
  EXPECT_EQ(Run("import fcntl\n"
                "ends = os.pipe()\n"
                "for pid in (victim, child, os.getpid()): tries(fcntl.fcntl, ends[0], fcntl.F_SETOWN, pid)\n"),
            scoped ? "done\ndone\ndone\n" : "refused\ndone\ndone\n");
}

TEST_P(SupervisedProcessTest, ItsMountsStayAsTheyAre) {
  EXPECT_EQ(Run("class Attributes(ctypes.Structure):\n"
                "    _fields_ = [(name, ctypes.c_uint64) for name in ('set', 'clear', 'propagation', 'users')]\n"
                "writable = Attributes(0, 1, 0, 0)\n"
                "tries(call, 442, -100, b'/', 0, ctypes.byref(writable), 32)\n"),
            "refused\n");
}

TEST_P(SupervisedProcessTest, AGroupWhoseLeaderHasEndedIsStillOfItsFamily) {
  EXPECT_EQ(Run("leader = subprocess.Popen(['sh', '-c', 'sleep 100 >&- & echo'], stdout=-1, preexec_fn=os.setpgrp)\n"
                "leader.stdout.read(), leader.wait()\n"
                "tries(os.killpg, leader.pid, signal.SIGKILL)\n"
                "tries(os.killpg, os.getpgid(victim), 0)\n"),
            "done\nrefused\n");
}

TEST_P(SupervisedProcessTest, AnEndedProcessIsNotFound) {
  EXPECT_EQ(Run("gone = subprocess.Popen(['true'])\n"
                "gone.wait()\n"
                "for act in (lambda: os.kill(gone.pid, 0), lambda: os.sched_setaffinity(gone.pid, {0})):\n"
                "    try: act()\n"
                "    except ProcessLookupError: print('gone')\n"),
            "gone\ngone\n");
}

TEST_P(SupervisedProcessTest, OtherProcessesCannotBeTraced) {
  EXPECT_EQ(Run(fmt::format("for pid in (victim, child): tries(call, {}, {}, pid, 0, 0)\n", SYS_ptrace, PTRACE_SEIZE)),
            "refused\ndone\n");
}

INSTANTIATE_TEST_SUITE_P(, SupervisedProcessTest,
                         testing::Values(Means{"Together", "landlock,seccomp"}, Means{"Alone", "seccomp"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ProcFilesTest, NoOtherProcessCanBeMarkedForTheOutOfMemoryKiller) {
  if (LandlockAbi() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  TestFolder folder;
  const std::string script = fmt::format(
      "for pid in {} $$; do echo 1000 2>/dev/null >/proc/$pid/oom_score_adj && echo $?; done; "
      "(echo 1000 >/proc/{}/task/{}/oom_score_adj) 2>/dev/null && echo $?; "
      "(echo x >/proc/sys/kernel/hostname) 2>/dev/null && echo $?; echo end",
      ::getpid(), ::getpid(), ::getpid());
  const auto process =
      Process::Spawn({.argv = {"sh", "-c", script}, .supervision = Supervision{.writable = {folder.path()}}});
  ASSERT_TRUE(process);
  (*process)->WaitFor(kTestPatience);
  (*process)->DrainLog();
  EXPECT_EQ((*process)->log().text(), "0\nend\n");  // the number of its own process only
}

}  // namespace
}  // namespace opbyop
