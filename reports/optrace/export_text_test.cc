// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/export_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/optrace/sample_trace.h"
#include "support/files/file.h"

namespace opbyop::optrace {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ExportTextTest : public testing::Test {
 protected:
  ExportTextTest() : folder_(testing::TempDir() + "/text_" + std::to_string(::getpid())) {}
  ~ExportTextTest() override { std::filesystem::remove_all(folder_); }

  json Chrome(const Trace& trace) {
    EXPECT_TRUE(ExportChrome(trace, folder_ / "trace.json"));
    return json::parse(ReadFile(folder_ / "trace.json").value());
  }

  std::filesystem::path folder_;
  Trace trace_ = SampleTrace();
};

TEST_F(ExportTextTest, ChromeEventsOfAThreadNeverOverlap) {
  for (const Trace& trace : {trace_, LargeTrace(2000)}) {
    std::map<std::pair<int64_t, int64_t>, int64_t> end;
    const json chrome = Chrome(trace);
    for (const json& event : chrome["traceEvents"]) {
      if (event["ph"] != "X") continue;
      int64_t& last = end[{event["pid"], event["tid"]}];
      const int64_t start = event["args"]["start_ps"];
      ASSERT_GE(start, last);
      last = start + event["args"]["dur_ps"].get<int64_t>();
    }
    EXPECT_FALSE(end.empty());
  }
}

TEST_F(ExportTextTest, ChromeFlowsLieInSlicesAndEnd) {
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<double, double>>> slices;
  std::map<int64_t, std::string> flows;
  const json chrome = Chrome(trace_);
  for (const json& event : chrome["traceEvents"]) {
    if (event["ph"] == "X") slices[{event["pid"], event["tid"]}].emplace_back(event["ts"], event["dur"]);
  }
  for (const json& event : chrome["traceEvents"]) {
    if (!event.contains("bp")) continue;
    const double at = event["ts"];
    const auto& row = slices[{event["pid"], event["tid"]}];
    EXPECT_TRUE(std::ranges::any_of(row, [&](const auto& slice) {
      return slice.first <= at && at < slice.first + slice.second;
    })) << event;
    flows[event["id"]] += event["ph"].get<std::string>();
  }
  EXPECT_EQ(flows.size(), 30u);
  // The rows are written one after the other, not in the order of time.
  for (auto& [flow, steps] : flows) {
    EXPECT_EQ(std::ranges::count(steps, 's'), 1) << flow << " " << steps;
    EXPECT_EQ(std::ranges::count(steps, 'f'), 1) << flow << " " << steps;
  }
}

TEST_F(ExportTextTest, ChromeNamesEveryProcessAndThread) {
  std::map<std::pair<int64_t, int64_t>, std::string> names;
  const json trace = Chrome(trace_);
  for (const json& event : trace["traceEvents"]) {
    const std::pair<int64_t, int64_t> id(event["pid"], event["tid"]);
    if (event["name"] == "process_name" || event["name"] == "thread_name") names[id] = event["args"]["name"];
    if (event["ph"] != "X") continue;
    ASSERT_TRUE(names.contains(id));
    ASSERT_TRUE(names.contains({id.first, 0}));
  }
  EXPECT_EQ(trace["otherData"]["model"], "NN");
}

TEST_F(ExportTextTest, CsvTotalsEqualTheTable) {
  for (const Grouping grouping : {Grouping::kFramework, Grouping::kHlo}) {
    ASSERT_TRUE(ExportCsv(trace_, grouping, folder_ / "table.csv"));
    std::istringstream csv(ReadFile(folder_ / "table.csv").value());
    std::string line;
    std::getline(csv, line);
    EXPECT_THAT(line, testing::StartsWith("Op Name,Occurrences,Device,Core,Time (ns),Time %"));
    double time = 0, percent = 0;
    int64_t expected = 0;
    while (std::getline(csv, line)) {
      std::istringstream cells(line);
      std::vector<std::string> cell(6);
      for (std::string& text : cell) std::getline(cells, text, ',');
      time += std::stod(cell[4]);
      percent += std::stod(cell[5]);
    }
    for (const OperatorRow& row : OperatorTable(trace_, grouping)) expected += row.time_ps;
    EXPECT_NEAR(time, static_cast<double>(expected) / 1000, 1e-6);
    EXPECT_NEAR(percent, 100, 0.01);
  }
}

TEST_F(ExportTextTest, FoldedStacksGoFromTheModelToTheHloOp) {
  ASSERT_TRUE(ExportFolded(trace_, folder_ / "folded"));
  EXPECT_THAT(ReadFile(folder_ / "folded").value(),
              HasSubstr("NN;NN[model];Linear[layer1];aten__addmm;dot_general.1 "));
}

TEST_F(ExportTextTest, NeuronFilesHaveTheirOuterShape) {
  ASSERT_TRUE(ExportNeuron(trace_, folder_));
  const json hlo = json::parse(ReadFile(folder_ / "neuron_hlo_op.json").value());
  double sum = 0;
  for (const json& op : hlo["ops"]) sum += op["time_percent"].get<double>();
  EXPECT_NEAR(sum, 100, 1e-9);
  EXPECT_GT(hlo["total_time"], 0);
  EXPECT_TRUE(json::parse(ReadFile(folder_ / "neuron_op_timeline.json").value()).contains("traceEvents"));
}

TEST_F(ExportTextTest, NodeDataHasTimeAndErrorByOp) {
  ASSERT_TRUE(ExportNodeData(trace_, folder_ / "nodes.json"));
  const json node = json::parse(ReadFile(folder_ / "nodes.json").value())["nodes"]["tanh.9"];
  EXPECT_GT(node["time_ns"], 0);
  EXPECT_GT(node["max_ulp"], 0);
  EXPECT_EQ(node["status"], "pass");
}

}  // namespace
}  // namespace opbyop::optrace
