// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/slot/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace opbyop::harness {
namespace {

using End = Finding::End;

// Replays a case that fails if all of these ran before it.
Replay FailsAfter(std::vector<size_t> spoilers, size_t* cases = nullptr) {
  return [=](std::span<const size_t> before, int) {
    if (cases != nullptr) *cases += before.size() + 1;
    const bool all = std::ranges::all_of(
        spoilers, [&](size_t spoiler) { return std::ranges::find(before, spoiler) != before.end(); });
    return all ? Replayed::kFailed : Replayed::kPassed;
  };
}

TEST(ReplayTest, FindsASpoilerAtAnyPosition) {
  for (size_t spoiler = 0; spoiler < kMostReplayed; ++spoiler) {
    const Finding found = FindSpoiler(kMostReplayed, FailsAfter({spoiler}));
    EXPECT_EQ(found.end, End::kSpoiled);
    EXPECT_EQ(found.spoiler, spoiler);
    EXPECT_EQ(found.with_it, 0u);
  }
}

TEST(ReplayTest, RunsAFewHundredCasesAtMost) {
  for (size_t spoiler = 0; spoiler < kMostReplayed; ++spoiler) {
    size_t cases = 0;
    (void)FindSpoiler(kMostReplayed, FailsAfter({spoiler}, &cases));
    EXPECT_LT(cases, 500u);
  }
}

TEST(ReplayTest, TwoThatSpoilTogetherAreFoundAsTheFirstAndThoseAfterIt) {
  const Finding found = FindSpoiler(20, FailsAfter({7, 12}));
  EXPECT_EQ(found.end, End::kSpoiled);
  EXPECT_EQ(found.spoiler, 7u);
  EXPECT_EQ(found.with_it, 12u);
}

TEST(ReplayTest, TheLastOfTwoSpoilersIsFound) {
  const Replay replay = [](std::span<const size_t> before, int) {
    return std::ranges::any_of(before, [](size_t one) { return one == 3 || one == 11; }) ? Replayed::kFailed
                                                                                         : Replayed::kPassed;
  };
  EXPECT_EQ(FindSpoiler(16, replay).spoiler, 11u);
}

TEST(ReplayTest, NoCaseIsAccusedIfTheFailureDoesNotRecur) {
  const Finding found = FindSpoiler(10, FailsAfter({99}));
  EXPECT_EQ(found.end, End::kNotReproduced);
  EXPECT_FALSE(found.spoiler);
  EXPECT_EQ(found.replayed, 10u);
}

TEST(ReplayTest, NoCaseIsAccusedIfTheCaseAlsoFailsAlone) {
  const Replay replay = [](std::span<const size_t>, int) { return Replayed::kFailed; };
  EXPECT_EQ(FindSpoiler(10, replay).end, End::kByChance);
}

TEST(ReplayTest, NoCaseIsAccusedIfTheFailureRecursOnlyOnce) {
  int calls = 0;
  const Replay replay = [&](std::span<const size_t>, int) {
    return calls++ == 0 ? Replayed::kFailed : Replayed::kPassed;
  };
  const Finding found = FindSpoiler(10, replay);
  EXPECT_EQ(found.end, End::kByChance);
  EXPECT_FALSE(found.spoiler);
}

TEST(ReplayTest, NoCaseIsAccusedIfTheFailureRecursWithoutIt) {
  // The ninth case is a spoiler, but its effect does not show the first time.
  int calls = 0;
  const Replay replay = [&](std::span<const size_t> before, int) {
    const bool spoiled = std::ranges::find(before, size_t{8}) != before.end();
    return spoiled && ++calls > 1 ? Replayed::kFailed : Replayed::kPassed;
  };
  const Finding found = FindSpoiler(10, replay);
  EXPECT_TRUE(!found.spoiler || *found.spoiler == 8) << *found.spoiler;
}

TEST(ReplayTest, AnotherFailureIsNotTheSame) {
  const Replay replay = [](std::span<const size_t>, int) { return Replayed::kOtherwise; };
  EXPECT_EQ(FindSpoiler(10, replay).end, End::kNotReproduced);
}

TEST(ReplayTest, NoCaseIsAccusedIfTheTimeIsOver) {
  int calls = 0;
  const Replay replay = [&](std::span<const size_t>, int) {
    return calls++ < 1 ? Replayed::kFailed : Replayed::kUnknown;
  };
  const Finding found = FindSpoiler(10, replay);
  EXPECT_EQ(found.end, End::kGivenUp);
  EXPECT_FALSE(found.spoiler);
}

TEST(ReplayTest, TheFirstCaseOfAWorkerHasNoSpoiler) {
  const Replay replay = [](std::span<const size_t>, int) { return Replayed::kFailed; };
  EXPECT_EQ(FindSpoiler(0, replay).end, End::kNotReproduced);
}

}  // namespace
}  // namespace opbyop::harness
