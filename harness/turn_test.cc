#include "harness/turn.h"

#include <gtest/gtest.h>

namespace opbyop::harness {
namespace {

TEST(TurnTest, AsManyAsThereArePlaces) {
  std::counting_semaphore<> turns(2);
  Turn first(&turns), second(&turns), third(&turns);
  EXPECT_TRUE(first.TryTake());
  EXPECT_TRUE(second.TryTake());
  EXPECT_FALSE(third.TryTake());
  first.Give();
  EXPECT_TRUE(third.TryTake());
}

TEST(TurnTest, TakenTwiceIsOnePlace) {
  std::counting_semaphore<> turns(1);
  {
    Turn turn(&turns);
    turn.Take();
    turn.Take();
    EXPECT_EQ(turn.waited_ms(), 0);
  }
  EXPECT_TRUE(turns.try_acquire());
  EXPECT_FALSE(turns.try_acquire());
}

TEST(TurnTest, WithoutLimitEveryTurnIsFree) {
  Turn first(nullptr), second(nullptr);
  EXPECT_TRUE(first.TryTake());
  EXPECT_TRUE(second.TryTake());
}

}  // namespace
}  // namespace opbyop::harness
