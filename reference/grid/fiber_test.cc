// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/grid/fiber.h"

#include <gtest/gtest.h>

#include <string>

namespace opbyop::reference {
namespace {

TEST(FiberTest, ContinuesWhereItStopped) {
  std::string trace;
  Fiber fiber([&] {
    trace += "a";
    Fiber::Yield();
    trace += "c";
  });
  EXPECT_TRUE(trace.empty());
  fiber.Resume();
  trace += "b";
  EXPECT_FALSE(fiber.done());
  fiber.Resume();
  EXPECT_TRUE(fiber.done());
  EXPECT_EQ(trace, "abc");
}

TEST(FiberTest, Nests) {
  std::string trace;
  Fiber outer([&] {
    Fiber inner([&] {
      trace += "1";
      Fiber::Yield();
      trace += "3";
    });
    inner.Resume();
    trace += "2";
    Fiber::Yield();
    inner.Resume();
    trace += "4";
  });
  outer.Resume();
  trace += "|";
  outer.Resume();
  EXPECT_EQ(trace, "12|34");
  EXPECT_TRUE(outer.done());
}

// Uses 4 KiB of stack per level: 4 MiB in all, too much for a small stack.
int Deep(int n) {
  volatile char room[4096];
  room[0] = static_cast<char>(n);
  return n == 0 ? room[0] : Deep(n - 1) + 1;
}

TEST(FiberTest, HasTheStackOfAThread) {
  int depth = 0;
  Fiber fiber([&] { depth = Deep(1000); });
  fiber.Resume();
  EXPECT_EQ(depth, 1000);
}

TEST(FiberTest, MayBeDestroyedBeforeItStarts) {
  Fiber fiber([] { FAIL(); });
}

TEST(FiberTest, YieldOutsideOfAFiberDoesNothing) { Fiber::Yield(); }

}  // namespace
}  // namespace opbyop::reference
