// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/segmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace opbyop::optrace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Names(const std::vector<Slice>& row) {
  std::vector<std::string> names;
  for (const Slice& slice : row) names.push_back(slice.name);
  return names;
}

const Occurrence& Of(const std::vector<Occurrence>& all, const std::string& label) {
  return *std::ranges::find(all, label, &Occurrence::label);
}

TEST(SegmentTest, KeepsIntervalsThatDoNotOverlap) {
  const auto row = Segment(std::vector<Interval>{{0, 10, "a"}, {20, 30, "b"}}, 0);
  EXPECT_THAT(Names(row), ElementsAre("a", "b"));
  EXPECT_EQ(row[1].start, 20);
}

TEST(SegmentTest, NamesOverlapsAndTheirMembers) {
  const auto row = Segment(std::vector<Interval>{{0, 10, "b"}, {5, 20, "a"}}, 0);
  EXPECT_THAT(Names(row), ElementsAre("b", "fused_1", "a"));
  EXPECT_THAT(row[1].members, ElementsAre("a", "b"));
}

TEST(SegmentTest, CountsFusedSlicesPerRow) {
  const auto row = Segment(std::vector<Interval>{{0, 4, "a"}, {2, 4, "b"}, {6, 8, "c"}, {6, 8, "d"}}, 0);
  EXPECT_THAT(Names(row), ElementsAre("a", "fused_1", "fused_2"));
}

TEST(SegmentTest, LeavesOutIntervalsWithoutLength) {
  EXPECT_THAT(Segment(std::vector<Interval>{{5, 5, "a"}}, 0), IsEmpty());
}

TEST(SegmentTest, DrawsOneWindowOverSlicesThatTheClockCannotDistinguish) {
  const auto row = Segment(std::vector<Interval>{{0, 3, "a"}, {3, 6, "b"}, {6, 100, "c"}}, 10);
  EXPECT_THAT(Names(row), ElementsAre("fused_1", "c"));
  EXPECT_TRUE(row[0].window);
}

TEST(SegmentTest, KeepsAShortSliceBetweenLongOnes) {
  const auto row = Segment(std::vector<Interval>{{0, 100, "a"}, {100, 103, "b"}, {103, 200, "c"}}, 10);
  EXPECT_THAT(Names(row), ElementsAre("a", "b", "c"));
}

TEST(OccurrencesTest, AGapBeginsAnother) {
  const auto row = Segment(std::vector<Interval>{{0, 10, "a"}, {20, 30, "a"}}, 0);
  EXPECT_EQ(Occurrences(row).size(), 2u);
}

TEST(PlaceByViewTest, IsExactIfAnOpStartsAndEndsAlone) {
  const auto row = Segment(std::vector<Interval>{{0, 30, "a"}, {10, 20, "b"}}, 0);
  const Placement placement = PlaceByView(row, Of(Occurrences(row), "a"));
  EXPECT_TRUE(placement.start_exact && placement.duration_exact);
  EXPECT_EQ(placement.duration, (Bounds{30, 30}));
}

TEST(PlaceByViewTest, BoundsAnOpThatStartsInAFusedSlice) {
  const auto row = Segment(std::vector<Interval>{{0, 20, "a"}, {10, 30, "b"}}, 0);
  const Placement placement = PlaceByView(row, Of(Occurrences(row), "b"));
  EXPECT_FALSE(placement.start_exact);
  EXPECT_EQ(placement.start, (Bounds{10, 20}));
  EXPECT_EQ(placement.duration, (Bounds{10, 20}));
}

TEST(PlaceByViewTest, BoundsTheEndOfAnOpThatEndsInAFusedSlice) {
  const auto row = Segment(std::vector<Interval>{{0, 20, "a"}, {10, 30, "b"}}, 0);
  const Placement placement = PlaceByView(row, Of(Occurrences(row), "a"));
  EXPECT_TRUE(placement.start_exact);
  EXPECT_FALSE(placement.duration_exact);
  EXPECT_EQ(placement.duration, (Bounds{10, 20}));
}

TEST(PlaceByViewTest, BoundsAHiddenOpByItsFirstAndLastSlice) {
  const auto row = Segment(std::vector<Interval>{{0, 30, "a"}, {10, 20, "b"}, {15, 40, "c"}}, 0);
  const Placement placement = PlaceByView(row, Of(Occurrences(row), "b"));
  EXPECT_EQ(placement.start, (Bounds{10, 15}));
  EXPECT_EQ(placement.duration, (Bounds{0, 10}));
}

TEST(PlaceByClockTest, IsExactWithoutWindows) {
  const auto row = Segment(std::vector<Interval>{{0, 20, "a"}, {10, 30, "b"}}, 0);
  const Placement placement = PlaceByClock(row, Of(Occurrences(row), "b"));
  EXPECT_EQ(placement.start, (Bounds{10, 10}));
  EXPECT_EQ(placement.duration, (Bounds{20, 20}));
}

std::vector<Interval> RandomIntervals(std::mt19937& random) {
  static constexpr std::string_view kLabels[] = {"op.0", "op.1", "op.2", "op.3", "op.4",  "op.5",
                                                 "op.6", "op.7", "op.8", "op.9", "op.10", "op.11"};
  std::vector<Interval> intervals;
  const int count = 1 + static_cast<int>(random() % 12);
  for (int i = 0; i < count; ++i) {
    const auto start = static_cast<int64_t>(random() % 100);
    intervals.push_back({start, start + 1 + static_cast<int64_t>(random() % 40), kLabels[i]});
  }
  return intervals;
}

TEST(SegmentPropertyTest, SlicesNeverOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const auto row = Segment(RandomIntervals(random), static_cast<int64_t>(random() % 10));
    for (size_t i = 1; i < row.size(); ++i) ASSERT_GE(row[i].start, row[i - 1].end);
  }
}

TEST(SegmentPropertyTest, SlicesCoverTheSameTimesAsTheIntervals) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    const auto intervals = RandomIntervals(random);
    const auto row = Segment(intervals, 0);
    for (int64_t t = 0; t < 150; ++t) {
      const auto within = [&](const auto& x) { return x.start <= t && t < x.end; };
      ASSERT_EQ(std::ranges::any_of(intervals, within), std::ranges::any_of(row, within)) << t;
    }
  }
}

TEST(SegmentPropertyTest, TheTruthLiesWithinTheBoundsWhateverTheClock) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const auto intervals = RandomIntervals(random);
    const auto row = Segment(intervals, static_cast<int64_t>(random() % 15));
    std::map<std::string, Interval> truth;
    for (const Interval& interval : intervals) truth[std::string(interval.label)] = interval;
    for (const Occurrence& occurrence : Occurrences(row)) {
      const Interval& op = truth[occurrence.label];
      for (const Placement& placed : {PlaceByClock(row, occurrence), PlaceByView(row, occurrence)}) {
        ASSERT_LE(placed.start.min_ps, op.start);
        ASSERT_GE(placed.start.max_ps, op.start);
        ASSERT_LE(placed.duration.min_ps, op.end - op.start);
        ASSERT_GE(placed.duration.max_ps, op.end - op.start);
        if (placed.start_exact) ASSERT_EQ(placed.start.min_ps, op.start);
        if (placed.duration_exact) ASSERT_EQ(placed.duration.max_ps, op.end - op.start);
      }
    }
  }
}

}  // namespace
}  // namespace opbyop::optrace
