// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/reading_child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace opbyop {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int kCode = 7;

// How a child ends that runs this function.
Expected<Exit> End(const std::function<int()>& work, const ReadingLimits& limits = {}) {
  Expected<ReadingChild> child = ReadingChild::Start(limits, work);
  EXPECT_TRUE(child) << child.error().message;
  return child->Wait();
}

// How a child ends that runs this function while it reads.
Expected<Exit> EndOfReading(const std::function<void()>& work, const ReadingLimits& limits = {}) {
  return End(
      [&] {
        const ReadingScope scope("strange.mlir", 821);
        work();
        return kCode;
      },
      limits);
}

std::string MessageOf(const Expected<Exit>& end) {
  EXPECT_FALSE(end) << end->Describe();
  if (end) return "";
  EXPECT_EQ(end.error().code, ExitCode::kBadInput);
  return end.error().message;
}

void Spin() {
  volatile bool forever = true;
  while (forever) {
  }
}

TEST(ReadingChildTest, GivesTheExitCodeOfItsWork) {
  const Expected<Exit> end = End([] { return kCode; });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->code, kCode);
}

TEST(ReadingChildTest, AnswersUntilItEnds) {
  Expected<ReadingChild> child = ReadingChild::Start({}, [] {
    while (const std::optional<std::string> text = ReadingChild::ToParent().Receive()) {
      if (*text == "end") break;
      ReadingChild::ToParent().Send(*text + "!");
    }
    return kCode;
  });
  for (const char* text : {"one", "two"}) {
    child->connection().Send(text);
    EXPECT_EQ(child->connection().Receive(), std::string(text) + "!");
  }
  child->connection().Send("end");
  EXPECT_EQ(child->connection().Receive(), std::nullopt);
  child->connection().Send("to nobody");
  EXPECT_EQ(child->Wait()->code, kCode);
}

TEST(ReadingChildTest, ALongTextIsCut) {
  Expected<ReadingChild> child = ReadingChild::Start({}, [] {
    ReadingChild::ToParent().Send(std::string(1 << 20, 'x'));
    return kCode;
  });
  EXPECT_EQ(child->connection().Receive(), std::string(4096, 'x'));
}

TEST(ReadingChildTest, EachProgramHasTheWholeOfItsLimits) {
  // Two of these take more than 64 MB if the memory of the first counts for the second.
  const auto read = [] {
    const ReadingScope scope("fine.mlir", 1);
    return std::vector<char>(40 << 20, 'x');
  };
  const Expected<Exit> end = End(
      [&] {
        const std::vector<char> first = read();
        const std::vector<char> second = read();
        const ReadingScope scope("strange.mlir", 821);
        Spin();
        return first.size() == second.size() ? kCode : 0;
      },
      {.seconds = 1, .memory_mb = 64});
  EXPECT_THAT(MessageOf(end), HasSubstr("strange.mlir: reading it takes more than 1 s of processor time"));
}

TEST(ReadingChildTest, ADeathWhileReadingNamesTheFileAndTheSignal) {
  EXPECT_THAT(MessageOf(EndOfReading([] { ::raise(SIGSEGV); })),
              AllOf(HasSubstr("strange.mlir: "), HasSubstr("SIGSEGV")));
}

TEST(ReadingChildTest, ADeathWhileReadingQuotesTheLastWordsOfLlvm) {
  const auto die = [] {
    std::fputs("noise\nLLVM ERROR: SmallVector unable to grow. Requested capacity\nmore\n", stderr);
    std::abort();
  };
  EXPECT_THAT(MessageOf(EndOfReading(die)),
              HasSubstr("SIGABRT (Aborted): SmallVector unable to grow. Requested capacity;"));
}

TEST(ReadingChildTest, ALibraryThatExitsWhileReadingIsADeathToo) {
  EXPECT_THAT(MessageOf(EndOfReading([] { ::_exit(0); })), HasSubstr("exit code 0"));
}

TEST(ReadingChildTest, ADeathAfterReadingIsNotBlamedOnTheFile) {
  const Expected<Exit> end = End([] {
    {
      const ReadingScope scope("fine.mlir", 1);
    }
    ::raise(SIGKILL);
    return 0;
  });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->signal, SIGKILL);
}

TEST(ReadingChildTest, ReadingThatTakesTooLongNamesTheLimitAndItsOption) {
  EXPECT_THAT(MessageOf(EndOfReading(Spin, {.seconds = 1})),
              AllOf(HasSubstr("more than 1 s of processor time, the limit for a file of 821 bytes"),
                    HasSubstr("--read-timeout raises it")));
}

TEST(ReadingChildTest, ReadingThatTakesTooMuchMemoryNamesTheLimitAndItsOption) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's allocator does not report what it was refused";
#else
  const auto eat = [] {
    std::vector<std::vector<char> > eaten;
    while (true) eaten.emplace_back(1 << 20, 'x');
  };
  EXPECT_THAT(MessageOf(EndOfReading(eat, {.memory_mb = 64})),
              AllOf(HasSubstr("more than 64 MB of memory"), HasSubstr("--read-memory raises it")));
#endif
}

TEST(ReadingChildTest, WorkAfterReadingHasNoLimit) {
  const Expected<Exit> end = End(
      [] {
        {
          const ReadingScope scope("fine.mlir", 1);
        }
        const std::vector<char> large(256 << 20, 'x');
        return large.back() == 'x' ? kCode : 0;
      },
      {.memory_mb = 64});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->code, kCode);
}

TEST(ReadingChildTest, LimitsGrowWithTheFile) {
  const ReadingLimits limits;
  EXPECT_EQ(limits.SecondsFor(0), 10);
  EXPECT_EQ(limits.SecondsFor(100 << 20), 210);
  EXPECT_EQ(limits.MemoryMbFor(0), 1024);
  EXPECT_EQ(limits.MemoryMbFor(100 << 20), 7424);
}

TEST(ReadingChildTest, AScopeInAnotherKeepsTheLimitsOfTheOuterOne) {
  const Expected<Exit> end = EndOfReading([] {
    {
      const ReadingScope inner("other.mlir", 1);
    }
    ::raise(SIGSEGV);
  });
  EXPECT_THAT(MessageOf(end), HasSubstr("strange.mlir"));
}

TEST(ReadingChildTest, AScopeInAnyOtherProcessDoesNothing) {
  const ReadingScope scope("fine.mlir", 1);
  const std::vector<char> large(256 << 20, 'x');
  EXPECT_EQ(large.back(), 'x');
}

TEST(ReadingChildTest, ASignalToTheParentEndsItsChild) {
  EXPECT_EXIT(
      {
        const Expected<int> code = RunInReadingChild({}, [] {
          ::kill(::getppid(), SIGTERM);
          while (true) ::pause();
          return 0;
        });
        ::_exit(code ? *code : 1);
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace opbyop
