// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/xspace/executions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/xspace/trace_testing.h"

namespace opbyop::xspace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kDevice = "/device:TPU:0";
constexpr std::string_view kModules = "XLA Modules";

std::string TwoRuns() {
  return Plane(kDevice, Line(kModules, 1000, {{.offset_ps = 5'000, .duration_ps = 700}, {9'999, 42}}));
}

std::string WhyRefused(std::string_view bytes) {
  const auto events = ReadExecutions(bytes);
  EXPECT_FALSE(events);
  return events ? "" : events.error().message;
}

TEST(ReadExecutionsTest, AnEventStartsAtItsOffsetFromItsLine) {
  const auto events = ReadExecutions(TwoRuns());
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_THAT(*events, ElementsAre(DeviceEvent{1005, 700}, DeviceEvent{1009, 42}));
}

TEST(ReadExecutionsTest, EventsAreInOrderOfTime) {
  const auto events = ReadExecutions(Plane(kDevice, Line(kModules, 0, {{9000, 1}, {2000, 1}, {5000, 1}})));
  ASSERT_TRUE(events);
  EXPECT_THAT(*events, ElementsAre(DeviceEvent{2, 1}, DeviceEvent{5, 1}, DeviceEvent{9, 1}));
}

TEST(ReadExecutionsTest, OtherLinesAndPartsOfDevicesAreLeftOut) {
  const std::string steps = Line("Steps", 0, {{1, 1}}), ops = Line("XLA Ops", 0, {{1, 1}});
  const std::string modules = Line(kModules, 0, {{1, 1}});
  for (const std::string_view name : {"/host:CPU", "/device:CUSTOM:1", "/device:TPU:0 SparseCore 1",
                                      "/device:TPU:", "/device:TPU", "/device::0", "Task Environment", ""}) {
    const auto events = ReadExecutions(Plane(name, modules) + Plane(kDevice, steps + ops));
    ASSERT_TRUE(events) << name;
    EXPECT_THAT(*events, IsEmpty()) << name;
  }
}

TEST(ReadExecutionsTest, AnEmptyTraceHasNoExecutions) {
  EXPECT_THAT(*ReadExecutions(""), IsEmpty());
  EXPECT_THAT(*ReadExecutions(std::string_view("\0", 1)), IsEmpty());
}

TEST(ReadExecutionsTest, AZeroByteAfterTheTraceIsIgnored) {
  const auto events = ReadExecutions(TwoRuns() + '\0');
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(events->size(), 2u);
  EXPECT_THAT(WhyRefused(TwoRuns() + std::string(2, '\0')), HasSubstr("no trace"));
}

TEST(ReadExecutionsTest, ExecutionsOnTwoDevicesAreRefused) {
  EXPECT_THAT(WhyRefused(TwoRuns() + Plane("/device:TPU:1", Line(kModules, 0, {{1, 1}}))),
              HasSubstr("two devices, /device:TPU:0 and /device:TPU:1"));
}

TEST(ReadExecutionsTest, AnIdleDeviceDoesNotCount) {
  const auto events = ReadExecutions(Plane("/device:TPU:1", Line(kModules, 0, {})) + TwoRuns());
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(events->size(), 2u);
}

TEST(ReadExecutionsTest, InvalidTimesAreRefused) {
  const auto why = [](int64_t line_ns, const TestEvent& event) {
    return WhyRefused(Plane(kDevice, Line(kModules, line_ns, {event})));
  };
  EXPECT_THAT(why(-1, {1, 1}), HasSubstr("an execution of 1 ps that begins 1 ps after -1 ns"));
  EXPECT_THAT(why(0, {-1, 1}), HasSubstr("begins -1 ps"));
  EXPECT_THAT(why(0, {1, -1}), HasSubstr("an execution of -1 ps"));
  EXPECT_THAT(why(0, {1, 0}), HasSubstr("an execution of 0 ps"));
  EXPECT_THAT(why(INT64_MAX, {1, 1}), HasSubstr("ns"));
}

TEST(ReadExecutionsTest, TheLargestTimesDoNotOverflow) {
  EXPECT_TRUE(ReadExecutions(Plane(kDevice, Line(kModules, INT64_MAX / 4, {{INT64_MAX, INT64_MAX}}))));
}

TEST(ReadExecutionsTest, AggregatedExecutionsAreRefused) {
  EXPECT_THAT(WhyRefused(Plane(kDevice, Line(kModules, 0, {{0, 5, 3}}))), HasSubstr("as sums"));
}

TEST(ReadExecutionsTest, AnyTruncationIsReadOrRefused) {
  const std::string whole = TwoRuns();
  for (size_t size = 1; size < whole.size(); ++size) {
    const auto events = ReadExecutions(std::string_view(whole).substr(0, size));
    if (!events) EXPECT_THAT(events.error().message, HasSubstr("is no trace"));
  }
}

TEST(ReadExecutionsTest, AnyChangedByteIsReadOrRefused) {
  const std::string whole = TwoRuns();
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(value);
      const auto events = ReadExecutions(bytes);
      if (!events) EXPECT_FALSE(events.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace opbyop::xspace
