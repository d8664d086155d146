// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tests by which clock an execution of a chain is timed, and how exactly.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chained/chain_fixture.h"

namespace opbyop::chained {
namespace {

using testing::ElementsAre;

TEST(ChainClock, ADeviceThatReportsOnlyStagesGivesBoundedSpans) {
  FakeDevice device;
  device.changes["stablehlo.negate"] = [&](DeviceRun& run) {
    run.pieces.clear();
    run.longest_ns = 0;
    run.stages = {{{"execute", Status::kPass, 0.001, ""}, device.clock}};
    run.timing = {.n = 4, .min_us = 0.1, .median_us = 0.2, .p95_us = 0.3};
  };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  for (const optrace::Span& span : recorded.spans) {
    if (span.section != optrace::Section::kExecution || span.op != 1) continue;
    EXPECT_EQ(span.exactness, optrace::Exactness::kBounded);
    EXPECT_EQ(span.dur_ps, 200'000);
    EXPECT_EQ(span.duration_bounds, (optrace::Bounds{100'000, 1'000'000}));
    EXPECT_EQ(span.start_bounds, (optrace::Bounds{span.start_ps, span.start_ps + 800'000}));
  }
  EXPECT_EQ(recorded.RunOf("negate").n, 4);
}

// The executions of the run's first op.
std::vector<optrace::Span> ExecutionsOfFirst(const Recorded& recorded) {
  std::vector<optrace::Span> spans;
  for (const optrace::Span& span : recorded.spans) {
    if (span.section == optrace::Section::kExecution && span.op == 0) spans.push_back(span);
  }
  return spans;
}

// The execution by the device's own clock, which started up to `slack_ns` later.
void MeasureByDevice(DeviceRun& run, int64_t slack_ns) {
  run.timing.device_clock = true;
  run.pieces[2].device_clock = true;
  run.pieces[2].slack_ns = slack_ns;
}

TEST(ChainClock, WhatTheDevicesClockMeasuresIsExact) {
  FakeDevice device;
  device.changes["stablehlo.exponential"] = [](DeviceRun& run) { MeasureByDevice(run, 0); };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  ASSERT_EQ(ExecutionsOfFirst(recorded).size(), 1u);
  EXPECT_EQ(ExecutionsOfFirst(recorded)[0].clock, optrace::Clock::kDevice);
  EXPECT_EQ(ExecutionsOfFirst(recorded)[0].exactness, optrace::Exactness::kExact);
  EXPECT_EQ(recorded.RunOf("exponential").clock, optrace::Clock::kDevice);
  EXPECT_EQ(recorded.RunOf("negate").clock, optrace::Clock::kHost);
}

TEST(ChainClock, AStartThatTheDevicesClockOnlyBoundsIsBoundedAndItsDurationIsNot) {
  FakeDevice device;
  device.changes["stablehlo.exponential"] = [](DeviceRun& run) { MeasureByDevice(run, 5); };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  ASSERT_EQ(ExecutionsOfFirst(recorded).size(), 1u);
  const optrace::Span span = ExecutionsOfFirst(recorded)[0];
  EXPECT_EQ(span.exactness, optrace::Exactness::kBounded);
  EXPECT_EQ(span.start_bounds, (optrace::Bounds{span.start_ps, span.start_ps + 5'000}));
  EXPECT_EQ(span.duration_bounds, (optrace::Bounds{span.dur_ps, span.dur_ps}));
}

TEST(ChainClock, AnOpInALoopThatBothClocksMeasuredIsMixed) {
  FakeDevice device;
  int times = 0;
  device.changes["stablehlo.exponential"] = [&](DeviceRun& run) {
    if (++times == 2) MeasureByDevice(run, 0);
  };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device, {.iterations = 2});
  EXPECT_EQ(recorded.RunOf("exponential").clock, optrace::Clock::kMixed);
}

TEST(ChainClock, WhatEachProcessDidIsOnADeviceOfItsOwn) {
  FakeDevice device;
  device.changes["stablehlo.exponential"] = [](DeviceRun& run) {
    const int64_t start = run.pieces[2].start_ns;
    run.pieces.push_back({.kind = "execute", .start_ns = start, .dur_ns = 7, .process = 1});
    run.pieces.push_back({.kind = "collective", .start_ns = start + 2, .dur_ns = 3, .bytes = 16, .process = 1});
  };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  EXPECT_EQ(ExecutionsOfFirst(recorded).size(), 1u);
  std::vector<std::string> names;
  for (const optrace::Span& span : recorded.spans) {
    if (span.section != optrace::Section::kDevices) continue;
    EXPECT_EQ(span.device, 1);
    EXPECT_EQ(span.op, 0);
    names.push_back(fmt::format("{} {} {}", span.name, span.dur_ps, span.bytes));
  }
  EXPECT_THAT(names, ElementsAre("compute 2000 0", "collective 3000 16", "compute 2000 0"));
}

TEST(ChainClock, ATimeBeyondThoseOfATraceIsTheLatestThatItHas) {
  FakeDevice device;
  device.changes["stablehlo.exponential"] = [](DeviceRun& run) { run.pieces[2].start_ns = int64_t{1} << 60; };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  ASSERT_EQ(ExecutionsOfFirst(recorded).size(), 1u);
  EXPECT_GT(ExecutionsOfFirst(recorded)[0].start_ps, int64_t{1} << 62);
  EXPECT_GE(ExecutionsOfFirst(recorded)[0].dur_ps, 0);
}

TEST(ChainClock, TheFirstReasonForTheHostsClockIsReportedOnce) {
  FakeDevice device;
  device.changes["stablehlo.exponential"] = [](DeviceRun& run) { run.why_host_clock = "the trace has 2 executions"; };
  device.changes["stablehlo.negate"] = [](DeviceRun& run) { run.why_host_clock = "the trace has 7 executions"; };
  const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
  EXPECT_THAT(recorded.warnings, ElementsAre("times by the host's clock, of exponential.0 at first: the trace has 2 "
                                             "executions"));
}

}  // namespace
}  // namespace opbyop::chained
