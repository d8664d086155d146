// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/eval/evaluate_text.h"

namespace opbyop::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A program whose function @f computes %r from %a with `body`. `grid` is the programs attribute for n processes with
// inputs 1, 2, ...
std::string GridText(const std::string& body, const std::string& grid, int n) {
  std::string text = "func.func @f(%a: tensor<i64>) -> tensor<i64> {\n" + body + "\n  return %r : tensor<i64>\n}\n";
  std::string inputs;
  std::string types;
  std::string names;
  text += "func.func @main() -> (";
  for (int i = 0; i < n; ++i) types += std::string(i > 0 ? ", " : "") + "tensor<i64>";
  text += types + ") {\n";
  for (int i = 0; i < n; ++i) {
    const std::string name = "%i" + std::to_string(i);
    text += "  " + name + " = stablehlo.constant dense<" + std::to_string(i + 1) + "> : tensor<i64>\n";
    inputs += (i > 0 ? ", " : "") + name;
    names += (i > 0 ? ", %r#" : "%r#") + std::to_string(i);
  }
  const std::string count = n > 1 ? ":" + std::to_string(n) : "";
  if (n == 1) names = "%r";
  return text + "  %r" + count + " = \"interpreter.run_parallel\"(" + inputs + ") {programs = " + grid + "} : (" +
         types + ") -> (" + types + ")\n  return " + names + " : " + types + "\n}\n";
}

std::vector<int64_t> Outcome(const std::string& text) {
  const Expected<Values> results = EvaluateText(text);
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  std::vector<int64_t> out;
  for (const Value& value : results ? *results : Values()) out.push_back(value.tensor().IntegerAt(0));
  return out;
}

std::string Failure(const std::string& text) {
  const Expected<Values> results = EvaluateText(text);
  EXPECT_FALSE(results.has_value());
  return results ? "" : results.error().message;
}

std::string AllReduce(const std::string& groups, const std::string& more = "") {
  return R"(  %r = "stablehlo.all_reduce"(%a) ({
    ^bb0(%x: tensor<i64>, %y: tensor<i64>):
      %s = stablehlo.add %x, %y : tensor<i64>
      stablehlo.return %s : tensor<i64>
  }) {replica_groups = )" +
         groups + more + "} : (tensor<i64>) -> tensor<i64>";
}

constexpr char kChannel[] = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";

TEST(EvalParallelTest, AllReduceOverReplicasOverAllAndOverFlattenedIds) {
  const std::string grid = "[[@f, @f], [@f, @f]]";
  EXPECT_THAT(Outcome(GridText(AllReduce("dense<[[0, 1]]> : tensor<1x2xi64>"), grid, 4)), ElementsAre(4, 6, 4, 6));
  EXPECT_THAT(Outcome(GridText(AllReduce("dense<[[0, 1]]> : tensor<1x2xi64>", kChannel), grid, 4)),
              ElementsAre(10, 10, 10, 10));
  EXPECT_THAT(Outcome(GridText(AllReduce("dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>",
                                         std::string(kChannel) + ", use_global_device_ids"),
                               grid, 4)),
              ElementsAre(5, 5, 5, 5));
}

TEST(EvalParallelTest, GroupsNamedByMeshAxes) {
  EXPECT_THAT(
      Outcome(GridText(AllReduce("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
                                 "[#stablehlo.mesh_axis<name = \"x\", size = 2>, #stablehlo.mesh_axis<name = \"y\", "
                                 "size = 2>]>, axes = [#stablehlo.axis_ref<name = \"x\">]>"),
                       "[[@f], [@f], [@f], [@f]]", 4)),
      ElementsAre(4, 6, 4, 6));
}

TEST(EvalParallelTest, ReplicaAndPartitionIdsNameThePlaceInTheGrid) {
  const std::string body = R"(  %p = stablehlo.partition_id : tensor<ui32>
  %q = stablehlo.replica_id : tensor<ui32>
  %p64 = stablehlo.convert %p : (tensor<ui32>) -> tensor<i64>
  %q64 = stablehlo.convert %q : (tensor<ui32>) -> tensor<i64>
  %ten = stablehlo.constant dense<10> : tensor<i64>
  %t = stablehlo.multiply %q64, %ten : tensor<i64>
  %r = stablehlo.add %t, %p64 : tensor<i64>)";
  EXPECT_THAT(Outcome(GridText(body, "[[@f, @f], [@f, @f]]", 4)), ElementsAre(0, 1, 10, 11));
}

TEST(EvalParallelTest, SendsFollowTheirPairs) {
  const std::string body = R"(  %t0 = stablehlo.after_all : !stablehlo.token
  %t1 = "stablehlo.send"(%a, %t0) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
  %r, %t2 = "stablehlo.recv"(%t1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
    source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token))";
  EXPECT_THAT(Outcome(GridText(body, "[[@f], [@f], [@f]]", 3)), ElementsAre(0, 1, 2));
}

TEST(EvalParallelTest, AsynchronousCollectivesMayStartInAnyOrder) {
  const auto reduce = [](const std::string& name, const std::string& argument, int channel) {
    return "  %" + name + " = \"stablehlo.async_start\"(" + argument + R"() ({
      ^bb0(%b: tensor<i64>):
      %s = "stablehlo.collective_permute"(%b) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = )" +
           std::to_string(channel) + R"(, type = 1>} : (tensor<i64>) -> tensor<i64>
      stablehlo.return %s : tensor<i64>
    }) : (tensor<i64>) -> !stablehlo.future<tensor<i64>>
)";
  };
  const std::string done =
      "  %x = \"stablehlo.async_done\"(%f) : (!stablehlo.future<tensor<i64>>) -> tensor<i64>\n"
      "  %y = \"stablehlo.async_done\"(%g) : (!stablehlo.future<tensor<i64>>) -> tensor<i64>\n"
      "  %r = stablehlo.subtract %x, %y : tensor<i64>";
  const std::string twice = "  %two = stablehlo.add %a, %a : tensor<i64>\n";
  const std::string body = twice + reduce("f", "%a", 1) + reduce("g", "%two", 2) + done;
  EXPECT_THAT(Outcome(GridText(body, "[[@f, @f]]", 2)), ElementsAre(-2, -1));
}

TEST(EvalParallelTest, ADeadlockNamesTheMissingMember) {
  const std::string text = GridText(AllReduce("dense<[[0, 1]]> : tensor<1x2xi64>"), "[[@f], [@g]]", 2) +
                           "func.func @g(%a: tensor<i64>) -> tensor<i64> {\n  return %a : tensor<i64>\n}\n";
  EXPECT_THAT(Failure(text), HasSubstr("deadlock: process (0, 0) waits for process (1, 0) (which has ended) in "
                                       "stablehlo.all_reduce on channel 0"));
}

TEST(EvalParallelTest, ProcessesThatWaitForEachOtherAreADeadlock) {
  const auto program = [](const std::string& name, int first, int second) {
    const auto recv = [](const std::string& value, int channel) {
      return "  %" + value + ", %t" + value +
             " = \"stablehlo.recv\"(%t0) {channel_handle = #stablehlo.channel_handle<handle = " +
             std::to_string(channel) +
             ", type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i64>, "
             "!stablehlo.token)\n";
    };
    return "func.func @" + name +
           "(%a: tensor<i64>) -> tensor<i64> {\n  %t0 = stablehlo.after_all : !stablehlo.token\n" + recv("x", first) +
           "  %s = \"stablehlo.send\"(%a, %t0) {channel_handle = #stablehlo.channel_handle<handle = " +
           std::to_string(second) +
           ", type = 2>, is_host_transfer = true} : (tensor<i64>, !stablehlo.token) -> !stablehlo.token\n  return %x : "
           "tensor<i64>\n}\n";
  };
  const std::string text =
      GridText("  %r = stablehlo.negate %a : tensor<i64>", "[[@g], [@h]]", 2) + program("g", 1, 2) + program("h", 2, 1);
  const std::string message = Failure(text);
  EXPECT_THAT(message, HasSubstr("process (0, 0) waits for a sender in stablehlo.recv on channel 1"));
  EXPECT_THAT(message, HasSubstr("process (1, 0) waits for a sender in stablehlo.recv on channel 2"));
}

TEST(EvalParallelTest, AFailureInOneProcessEndsAll) {
  const std::string text = GridText(AllReduce("dense<[[0, 1]]> : tensor<1x2xi64>"), "[[@f], [@g]]", 2) +
                           R"(func.func @g(%a: tensor<i64>) -> tensor<i64> {
  %r = stablehlo.custom_call @vendor.op(%a) : (tensor<i64>) -> tensor<i64>
  return %r : tensor<i64>
}
)";
  const std::string message = Failure(text);
  EXPECT_THAT(message, HasSubstr("process (1, 0)"));
  EXPECT_THAT(message, HasSubstr("custom_call @vendor.op"));
}

TEST(EvalParallelTest, AnEmptyInfeedIsAnError) {
  const std::string body = R"(  %t = stablehlo.after_all : !stablehlo.token
  %r, %u = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token))";
  EXPECT_THAT(Failure(GridText(body, "[[@f]]", 1)), HasSubstr("the infeed is empty"));
}

TEST(EvalParallelTest, ManyProcessesNeedNoThreads) {
  constexpr int kProcesses = 300;
  std::string grid = "[";
  for (int i = 0; i < kProcesses; ++i) grid += i > 0 ? ", [@f]" : "[@f]";
  const std::vector<int64_t> sums = Outcome(GridText(AllReduce("dense<> : tensor<0x0xi64>"), grid + "]", kProcesses));
  ASSERT_EQ(sums.size(), 300u);
  EXPECT_EQ(sums.front(), 45150);
  EXPECT_EQ(sums.back(), 45150);
}

TEST(EvalParallelTest, AProcessByItselfIsAGridOfOne) {
  const auto alone = [](const std::string& body) {
    return "func.func @main(%a: tensor<i64>) -> tensor<i64> {\n" + body + "\n  return %r : tensor<i64>\n}\n";
  };
  const Tensor five = Tensor::Splat<int64_t>(ElementType::kI64, {}, 5);
  const Expected<Values> one = EvaluateText(alone(AllReduce("dense<[[0]]> : tensor<1x1xi64>")), {five});
  ASSERT_TRUE(one.has_value()) << one.error().message;
  EXPECT_EQ((*one)[0].tensor().IntegerAt(0), 5);
  const Expected<Values> two = EvaluateText(alone(AllReduce("dense<[[0, 1]]> : tensor<1x2xi64>")), {five});
  ASSERT_FALSE(two.has_value());
  EXPECT_EQ(two.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(two.error().message, HasSubstr("stablehlo.all_reduce among 2 processes, of which only one runs here"));
}

}  // namespace
}  // namespace opbyop::reference
