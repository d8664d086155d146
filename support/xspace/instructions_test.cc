// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/xspace/instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/xspace/trace_testing.h"

namespace opbyop::xspace {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint32_t kEventStats = 4, kMetadataStats = 5;  // fields
constexpr int64_t kHloOp = 1, kTfOp = 2, kCategory = 3, kBytesAccessed = 4, kOrdinal = 5;

std::string StatNames() {
  return Metadata(5, kHloOp, "hlo_op") + Metadata(5, kTfOp, "tf_op") + Metadata(5, kCategory, "hlo_category") +
         Metadata(5, kBytesAccessed, "bytes_accessed") + Metadata(5, kOrdinal, "device_ordinal");
}

TestEvent OfOp(std::string_view op, int64_t offset_ps, int64_t duration_ps) {
  return {.offset_ps = offset_ps, .duration_ps = duration_ps, .stats = {TextStat(kEventStats, kHloOp, op)}};
}

std::vector<InstructionEvent> Read(const std::string& bytes) {
  auto events = ReadInstructions(bytes);
  EXPECT_TRUE(events) << events.error().message;
  return events ? *events : std::vector<InstructionEvent>();
}

auto Named(const std::string& name) { return Field(&InstructionEvent::name, name); }

TEST(ReadInstructionsTest, EventsOfThreadsAreInstructionsIfTheyNameTheirOp) {
  const TestEvent other = {.offset_ps = 0, .duration_ps = 900};
  const std::string line =
      Line("tf_XLA/1", 1'795'854'150'943'530'778, {other, OfOp("dot.2", 4500, 30), OfOp("add.1", 5000, 7)});
  EXPECT_THAT(Read(Plane("/host:CPU", StatNames() + line)),
              ElementsAre(InstructionEvent{.track = "tf_XLA/1", .name = "dot.2", .duration_ps = 30},
                          InstructionEvent{.track = "tf_XLA/1", .name = "add.1", .start_ps = 500, .duration_ps = 7}));
}

TEST(ReadInstructionsTest, LinesOfOpsOfADeviceAreReadAlone) {
  const std::string kinds =
      Metadata(4, 1, "%fusion.3 = f32[4] fusion(...)",
               TextStat(kMetadataStats, kTfOp, "jit(f)/add:") + TextStat(kMetadataStats, kCategory, "loop fusion") +
                   NumberStat(kMetadataStats, kBytesAccessed, 4096));
  const std::string lines = Line("Steps", 0, {{1, 100}}) + Line("XLA Ops", 0, {{2000, 10}}) +
                            Line("Async XLA Ops", 0, {{3000, 20}}) + Line("Threads", 0, {OfOp("x", 0, 1)});
  const auto events = Read(Plane("/device:TPU:3", StatNames() + kinds + lines));
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(events[0], (InstructionEvent{.device = 3,
                                         .track = "XLA Ops",
                                         .name = "%fusion.3 = f32[4] fusion(...)",
                                         .category = "loop fusion",
                                         .framework = "jit(f)/add:",
                                         .duration_ps = 10,
                                         .bytes = 4096}));
  EXPECT_EQ(events[1].track, "Async XLA Ops");
  EXPECT_EQ(events[1].start_ps, 1000);
}

TEST(ReadInstructionsTest, TheDisplayedNameOfAnEventIsTheInstruction) {
  std::string name;
  protozero::pbf_writer(name).add_string(4, "fusion.3");
  const std::string plane = Metadata(4, 1, "%fusion.3 = ...", name) + Line("XLA Ops", 0, {{0, 1}});
  EXPECT_THAT(Read(Plane("/device:TPU:0", plane)), ElementsAre(Named("fusion.3")));
}

TEST(ReadInstructionsTest, OfSeveralExecutionsTheLastIsRead) {
  const std::string lines = Line("XLA Modules", 100, {{1000, 5000}, {10000, 5000}}) +
                            Line("Stream #1", 100, {OfOp("first", 2000, 9), OfOp("last", 11000, 9)});
  EXPECT_THAT(Read(Plane("/device:GPU:0", StatNames() + lines)), ElementsAre(Named("last")));
}

TEST(ReadInstructionsTest, AnInstructionComesBeforeThoseInsideIt) {
  const std::string line = Line("t", 0, {OfOp("inner", 0, 5), OfOp("outer", 0, 50)});
  EXPECT_THAT(Read(Plane("/host:CPU", StatNames() + line)), ElementsAre(Named("outer"), Named("inner")));
}

TEST(ReadInstructionsTest, AnOrdinalNamesTheDeviceOfAThread) {
  TestEvent event = OfOp("add", 0, 1);
  event.stats.push_back(NumberStat(kEventStats, kOrdinal, 7));
  EXPECT_THAT(Read(Plane("/host:CPU", StatNames() + Line("t", 0, {event}))),
              ElementsAre(Field(&InstructionEvent::device, 7)));
}

TEST(ReadInstructionsTest, LinesOfOpsAreThoseOfDevices) {
  const std::string lines = Line("XLA Ops", 0, {{0, 1}}) + Line("t", 0, {OfOp("add", 0, 1)});
  EXPECT_THAT(Read(Plane("/host:CPU", StatNames() + lines)), ElementsAre(Named("add")));
}

TEST(ReadInstructionsTest, OtherPlanesHaveNone) {
  EXPECT_THAT(Read(Plane("/host:metadata", StatNames() + Line("t", 0, {OfOp("add", 0, 1)}))), IsEmpty());
  EXPECT_THAT(Read(""), IsEmpty());
}

TEST(ReadInstructionsTest, AZeroByteAfterTheTraceIsIgnored) {
  const std::string space = Plane("/host:CPU", StatNames() + Line("t", 0, {OfOp("add", 0, 1)}));
  EXPECT_THAT(Read(space + '\0'), ElementsAre(Named("add")));
}

TEST(ReadInstructionsTest, DamagedBytesAndImpossibleTimesAreRefused) {
  const std::string space = Plane("/host:CPU", StatNames() + Line("t", 0, {OfOp("add", 0, 1)}));
  const auto cut = ReadInstructions(std::string_view(space).substr(0, space.size() - 3));
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, HasSubstr("is no trace"));
  const std::string line = Line("t", 0, {OfOp("add", -5, 1)});
  const auto before = ReadInstructions(Plane("/host:CPU", StatNames() + line));
  ASSERT_FALSE(before);
  EXPECT_THAT(before.error().message, HasSubstr("an instruction of 1 ps that begins -5 ps after 0 ns"));
}

TEST(ReadInstructionsTest, InstructionsThatAreHoursApartAreRefused) {
  const std::string lines = Line("a", 0, {OfOp("add", 0, 1)}) + Line("b", INT64_MAX / 4, {OfOp("add", 0, 1)});
  const auto events = ReadInstructions(Plane("/host:CPU", StatNames() + lines));
  ASSERT_FALSE(events);
  EXPECT_THAT(events.error().message, HasSubstr("ns apart"));
}

}  // namespace
}  // namespace opbyop::xspace
