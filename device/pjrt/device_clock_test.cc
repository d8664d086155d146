// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/device_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/device_span.h"

namespace opbyop::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kWallNs = 1'700'000'000'000'000'000;  // the wall clock at time 0 of CLOCK_MONOTONIC

const std::vector<HostCall> kCalls = {{1000, 1100}, {1200, 1300}, {1400, 1500}};

// One execution of 60 ns in each call, starting 10, 15 and 30 ns after the call does, on a clock that is `epoch_ns`
// behind.
std::vector<DeviceEvent> Events(int64_t epoch_ns) {
  return {{1010 + epoch_ns, 60'000}, {1215 + epoch_ns, 60'000}, {1430 + epoch_ns, 60'000}};
}

std::string WhyRefused(const std::vector<DeviceEvent>& events, std::optional<int64_t> wall = std::nullopt) {
  const auto runs = PlaceRuns(events, kCalls, wall);
  EXPECT_FALSE(runs);
  return runs ? "" : runs.error().message;
}

TEST(PlaceRunsTest, OnTheWallClockStartsAreExact) {
  const auto runs = PlaceRuns(Events(kWallNs), kCalls, -kWallNs);
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_THAT(runs->starts_ns, ElementsAre(1010, 1215, 1430));
  EXPECT_THAT(runs->microseconds, ElementsAre(0.06, 0.06, 0.06));
  EXPECT_EQ(runs->slack_ns, 0);
}

TEST(PlaceRunsTest, OnAnyOtherClockTheCallsBoundTheStarts) {
  for (const int64_t epoch : {int64_t{0}, int64_t{-1000}, int64_t{-900'000'000}, int64_t{123'456'789}}) {
    const auto runs = PlaceRuns(Events(epoch), kCalls, -kWallNs);
    ASSERT_TRUE(runs) << runs.error().message;
    // The first run starts with its call at the earliest; the last one ends with its call at the latest.
    EXPECT_THAT(runs->starts_ns, ElementsAre(1000, 1205, 1420));
    EXPECT_EQ(runs->slack_ns, 20);
    EXPECT_THAT(runs->microseconds, ElementsAre(0.06, 0.06, 0.06));
  }
}

TEST(PlaceRunsTest, ATrueStartLiesWithinItsBounds) {
  const auto runs = PlaceRuns(Events(-1000), kCalls, std::nullopt);
  ASSERT_TRUE(runs);
  const std::vector<int64_t> truth = {1010, 1215, 1430};
  for (size_t i = 0; i < truth.size(); ++i) {
    EXPECT_LE(runs->starts_ns[i], truth[i]);
    EXPECT_GE(runs->starts_ns[i] + runs->slack_ns, truth[i]);
  }
}

TEST(PlaceRunsTest, DurationsHaveTheDevicesPicoseconds) {
  const auto runs = PlaceRuns(std::vector<DeviceEvent>{{5, 1'234}}, std::vector<HostCall>{{100, 200}}, std::nullopt);
  ASSERT_TRUE(runs);
  EXPECT_DOUBLE_EQ(runs->microseconds[0], 0.001'234);
}

TEST(PlaceRunsTest, ADifferentNumberOfEventsThanRunsIsRefused) {
  std::vector<DeviceEvent> events = Events(0);
  events.pop_back();
  EXPECT_EQ(WhyRefused(events), "the trace has 2 executions, and there were 3 runs");
  EXPECT_EQ(WhyRefused({}), "the trace has 0 executions, and there were 3 runs");
}

TEST(PlaceRunsTest, NoRunIsRefused) { EXPECT_FALSE(PlaceRuns({}, {}, std::nullopt)); }

TEST(PlaceRunsTest, EventsThatNoOffsetPutsWithinTheirCallsAreRefused) {
  std::vector<DeviceEvent> events = Events(0);
  events[1].start_ns += 40;
  EXPECT_THAT(WhyRefused(events), HasSubstr("do not fit into the calls that made them, by 5 ns"));
}

TEST(PlaceRunsTest, AnEventThatIsLongerThanItsCallIsRefused) {
  std::vector<DeviceEvent> events = Events(0);
  events[2].duration_ps = 100'001;
  EXPECT_THAT(WhyRefused(events), HasSubstr("contradicts the host"));
}

TEST(PlaceRunsTest, AnEventOutsideItsCallByTheWallClockIsRefused) {
  EXPECT_THAT(WhyRefused(Events(kWallNs - 1'000'000), -kWallNs), HasSubstr("is 999990 ns before the call"));
  EXPECT_THAT(WhyRefused(Events(kWallNs + 1'000'000), -kWallNs), HasSubstr("ns behind the call"));
}

TEST(PlaceRunsTest, AWallClockThatWasSetInTheMeantimeIsRefused) {
  EXPECT_THAT(WhyRefused(Events(kWallNs)), HasSubstr("which was set meanwhile"));
}

TEST(WallOffsetTest, ConvertsTheWallClockToTheMonotonicClock) {
  const auto offset = WallOffset();
  if (!offset) GTEST_SKIP() << "the machine is too busy to read two clocks at once";
  struct timespec wall = {};
  const int64_t before = device::MonotonicNs();
  ::clock_gettime(CLOCK_REALTIME, &wall);
  const int64_t after = device::MonotonicNs();
  const int64_t placed = wall.tv_sec * 1'000'000'000 + wall.tv_nsec + *offset;
  constexpr int64_t kAdjusted = 100'000;  // a clock that is being slewed
  EXPECT_GE(placed, before - kAdjusted);
  EXPECT_LE(placed, after + kAdjusted);
}

}  // namespace
}  // namespace opbyop::pjrt
