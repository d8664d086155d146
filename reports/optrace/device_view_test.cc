// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/device_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace opbyop::optrace {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Instruction On(int64_t device, const char* category, int64_t start_ps, int64_t dur_ps, const char* track = "t") {
  return {
      .device = device, .track = track, .name = category, .category = category, .start_ps = start_ps, .dur_ps = dur_ps};
}

Span SpanOn(int64_t device, std::string_view name, int64_t start_ps, int64_t dur_ps, int64_t flow) {
  Span span = {.op = 0, .section = Section::kDevices, .device = device, .name = std::string(name)};
  span.start_ps = start_ps;
  span.dur_ps = dur_ps;
  span.flow = flow;
  return span;
}

TEST(DevicesInOnePieceTest, ACollectiveBesideAComputationIsBoth) {
  Trace trace;
  trace.instructions = {On(0, "dot", 0, 100), On(1, "dot", 0, 40), On(1, "all-reduce", 30, 70, "u")};
  const auto devices = DevicesInOnePiece(trace);
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_EQ(devices[1].compute_ps, 40);
  EXPECT_EQ(devices[1].collective_ps, 70);
  EXPECT_EQ(devices[1].both_ps, 10);
  EXPECT_EQ(devices[1].idle_ps, 0);
  EXPECT_EQ(SlowestOf(devices), 0);
}

TEST(DevicesInOnePieceTest, ADeviceIsIdleWhileOnlyOthersWork) {
  Trace trace;
  trace.instructions = {On(0, "dot", 0, 100), On(1, "dot", 0, 40)};
  EXPECT_EQ(DevicesInOnePiece(trace)[1].idle_ps, 60);
}

TEST(DevicesInOnePieceTest, AnInstructionAroundOthersIsNoWorkOfItsOwn) {
  Trace trace;
  trace.instructions = {On(0, "while", 0, 100), On(0, "all-gather", 20, 30), On(1, "dot", 0, 100)};
  const auto devices = DevicesInOnePiece(trace);
  EXPECT_EQ(devices[0].compute_ps, 0);
  EXPECT_EQ(devices[0].collective_ps, 30);
  EXPECT_EQ(devices[0].idle_ps, 70);
}

TEST(DevicesInChainTest, TimeBetweenOpsIsNotIdle) {
  Trace trace;
  trace.spans = {SpanOn(0, kComputeName, 0, 10, 1), SpanOn(1, kComputeName, 0, 6, 1),
                 SpanOn(1, kCollectiveName, 6, 4, 1), SpanOn(0, kComputeName, 500, 5, 2),
                 SpanOn(1, kComputeName, 500, 8, 2)};
  trace.spans[2].bytes = 64;
  const auto devices = DevicesInChain(trace);
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_EQ(devices[0].compute_ps, 15);
  EXPECT_EQ(devices[0].idle_ps, 3);
  EXPECT_EQ(devices[1].collective_ps, 4);
  EXPECT_EQ(devices[1].wire_bytes, 64);
}

TEST(DevicesInChainTest, LaterPassesAreNotAddedUp) {
  Trace trace;
  trace.spans = {SpanOn(0, kComputeName, 0, 10, 1), SpanOn(0, kComputeName, 100, 10, 2)};
  trace.spans[1].iteration = 1;
  EXPECT_EQ(DevicesInChain(trace)[0].compute_ps, 10);
}

TEST(DeviceDataTest, OneDeviceIsNoView) {
  Trace trace;
  EXPECT_TRUE(DeviceData(trace).is_null());
  EXPECT_THAT(DevicesInOnePiece(trace), IsEmpty());
  trace.instructions = {On(0, "dot", 0, 100)};
  EXPECT_TRUE(DeviceData(trace).is_null());
}

TEST(DeviceDataTest, OneDeviceIsTheSlowest) {
  Trace trace;
  trace.instructions = {On(0, "dot", 0, 40), On(1, "dot", 0, 100)};
  const auto data = DeviceData(trace);
  EXPECT_FALSE(data["whole"][0]["slowest"]);
  EXPECT_TRUE(data["whole"][1]["slowest"]);
  EXPECT_THAT(data["chain"], IsEmpty());
}

}  // namespace
}  // namespace opbyop::optrace
