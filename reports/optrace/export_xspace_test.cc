// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/export_xspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/optrace/operator_table.h"
#include "reports/optrace/sample_trace.h"
#include "reports/optrace/xspace_decoder.h"
#include "support/files/file.h"

namespace opbyop::optrace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

XSpace Exported(const Trace& trace) {
  const std::string path = testing::TempDir() + "/xspace_" + std::to_string(::getpid()) + ".pb";
  EXPECT_TRUE(ExportXSpace(trace, path));
  const std::string bytes = ReadFile(path).value();
  std::filesystem::remove(path);
  return DecodeXSpace(bytes);
}

const XLine& LineOf(const XPlane& plane, const std::string& name) {
  return *std::ranges::find(plane.lines, name, &XLine::name);
}

std::vector<const XPlane*> DevicePlanes(const XSpace& space) {
  std::vector<const XPlane*> planes;
  for (const XPlane& plane : space.planes) {
    if (plane.name.starts_with("/device:TPU:")) planes.push_back(&plane);
  }
  return planes;
}

class ExportXSpaceTest : public testing::TestWithParam<Trace (*)()> {
 protected:
  XSpace space_ = Exported(GetParam()());
};

TEST_P(ExportXSpaceTest, EveryIdIsDefined) {
  for (const XPlane& plane : space_.planes) EXPECT_THAT(plane.errors, IsEmpty()) << plane.name;
}

TEST_P(ExportXSpaceTest, EventsOfALineAreSortedAndNestOrFollowEachOther) {
  for (const XPlane& plane : space_.planes) {
    for (const XLine& line : plane.lines) {
      std::vector<int64_t> open;
      int64_t before = 0;
      for (const XEvent& event : line.events) {
        ASSERT_GE(event.offset_ps, before) << plane.name << " " << line.name;
        before = event.offset_ps;
        while (!open.empty() && open.back() <= event.offset_ps) open.pop_back();
        ASSERT_TRUE(open.empty() || event.offset_ps + event.duration_ps <= open.back())
            << plane.name << " " << line.name << ": " << event.name;
        open.push_back(event.offset_ps + event.duration_ps);
      }
    }
  }
}

TEST_P(ExportXSpaceTest, ADeviceHasOneLineOfOps) {
  for (const XPlane* plane : DevicePlanes(space_)) {
    std::vector<std::string> names;
    for (const XLine& line : plane->lines) names.push_back(line.name);
    EXPECT_THAT(names, ElementsAre("Steps", "XLA Modules", "XLA Ops", "Async XLA Ops"));
  }
}

TEST_P(ExportXSpaceTest, OpsHaveUniqueNamesAndSymbolsAboveZero) {
  for (const XPlane* plane : DevicePlanes(space_)) {
    std::map<int64_t, std::pair<double, std::string>> ops;
    for (const XEvent& event : LineOf(*plane, "XLA Ops").events) {
      ASSERT_TRUE(event.metadata_stats.contains("symbol_id")) << event.name;
      ASSERT_TRUE(event.metadata_stats.contains("program_id")) << event.name;
      ops[event.metadata] = {event.metadata_stats.at("symbol_id").number, event.name};
    }
    std::set<double> symbols;
    std::set<std::string> names;
    for (const auto& [id, op] : ops) {
      EXPECT_GE(op.first, 1);
      EXPECT_TRUE(symbols.insert(op.first).second);
      EXPECT_TRUE(names.insert(op.second.substr(0, op.second.find(" = "))).second) << op.second;
    }
  }
}

TEST_P(ExportXSpaceTest, AScopeHasNoColonButTheOneBeforeItsType) {
  for (const XPlane* plane : DevicePlanes(space_)) {
    for (const XEvent& event : LineOf(*plane, "XLA Ops").events) {
      const std::string& scope = event.metadata_stats.at("tf_op").text;
      EXPECT_EQ(std::ranges::count(scope, ':'), 1) << scope;
    }
  }
}

TEST_P(ExportXSpaceTest, GroupsAreSignedAndKnownToEveryPlane) {
  for (const XPlane& plane : space_.planes) {
    EXPECT_THAT(plane.stat_names, Contains("group_id")) << plane.name;
    for (const XLine& line : plane.lines) {
      for (const XEvent& event : line.events) {
        const auto group = event.stats.find("group_id");
        if (group != event.stats.end()) ASSERT_EQ(group->second.kind, StatKind::kInt64);
      }
    }
  }
  for (const XPlane* plane : DevicePlanes(space_)) {
    for (const XEvent& event : LineOf(*plane, "XLA Ops").events) EXPECT_TRUE(event.stats.contains("group_id"));
  }
}

TEST_P(ExportXSpaceTest, TimesOfTheDevicesAddUpToTheTable) {
  int64_t events = 0, table = 0;
  for (const XPlane* plane : DevicePlanes(space_)) {
    for (const XEvent& event : LineOf(*plane, "XLA Ops").events) events += event.duration_ps;
  }
  for (const OperatorRow& row : OperatorTable(GetParam()(), Grouping::kHlo)) table += row.time_ps;
  EXPECT_EQ(events, table);
}

INSTANTIATE_TEST_SUITE_P(Traces, ExportXSpaceTest,
                         testing::Values([] { return SampleTrace(); }, [] { return LargeTrace(3000); }),
                         [](const auto& info) { return info.index == 0 ? "tutorial" : "large"; });

TEST(ExportXSpaceOfTest, HasTheTutorialsPathsAndTypes) {
  const XSpace space = Exported(SampleTrace());
  EXPECT_EQ(space.planes[0].name, "/device:TPU:0");
  EXPECT_THAT(space.planes[0].stats.at("device_type_string").text, HasSubstr("sample device"));
  const XEvent& dot = LineOf(space.planes[0], "XLA Ops").events[1];
  EXPECT_THAT(dot.name, StartsWith("%dot_general.1 = "));
  EXPECT_EQ(dot.display, "dot_general.1");
  EXPECT_EQ(dot.metadata_stats.at("tf_op").text, "NN[model]/Linear[layer1]/aten__addmm:aten__addmm");
  EXPECT_EQ(dot.metadata_stats.at("flops").number, 128);
}

TEST(ExportXSpaceOfTest, AnExecutionHasTheOutcomeOfItsOp) {
  Trace trace = SampleTrace();
  trace.runs[1].status = Status::kFail;
  trace.compares.erase(trace.compares.begin(), trace.compares.begin() + 2);  // those of the first op
  const XSpace space = Exported(trace);
  const XLine& ops = LineOf(space.planes[0], "XLA Ops");
  EXPECT_EQ(ops.events[1].stats.at("status").text, "fail");
  EXPECT_EQ(ops.events[1].stats.at("stage_reached").text, "compare");
  EXPECT_EQ(ops.events[1].stats.at("max_ulp").number, trace.compares[0].comparison.max_ulp);
  EXPECT_EQ(ops.events[1].stats.at("pcc").number, trace.compares[0].comparison.pcc);
  EXPECT_FALSE(ops.events[0].stats.contains("max_ulp"));
}

TEST(ExportXSpaceOfTest, AFlowLeadsFromTheTransferToTheOpAndOn) {
  constexpr uint64_t kIn = 1, kOut = 2;
  const XSpace space = Exported(SampleTrace({.iterations = 1}));
  std::map<uint64_t, std::map<int64_t, uint64_t>> steps;  // direction by flow and time
  for (const XPlane& plane : space.planes) {
    for (const XLine& line : plane.lines) {
      for (const XEvent& event : line.events) {
        if (!event.stats.contains("flow")) continue;
        EXPECT_EQ(event.stats.at("flow").kind, StatKind::kUint64);
        const auto flow = static_cast<uint64_t>(event.stats.at("flow").number);
        steps[flow >> 2][line.timestamp_ns * 1000 + event.offset_ps] = flow & 3;
      }
    }
  }
  EXPECT_EQ(steps.size(), 10u);
  for (const auto& [flow, by_time] : steps) {
    EXPECT_EQ(by_time.begin()->second, kOut) << flow;
    EXPECT_EQ(by_time.rbegin()->second, kIn) << flow;
  }
  // The last op: executed, read back, compared.
  EXPECT_EQ(steps.rbegin()->second.size(), 3u);
}

TEST(ExportXSpaceOfTest, ReplacesColonsInScopes) {
  Trace trace = SampleTrace();
  for (Op& op : trace.ops) op.path.push_back("file.py:12");
  const XSpace space = Exported(trace);
  const XEvent& op = LineOf(space.planes[0], "XLA Ops").events[0];
  EXPECT_THAT(op.metadata_stats.at("tf_op").text, HasSubstr("file.py_12"));
}

TEST(ExportXSpaceOfTest, NamesTheMembersOfAFusedSlice) {
  const XSpace space = Exported(SampleTrace());
  const auto plane = std::ranges::find_if(
      space.planes, [](const XPlane& p) { return p.name.starts_with("/device:CUSTOM:Process Execution"); });
  ASSERT_NE(plane, space.planes.end());
  const XLine& hlo = LineOf(*plane, "HLO Ops");
  const auto fused = std::ranges::find_if(hlo.events, [](const XEvent& e) { return e.name == "fused_1"; });
  ASSERT_NE(fused, hlo.events.end());
  EXPECT_EQ(fused->stats.at("fused").text, "broadcast_in_dim.2,\ndot_general.1");
}

TEST(ExportXSpaceOfTest, PassesWarningsOn) {
  Trace trace = SampleTrace();
  trace.warnings.push_back({"op 3 has no location"});
  EXPECT_THAT(Exported(trace).warnings, ElementsAre("op 3 has no location"));
}

TEST(ExportXSpaceOfTest, ATraceWithoutSpansHasItsPlanes) {
  Trace trace = SampleTrace();
  trace.spans.clear();
  EXPECT_THAT(Exported(trace).planes, Not(IsEmpty()));
}

}  // namespace
}  // namespace opbyop::optrace
