// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/device_span.h"

#include <gtest/gtest.h>

namespace opbyop::device {
namespace {

TEST(DeviceLog, HasTheRunOfMedianTimeAndTheSpanOfAllRuns) {
  DeviceLog log;
  EXPECT_EQ(log.AddRuns({100, 200, 300, 400}, {0.03, 0.05, 0.02, 0.04}), 0U);
  ASSERT_EQ(log.spans.size(), 2U);
  EXPECT_EQ(log.spans[0].kind, "repeats");
  EXPECT_EQ(log.spans[0].start_ns, 100);
  EXPECT_EQ(log.spans[0].dur_ns, 340);
  EXPECT_EQ(log.spans[1].kind, "execute");
  EXPECT_EQ(log.spans[1].index, 0);
  EXPECT_EQ(log.spans[1].start_ns, 100);
  EXPECT_EQ(log.spans[1].dur_ns, 30);
  EXPECT_EQ(log.longest_ns, 50);
}

TEST(DeviceLog, ASingleRunHasNoRepeatsSpan) {
  DeviceLog log;
  log.AddRuns({100}, {0.03});
  ASSERT_EQ(log.spans.size(), 1U);
  EXPECT_EQ(log.spans[0].kind, "execute");
}

TEST(DeviceLog, RunsOnTheDevicesClockHaveTheUncertaintyOfTheirStarts) {
  DeviceLog log;
  log.AddRuns({100, 200, 300}, {0.03, 0.05, 0.04}, {.device = true, .slack_ns = 7});
  EXPECT_EQ(SpanLines(log.spans), "repeats 0 100 240 clock=device slack=7\nexecute 2 300 40 clock=device slack=7\n");
  log.spans.clear();
  log.AddRuns({100}, {0.03}, {.device = true});
  EXPECT_EQ(SpanLines(log.spans), "execute 0 100 30 clock=device\n");
}

TEST(SpanTimer, WithoutALogNothingIsTimed) { const SpanTimer timer(nullptr, "load"); }

TEST(SpanTimer, RecordsASpanAtItsEnd) {
  DeviceLog log;
  const int64_t before = MonotonicNs();
  {
    const SpanTimer timer(&log, "load", 2, 64);
  }
  ASSERT_EQ(log.spans.size(), 1U);
  EXPECT_GE(log.spans[0].start_ns, before);
  EXPECT_LE(log.spans[0].start_ns + log.spans[0].dur_ns, MonotonicNs());
  EXPECT_EQ(log.spans[0].index, 2);
  EXPECT_EQ(log.spans[0].bytes, 64);
}

}  // namespace
}  // namespace opbyop::device
