// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/start_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "support/test_child.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

int CodeOf(const Expected<void>& started) { return started ? 0 : static_cast<int>(started.error().code); }

TEST(StartProgramTest, TheEndOfAChildIsSeenIfSigchldWasIgnored) {
  EXPECT_EQ(InChild([] {
              ::signal(SIGCHLD, SIG_IGN);
              if (!StartProgram()) return 1;
              const pid_t child = ::fork();
              if (child == 0) ::_exit(7);
              int status = 0;
              return ::waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7 ? 0 : 2;
            }),
            0);
}

TEST(StartProgramTest, BlockedSignalsAreReceived) {
  EXPECT_EQ(InChild([] {
              sigset_t all;
              ::sigfillset(&all);
              ::sigprocmask(SIG_BLOCK, &all, nullptr);
              if (!StartProgram()) return 1;
              ::raise(SIGTERM);
              return 2;
            }),
            128 + SIGTERM);
}

TEST(StartProgramTest, SignalsThatNohupIgnoresStayIgnored) {
  EXPECT_EQ(InChild([] {
              ::signal(SIGHUP, SIG_IGN);
              if (!StartProgram()) return 1;
              ::raise(SIGHUP);
              return 0;
            }),
            0);
}

TEST(StartProgramTest, StandardFilesAreOpen) {
  EXPECT_EQ(InChild([] {
              for (const int fd : {0, 1, 2}) ::close(fd);
              if (!StartProgram()) return 1;
              return ::open("/dev/null", O_RDONLY) == 3 || ::fcntl(2, F_GETFD) >= 0 ? 0 : 2;
            }),
            0);
}

TEST(StartProgramTest, AsManyFilesMayBeOpenAsTheHardLimitAllows) {
  EXPECT_EQ(InChild([] {
              const rlimit few = {10, 100};
              ::setrlimit(RLIMIT_NOFILE, &few);
              if (!StartProgram()) return 1;
              return MostDescriptors() == 100 && DescriptorsOfChildren() == 100 ? 0 : 2;
            }),
            0);
  EXPECT_EQ(InChild([] {
              const rlimit few = {10, 19};
              ::setrlimit(RLIMIT_NOFILE, &few);
              return CodeOf(StartProgram());
            }),
            static_cast<int>(ExitCode::kNoInput));
}

TEST(StartProgramTest, ARemovedWorkingFolderIsAnError) {
  EXPECT_EQ(InChild([] {
              TestFolder folder;
              std::filesystem::current_path(folder.path());
              std::filesystem::remove_all(folder.path());
              return CodeOf(StartProgram());
            }),
            static_cast<int>(ExitCode::kNoInput));
}

}  // namespace
}  // namespace opbyop
