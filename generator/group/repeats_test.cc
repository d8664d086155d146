// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/group/repeats.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RepeatsTest, AdjacentCopiesAreFoundBetweenOtherElements) {
  EXPECT_THAT(FindRepeats(std::vector<int32_t>{9, 1, 2, 3, 4, 1, 2, 3, 4, 7}, {.shortest = 4}),
              ElementsAre(Repeat{1, 4, 2, 0}));
}

TEST(RepeatsTest, TheShortestOfThePeriodsThatCoverAsMuchCounts) {
  EXPECT_THAT(FindRepeats(std::vector<int32_t>{1, 2, 1, 2, 1, 2, 1, 2}, {.shortest = 2}),
              ElementsAre(Repeat{0, 2, 4, 0}));
}

TEST(RepeatsTest, APeriodShorterThanAskedForIsNoRepeat) {
  EXPECT_THAT(FindRepeats(std::vector<int32_t>{1, 1, 1, 2, 2, 2}, {.shortest = 2}), IsEmpty());
  EXPECT_THAT(FindRepeats(std::vector<int32_t>{1, 1, 1, 1}, {.shortest = 2}), ElementsAre(Repeat{0, 2, 2, 0}));
}

TEST(RepeatsTest, OneCopyAndAPartAreNoRepeat) {
  EXPECT_THAT(FindRepeats(std::vector<int32_t>{1, 2, 3, 4, 1, 2, 3}, {.shortest = 2}), IsEmpty());
  EXPECT_THAT(FindRepeats(std::vector<int32_t>{}, {.shortest = 2}), IsEmpty());
  EXPECT_THAT(FindRepeats(std::vector<int32_t>{5}, {.shortest = 2}), IsEmpty());
}

TEST(RepeatsTest, ThePartBeforeAndAfterHaveRepeatsOfTheirOwn) {
  EXPECT_THAT(FindRepeats(std::vector<int32_t>{1, 2, 1, 2, 8, 3, 4, 5, 3, 4, 5, 9, 6, 7, 6, 7}, {.shortest = 2}),
              ElementsAre(Repeat{0, 2, 2, 0}, Repeat{5, 3, 2, 0}, Repeat{12, 2, 2, 0}));
}

TEST(RepeatsTest, ARepeatIsPlacedWithinItsSlack) {
  const std::vector<int32_t> sequence = {4, 1, 2, 3, 4, 1, 2, 3, 4, 0};
  EXPECT_THAT(FindRepeats(sequence, {.shortest = 4}), ElementsAre(Repeat{0, 4, 2, 1}));
  const auto later = [](const Repeat& repeat) { return repeat.begin + 1; };
  EXPECT_THAT(FindRepeats(sequence, {.shortest = 4, .place = later}), ElementsAre(Repeat{1, 4, 2, 0}));
  const auto beyond = [](const Repeat& repeat) { return repeat.begin + 100; };
  EXPECT_THAT(FindRepeats(sequence, {.shortest = 4, .place = beyond}), ElementsAre(Repeat{1, 4, 2, 0}));
}

TEST(RepeatsTest, ARepeatThatDoesNotCountLeavesRoomForASmallerOne) {
  const std::vector<int32_t> sequence = {1, 2, 1, 2, 1, 2, 7, 3, 4, 3, 4};
  const auto with_four = [&](const Repeat& repeat) {
    const auto first = sequence.begin() + static_cast<ptrdiff_t>(repeat.begin);
    return std::find(first, first + static_cast<ptrdiff_t>(repeat.period), 4) !=
           first + static_cast<ptrdiff_t>(repeat.period);
  };
  EXPECT_THAT(FindRepeats(sequence, {.shortest = 2, .counts = with_four}), ElementsAre(Repeat{7, 2, 2, 0}));
}

TEST(RepeatsTest, ALongSequenceWithoutRepeatsEnds) {
  std::vector<int32_t> sequence(100'000);
  std::iota(sequence.begin(), sequence.end(), 0);
  EXPECT_THAT(FindRepeats(sequence, {.shortest = 4}), IsEmpty());
}

}  // namespace
}  // namespace opbyop::generator
