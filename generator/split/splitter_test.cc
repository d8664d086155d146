// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/splitter.h"

#include <gmock/gmock.h>

#include <map>
#include <numeric>

#include "fmt/format.h"
#include "generator/program/parse_for_test.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class SplitterTest : public ParsingTest {
 protected:
  struct Split {
    SplitResult result;
    std::map<std::string, std::string> texts;  // by the id under which they were stored

    const Case& Only(std::string_view op) const {
      const Case* found = nullptr;
      for (const Case& c : result.manifest.cases) {
        if (c.op != op) continue;
        EXPECT_EQ(found, nullptr) << "more than one case of " << op;
        found = &c;
      }
      EXPECT_NE(found, nullptr) << "no case of " << op;
      static const Case kNone;
      return found == nullptr ? kNone : *found;
    }
    const std::string& TextOf(std::string_view op) const { return texts.at(Only(op).id); }
    std::vector<std::string> Ids() const {
      std::vector<std::string> ids;
      for (const Case& c : result.manifest.cases) ids.push_back(c.id);
      return ids;
    }
  };

  Split Run(const std::vector<std::string>& models, SplitOptions options = {}) {
    Split split;
    Splitter splitter(options, [&](const std::string& id, const std::string& text) -> Expected<void> {
      EXPECT_TRUE(split.texts.emplace(id, text).second) << "an id was handed out twice";
      return {};
    });
    for (size_t i = 0; i < models.size(); ++i) {
      auto module = Parse(models[i]);
      EXPECT_TRUE(splitter.Add(i, *module, {.name = "m" + std::to_string(i)}));
    }
    split.result = splitter.Finish();
    return split;
  }
};

int64_t CountOf(const Case& c) {
  return std::accumulate(c.origins.begin(), c.origins.end(), int64_t{0},
                         [](int64_t sum, const Origin& origin) { return sum + origin.count; });
}

constexpr std::string_view kSmall = R"(
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("jit(f)/A/add")
    %1 = "stablehlo.add"(%y, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("jit(f)/B/add")
    %2 = "stablehlo.add"(%1, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("jit(f)/B/add")
    %3 = "stablehlo.add"(%2, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("jit(f)/B/add")
    return %3 : tensor<4xf32>
  })";

TEST_F(SplitterTest, OpsThatDifferInNothingAreOneCaseWithEveryOrigin) {
  Split split = Run({std::string(kSmall), std::string(kSmall)});
  ASSERT_THAT(split.result.manifest.cases, SizeIs(2));
  std::vector<const Case*> cases;
  for (const Case& c : split.result.manifest.cases) cases.push_back(&c);
  if (cases[0]->inputs.size() == 1) std::swap(cases[0], cases[1]);
  EXPECT_EQ(CountOf(*cases[0]), 6);
  EXPECT_EQ(CountOf(*cases[1]), 2);
  ASSERT_THAT(cases[0]->origins, SizeIs(4));
  EXPECT_EQ(cases[0]->origins[0].model, "m0");
  EXPECT_EQ(cases[0]->origins[0].framework_op, "add");
  EXPECT_THAT(cases[0]->origins[0].module_path, ElementsAre("A"));
  EXPECT_EQ(cases[0]->origins[1].count, 2);
  EXPECT_THAT(ModelsOf(*cases[0]), ElementsAre("m0", "m1"));
}

TEST_F(SplitterTest, IdsDoNotDependOnTheOrderOfModels) {
  std::string other = R"(func.func @main(%x: tensor<4xf32>) { "t.b"(%x) : (tensor<4xf32>) -> () return })";
  EXPECT_EQ(Run({std::string(kSmall), other}).Ids(), Run({other, std::string(kSmall)}).Ids());
}

TEST_F(SplitterTest, ForcedCollisionsStayUniqueWhateverTheOrder) {
  std::string many = "func.func @main(%x: i32) {";
  for (int i = 0; i < 64; ++i) many += "\"t.op\"(%x) {n = " + std::to_string(i) + "} : (i32) -> () ";
  many += "return }";
  Split split = Run({many}, {.id_digits = 1});
  std::vector<std::string> ids = split.Ids();
  EXPECT_THAT(ids, SizeIs(64));
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  EXPECT_FALSE(split.result.renamed.empty());
}

TEST_F(SplitterTest, ConstantsAreFoldedIntoTheCase) {
  Split split = Run({R"(
    func.func @main(%x: tensor<4xf32>) {
      %c = "stablehlo.constant"() {value = dense<2.5> : tensor<f32>} : () -> tensor<f32>
      %b = "stablehlo.broadcast_in_dim"(%c) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<4xf32>
      %0 = "stablehlo.multiply"(%x, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return
    })"});
  EXPECT_THAT(split.Only("stablehlo.multiply").inputs, SizeIs(1));
  EXPECT_THAT(split.TextOf("stablehlo.multiply"), HasSubstr("2.5"));
  EXPECT_THAT(split.TextOf("stablehlo.multiply"), HasSubstr("broadcast_in_dim"));
  EXPECT_FALSE(split.Only("stablehlo.multiply").no_runtime_input);
  EXPECT_FALSE(split.Only("stablehlo.broadcast_in_dim").no_runtime_input);
}

TEST_F(SplitterTest, AnOpOnConstantsAloneGetsArgumentsOrOnRequestAMark) {
  std::string text = R"(
    func.func @main() {
      %c = "stablehlo.constant"() {value = dense<[1.5, 2.5]> : tensor<2xf32>} : () -> tensor<2xf32>
      %0 = "stablehlo.floor"(%c) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = "stablehlo.rng"() : () -> tensor<2xf32>
      return
    })";
  EXPECT_TRUE(Run({text}, {.vary_constants = false}).Only("stablehlo.floor").no_runtime_input);
  Split varied = Run({text});
  EXPECT_FALSE(varied.Only("stablehlo.floor").no_runtime_input);
  EXPECT_THAT(varied.Only("stablehlo.floor").inputs, SizeIs(1));
  EXPECT_TRUE(varied.Only("stablehlo.rng").no_runtime_input);
}

TEST_F(SplitterTest, OpsThatDifferInAFoldedConstantAreTwoCases) {
  auto padded = [](std::string_view value) {
    return R"(func.func @main(%x: tensor<4xf32>) {
      %c = "stablehlo.constant"() {value = dense<)" +
           std::string(value) + R"(> : tensor<f32>} : () -> tensor<f32>
      %0 = "stablehlo.pad"(%x, %c) : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
      return })";
  };
  EXPECT_THAT(Run({padded("0.0"), padded("0.0")}).Ids(), SizeIs(1));
  EXPECT_THAT(Run({padded("0.0"), padded("1.0")}).Ids(), SizeIs(2));
}

TEST_F(SplitterTest, ALargeConstantBecomesAnArgument) {
  std::string text = R"(
    func.func @main(%x: tensor<4xi32>) {
      %c = "stablehlo.constant"() {value = dense<[1, 2, 3, 4]> : tensor<4xi32>} : () -> tensor<4xi32>
      %0 = "stablehlo.add"(%x, %c) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      return
    })";
  EXPECT_THAT(Run({text}).Only("stablehlo.add").inputs, SizeIs(1));
  EXPECT_THAT(Run({text}, {.fold_limit = 8}).Only("stablehlo.add").inputs, SizeIs(2));
}

TEST_F(SplitterTest, ASplatIsFoldedForAnyShape) {
  Split split = Run({R"(
    func.func @main(%x: tensor<1000x1000xf32>) {
      %c = "stablehlo.constant"() {value = dense<0.5> : tensor<1000x1000xf32>} : () -> tensor<1000x1000xf32>
      %0 = "stablehlo.add"(%x, %c) : (tensor<1000x1000xf32>, tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
      return
    })"});
  EXPECT_THAT(split.Only("stablehlo.add").inputs, SizeIs(1));
}

TEST_F(SplitterTest, AnElidedConstantBecomesAnArgument) {
  Split split = Run({R"(
    func.func @main(%x: tensor<4xf32>) {
      %c = "stablehlo.constant"() {value = dense_resource<__elided__> : tensor<4xf32>} : () -> tensor<4xf32>
      %0 = "stablehlo.add"(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return
    })"});
  EXPECT_THAT(split.Only("stablehlo.add").inputs, SizeIs(2));
  EXPECT_THAT(split.Only("stablehlo.add").elided_constants, ElementsAre(1));
}

TEST_F(SplitterTest, AnElidedConstantOfOneModelMarksTheCaseOfAll) {
  const std::string op = "%0 = \"stablehlo.add\"(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\nreturn}";
  Split split = Run({"func.func @main(%x: tensor<4xf32>, %c: tensor<4xf32>) {" + op,
                     "func.func @main(%x: tensor<4xf32>) {%c = \"stablehlo.constant\"() {value = "
                     "dense_resource<__elided__> : tensor<4xf32>} : () -> tensor<4xf32>\n" +
                         op});
  EXPECT_THAT(split.Only("stablehlo.add").elided_constants, ElementsAre(1));
}

TEST_F(SplitterTest, ACollectiveKeepsTheShardingOfItsOperandAndItsMesh) {
  context_.loadDialect<sdy::SdyDialect>();
  Split split = Run({R"(
    sdy.mesh @m = <["x"=2]>
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = sdy.sharding_constraint %x <@m, [{"x"}]> : tensor<4xf32>
      %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@m, [{}]> : tensor<4xf32>
      return %1 : tensor<4xf32>
    })"});
  EXPECT_THAT(split.TextOf("sdy.all_gather"),
              testing::AllOf(HasSubstr(R"(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@callee_0, [{"x"}]>})"),
                             HasSubstr(R"(sdy.mesh @callee_0 = <["x"=2]>)")));
  EXPECT_THAT(Run({split.TextOf("sdy.all_gather")}).Ids(), ElementsAre(split.Only("sdy.all_gather").id));
}

TEST_F(SplitterTest, ShardingAnnotationsMakeNoCases) {
  auto text = [](const std::string& notes) {
    return "sdy.mesh @m = <[\"x\"=2]>\nfunc.func @main(%x: tensor<4xf32>) {\n%0 = \"stablehlo.negate\"(%x) " + notes +
           " : (tensor<4xf32>) -> tensor<4xf32>\nreturn}";
  };
  context_.loadDialect<sdy::SdyDialect>();
  const std::vector<std::string> models = {text(""),
                                           text(R"({sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>})")};
  Split split = Run(models, {.shards = Shards::kGlobal});
  EXPECT_THAT(split.TextOf("stablehlo.negate"), Not(HasSubstr("sdy")));

  const Split sharded = Run(models);
  ASSERT_THAT(sharded.result.manifest.cases, SizeIs(2)) << "the op with a sharding is a case beside the plain one";
  for (const Case& c : sharded.result.manifest.cases) {
    EXPECT_EQ(c.sharding != nullptr, c.id.starts_with("negate_4_f32_2p_")) << c.id;
    EXPECT_EQ(c.sharding == nullptr, c.origins[0].model == "m0") << c.id;
  }
}

TEST_F(SplitterTest, AModelWhoseShardingIsNotUnderstoodHasCasesOfWholeTensors) {
  const Split split = Run({R"(func.func @main(%x: tensor<4xf32> {mhlo.sharding = "{foo}"}) {
      %0 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return
    })"});
  EXPECT_FALSE(split.Only("stablehlo.abs").sharding);
}

TEST_F(SplitterTest, LocalShardsHaveTheOpsOfOneDeviceAndNoneBetweenDevices) {
  context_.loadDialect<sdy::SdyDialect, stablehlo::StablehloDialect>();
  const std::string text = R"(
    sdy.mesh @m = <["x"=2]>
    func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
      %0 = stablehlo.abs %x : tensor<4xf32> loc("jit(f)/A/abs")
      %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{}]>] manual_axes={"x"}
          (%y: tensor<2xf32>) {
        %2 = stablehlo.exponential %y : tensor<2xf32>
        %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> :
          tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> :
          (tensor<2xf32>) -> tensor<4xf32>
        sdy.return %3 : tensor<4xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      %4 = sdy.sharding_constraint %1 <@m, [{"x"}]> : tensor<4xf32>
      %5 = stablehlo.tanh %4 : tensor<4xf32>
      return %5 : tensor<4xf32>
    })";
  const Split local = Run({text}, {.shards = Shards::kLocal});
  EXPECT_THAT(local.result.manifest.cases, SizeIs(3));
  EXPECT_EQ(local.result.manifest.models[0].ops, 3);
  for (const std::string_view op : {"stablehlo.abs", "stablehlo.exponential", "stablehlo.tanh"}) {
    EXPECT_THAT(local.Only(op).inputs, ElementsAre(TensorType{{2}, "f32"})) << op;
    EXPECT_EQ(local.Only(op).grid, Grid()) << op;
  }
  EXPECT_EQ(local.Only("stablehlo.abs").origins[0].framework_op, "abs");

  const Split global = Run({text}, {.shards = Shards::kGlobal});
  EXPECT_THAT(global.Only("stablehlo.abs").inputs, ElementsAre(TensorType{{4}, "f32"}));
  EXPECT_EQ(global.Only("stablehlo.all_gather").grid, (Grid{.partitions = 2}));
  EXPECT_EQ(local.Only("stablehlo.exponential").id, global.Only("stablehlo.exponential").id)
      << "the body of a manual computation has these shapes in both";
}

TEST_F(SplitterTest, AModelWhoseShardingIsNotUnderstoodIsLeftOutOfLocalShards) {
  context_.loadDialect<stablehlo::StablehloDialect>();
  auto module = Parse(R"(
    func.func @main(%x: tensor<4xf32> {mhlo.sharding = "{foo}"}) {
      %0 = stablehlo.abs %x : tensor<4xf32>
      return
    })");
  Splitter splitter({.shards = Shards::kLocal},
                    [](const std::string&, const std::string&) { return Expected<void>(); });
  const Expected<Splitter::Added> added = splitter.Add(0, *module, {.name = "m"});
  ASSERT_TRUE(added);
  EXPECT_THAT(added->error, HasSubstr("mhlo.sharding = \"{foo}\" is not understood"));
}

TEST_F(SplitterTest, CapturedValuesAtAnyDepthBecomeArgumentsOrConstants) {
  Split split = Run({R"(
    func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
      %c = "stablehlo.constant"() {value = dense<7.0> : tensor<4xf32>} : () -> tensor<4xf32>
      %0 = "stablehlo.if"(%p) ({
        %1 = "stablehlo.if"(%p) ({
          %2 = "stablehlo.add"(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          "stablehlo.return"(%2) : (tensor<4xf32>) -> ()
        }, {
          "stablehlo.return"(%y) : (tensor<4xf32>) -> ()
        }) : (tensor<i1>) -> tensor<4xf32>
        "stablehlo.return"(%1) : (tensor<4xf32>) -> ()
      }, {
        "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
      }) : (tensor<i1>) -> tensor<4xf32>
      return
    })"},
                    {.walk = {}});
  const Case& c = split.Only("stablehlo.if");
  EXPECT_EQ(c.inputs, (std::vector<TensorType>{{{}, "i1"}, {{4}, "f32"}, {{4}, "f32"}}));
  EXPECT_THAT(split.TextOf("stablehlo.if"), HasSubstr("7.0"));
}

TEST_F(SplitterTest, CompositesThatDifferInSymbolNamesAreOneCase) {
  Split split = Run({R"(
    func.func @main(%x: tensor<4xf32>) {
      %0 = "stablehlo.composite"(%x) {name = "my.op", decomposition = @impl_7} : (tensor<4xf32>) -> tensor<4xf32>
      %1 = "stablehlo.composite"(%x) {name = "my.op", decomposition = @impl_8} : (tensor<4xf32>) -> tensor<4xf32>
      return
    }
    func.func private @impl_7(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @impl_8(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> })"});
  const Case& c = split.Only("stablehlo.composite");
  EXPECT_EQ(CountOf(c), 2);
  EXPECT_EQ(c.target, "my.op");
  EXPECT_THAT(c.id, testing::StartsWith("composite_my_op_4_f32_"));
  const std::string& text = split.TextOf("stablehlo.composite");
  EXPECT_THAT(text, HasSubstr("@callee_0"));
  EXPECT_THAT(text, HasSubstr("call @callee_1"));
  EXPECT_THAT(text, Not(HasSubstr("impl_7")));
  EXPECT_THAT(text, Not(HasSubstr("helper")));
}

constexpr std::string_view kLoop = R"(
  func.func @main(%p: tensor<i1>, %n: tensor<i32>, %k: tensor<i32>) {
    %one = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %0:2 = "stablehlo.while"(%n, %n) ({
    ^bb0(%i: tensor<i32>, %j: tensor<i32>):
      %c = "t.compare"(%i, %k) : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
    }, {
    ^bb0(%i: tensor<i32>, %j: tensor<i32>):
      %1 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32> loc("jit(f)/Net/add")
      %2 = "stablehlo.if"(%p) ({
        %3 = "stablehlo.subtract"(%k, %j) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%3) : (tensor<i32>) -> ()
      }, {
        "stablehlo.return"(%1) : (tensor<i32>) -> ()
      }) : (tensor<i1>) -> tensor<i32>
      "stablehlo.return"(%1, %2) : (tensor<i32>, tensor<i32>) -> ()
    }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    return
  })";

TEST_F(SplitterTest, OpsInsideRegionsTakeCarriedAndCapturedValuesAsArguments) {
  Split split = Run({std::string(kLoop)}, {.walk = {.inside_regions = true}});
  EXPECT_THAT(split.result.manifest.cases, SizeIs(5));
  EXPECT_THAT(split.Only("stablehlo.add").inputs, SizeIs(1)) << "the captured constant is folded";
  EXPECT_THAT(split.Only("stablehlo.subtract").inputs, SizeIs(2));
  EXPECT_THAT(split.Only("t.compare").inputs, SizeIs(2));
  EXPECT_THAT(split.Only("stablehlo.if").inputs, SizeIs(4));
  EXPECT_THAT(split.Only("stablehlo.while").inputs, SizeIs(3));
}

TEST_F(SplitterTest, OriginsNameTheRegionsThatContainTheOps) {
  Split split = Run({std::string(kLoop)}, {.walk = {.inside_regions = true}});
  EXPECT_THAT(split.Only("stablehlo.while").origins.at(0).regions, SizeIs(0));
  EXPECT_THAT(split.Only("stablehlo.add").origins.at(0).regions, ElementsAre("while.body"));
  EXPECT_THAT(split.Only("stablehlo.subtract").origins.at(0).regions, ElementsAre("while.body", "if.true"));
  EXPECT_THAT(split.TextOf("stablehlo.add"), HasSubstr("// origin: m0, Net/add, inside while.body\n"));
}

TEST_F(SplitterTest, OriginsSayHowOftenTheOpsOfCountedLoopsRun) {
  const std::string counted = R"(
  func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
    %zero = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %0:2 = "stablehlo.while"(%zero, %x) ({
    ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
      %k = "stablehlo.constant"() {value = dense<32> : tensor<i32>} : () -> tensor<i32>
      %c = "stablehlo.compare"(%i, %k) {comparison_direction = #stablehlo<comparison_direction LT>}
          : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
    }, {
    ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
      %one = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %1 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %2 = "stablehlo.sine"(%y) : (tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%1, %2) : (tensor<i32>, tensor<4xf32>) -> ()
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    %3 = "stablehlo.sine"(%0#1) : (tensor<4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  })";
  context_.loadDialect<stablehlo::StablehloDialect>();
  Split split = Run({counted}, {.walk = {.inside_regions = true}});
  const Case& sine = split.Only("stablehlo.sine");
  ASSERT_THAT(sine.origins, SizeIs(2));
  std::map<size_t, int64_t> trips;
  for (const Origin& origin : sine.origins) trips[origin.regions.size()] = origin.runs();
  EXPECT_THAT(trips, ElementsAre(testing::Pair(0, 1), testing::Pair(1, 32)));
  EXPECT_EQ(split.Only("stablehlo.compare").origins.at(0).trips, 33);
}

TEST_F(SplitterTest, FilesWithRegionsSplitInsideAgainGiveTheSameSet) {
  SplitOptions inside{.walk = {.inside_regions = true}};
  Split first = Run({std::string(kLoop)}, inside);
  std::vector<std::string> files;
  for (const auto& [id, text] : first.texts) files.push_back(text);
  EXPECT_EQ(Run(files, inside).Ids(), first.Ids());
}

constexpr std::string_view kCollective = R"(
    func.func @main(%x: tensor<4xf32>) {
      %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
             : (tensor<4xf32>) -> tensor<8xf32>
      %1 = "stablehlo.composite"(%x) {name = "a.b", decomposition = @impl} : (tensor<4xf32>) -> tensor<i32>
      %2 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return
    }
    func.func private @impl(%x: tensor<4xf32>) -> tensor<i32> {
      %0 = "stablehlo.partition_id"() : () -> tensor<ui32>
      %1 = "t.use"(%0) : (tensor<ui32>) -> tensor<i32>
      return %1 : tensor<i32>
    })";

TEST_F(SplitterTest, CollectivesDependOnTheNumbersOfReplicasAndPartitions) {
  auto on = [](std::string_view attributes) {
    return "module attributes {" + std::string(attributes) + "} {" + std::string(kCollective) + "}";
  };
  std::string one = on("mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32");
  std::string two = on("mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32");
  const SplitOptions whole{.walk = {}};
  Split split = Run({two}, whole);
  EXPECT_THAT(split.TextOf("stablehlo.all_gather"), HasSubstr("mhlo.num_replicas = 2 : i32"));
  EXPECT_THAT(split.TextOf("stablehlo.composite"), HasSubstr("mhlo.num_replicas = 2 : i32"));
  EXPECT_THAT(split.TextOf("stablehlo.abs"), Not(HasSubstr("mhlo.")));
  EXPECT_EQ(split.Only("stablehlo.composite").grid, (Grid{2, 1}));
  EXPECT_EQ(split.Only("stablehlo.abs").grid, Grid());
  EXPECT_THAT(Run({one, two}, whole).Ids(), SizeIs(4))
      << "two composites; the collective names two processes, so a module for one means them too";
  EXPECT_EQ(Run({one}, whole).Ids(), Run({std::string(kCollective)}, whole).Ids())
      << "one process is what no attribute means";
  for (const auto& [id, text] : split.texts) EXPECT_THAT(Run({text}, whole).Ids(), ElementsAre(id));
}

std::string SumOver(std::string_view mesh, std::string_view groups) {
  return "module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {\n" + std::string(mesh) +
         "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n%0 = \"stablehlo.all_reduce\"(%x) <{channel_handle = "
         "#stablehlo.channel_handle<handle = 5, type = 1>, use_global_device_ids, replica_groups = " +
         std::string(groups) +
         "}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%s = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %s "
         ": "
         "tensor<f32>\n}) : (tensor<4xf32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>\n}\n}\n";
}

TEST_F(SplitterTest, ACollectiveIsOneCaseHoweverItsGroupsAreWritten) {
  context_.loadDialect<stablehlo::StablehloDialect, sdy::SdyDialect>();
  const std::string axis = "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = ";
  const std::string tp = SumOver("sdy.mesh @m = <[\"dp\"=2, \"tp\"=4]>\n", axis + "\"tp\">]>");
  const std::string model = SumOver("sdy.mesh @m = <[\"data\"=2, \"model\"=4]>\n", axis + "\"model\">]>");
  const std::string list = SumOver("", "dense<[[4, 5, 6, 7], [0, 1, 2, 3]]> : tensor<2x4xi64>");
  const std::string other = SumOver("", "dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>");
  EXPECT_THAT(Run({tp, model, list}).Ids(), SizeIs(1));
  EXPECT_THAT(Run({list, other}).Ids(), SizeIs(2));
  Split split = Run({tp});
  const Case& c = split.Only("stablehlo.all_reduce");
  EXPECT_EQ(c.grid, (Grid{1, 8}));
  EXPECT_EQ(c.processes, 1);
  EXPECT_THAT(c.id, testing::StartsWith("all_reduce_4_f32_8p_"));
  EXPECT_THAT(split.TextOf("stablehlo.all_reduce"), Not(HasSubstr("mesh"))) << "older readers know only lists";
  EXPECT_THAT(Run({split.TextOf("stablehlo.all_reduce")}).Ids(), ElementsAre(c.id));
}

TEST_F(SplitterTest, AllResultsAreReturnedAndUnusedOnesToo) {
  Split split = Run({R"(
    func.func @main(%x: tensor<4xf32>) {
      %0:2 = "t.two"(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
      return
    })"});
  EXPECT_EQ(split.Only("t.two").outputs, (std::vector<TensorType>{{{4}, "f32"}, {{4}, "i32"}}));
}

TEST_F(SplitterTest, ValuesThatAreNoTensorsStayArgumentsAndResults) {
  Split split = Run({R"(
    func.func @main(%x: tuple<tensor<4xf32>, tensor<i32>>) {
      %0 = "t.get"(%x) : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
      return
    })"});
  EXPECT_EQ(split.Only("t.get").inputs, (std::vector<TensorType>{{{}, "tuple<tensor<4xf32>, tensor<i32>>"}}));
}

TEST_F(SplitterTest, OpsOfAnUnknownDialectSplitToo) {
  Split split = Run({R"(
    func.func @main(%x: !t.handle) {
      %0 = "t.make"(%x) {config = #t.config<a = [1, 2]>} : (!t.handle) -> !t.handle
      return
    })"});
  EXPECT_THAT(split.TextOf("t.make"), HasSubstr("#t.config<a = [1, 2]>"));
}

TEST_F(SplitterTest, BoolsAreWrittenOut) {
  std::string values;
  for (int i = 0; i < 300; ++i) values += i == 0 ? "true" : ", false";
  Split split = Run({R"(func.func @main(%x: tensor<300xi1>) {
      %c = "stablehlo.constant"() {value = dense<[)" +
                     values + R"(]> : tensor<300xi1>} : () -> tensor<300xi1>
      %0 = "stablehlo.and"(%x, %c) : (tensor<300xi1>, tensor<300xi1>) -> tensor<300xi1>
      return })"});
  EXPECT_THAT(split.TextOf("stablehlo.and"), Not(HasSubstr("\"0x")));
  EXPECT_THAT(split.TextOf("stablehlo.and"), HasSubstr("true, false, false"));
}

TEST_F(SplitterTest, FilesNameTheirCaseAndFirstOriginButNoFolderOfTheExporter) {
  Split split = Run({R"(
    func.func @main(%x: tensor<4xf32>) {
      %0 = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("jit(f)/Mod/abs"("/home/me/x.py":3:4))
      return
    })"});
  const std::string& text = split.TextOf("stablehlo.abs");
  EXPECT_THAT(text, testing::StartsWith("// case: abs_4_f32_"));
  EXPECT_THAT(text, HasSubstr("// origin: m0, Mod/abs\n// location: x.py:3:4\n"));
  EXPECT_THAT(text, Not(HasSubstr("/home")));
}

TEST_F(SplitterTest, OneBadModelAddsNothingAndDoesNotStopTheOthers) {
  Split split = Run({"func.func @other() { return } func.func @more() { return }", std::string(kSmall),
                     R"(func.func @main(%x: i32) {
                          "t.fine"(%x) : (i32) -> ()
                          "t.bad"() {decomposition = @f} : () -> ()
                          return
                        }
                        func.func private @f() { "t.bad"() {decomposition = @f} : () -> () return })"});
  ASSERT_THAT(split.result.manifest.models, SizeIs(3));
  EXPECT_THAT(split.result.manifest.models[0].error, HasSubstr("no function @main"));
  EXPECT_EQ(split.result.manifest.models[1].error, "");
  EXPECT_EQ(split.result.manifest.models[1].ops, 4);
  EXPECT_THAT(split.result.manifest.models[2].error, HasSubstr("needs itself"));
  EXPECT_THAT(split.result.manifest.cases, SizeIs(2));
}

TEST_F(SplitterTest, CountsAddUpToTheOpsReached) {
  Split split = Run({R"(
    func.func @main(%x: i32) {
      call @a(%x) : (i32) -> ()
      call @a(%x) : (i32) -> ()
      "t.op"(%x) : (i32) -> ()
      return
    }
    func.func private @a(%x: i32) {
      "t.op"(%x) : (i32) -> ()
      "t.other"(%x) : (i32) -> ()
      return
    })"});
  int64_t sum = 0;
  for (const Case& c : split.result.manifest.cases) sum += CountOf(c);
  EXPECT_EQ(split.result.manifest.models[0].ops, 5);
  EXPECT_EQ(sum, 5);
}

TEST_F(SplitterTest, SplittingTheFilesAgainGivesTheSameCases) {
  Split first = Run({R"(
    func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) {
      %c = "stablehlo.constant"() {value = dense<2.5> : tensor<f32>} : () -> tensor<f32>
      %b = "stablehlo.broadcast_in_dim"(%c) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<4xf32>
      %i = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xf32>
      %0 = "stablehlo.multiply"(%x, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = "stablehlo.add"(%0, %i) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %2 = "stablehlo.add"(%1, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %3 = "stablehlo.broadcast_in_dim"(%2) {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x2xf32>
      %4 = "stablehlo.composite"(%2) {name = "my.op", decomposition = @impl} : (tensor<4xf32>) -> tensor<4xf32>
      %5 = "stablehlo.if"(%p) ({ "stablehlo.return"(%4, %b) : (tensor<4xf32>, tensor<4xf32>) -> () },
                               { "stablehlo.return"(%x, %b) : (tensor<4xf32>, tensor<4xf32>) -> () }) : (tensor<i1>) -> tensor<4xf32>
      "t.effect"(%5) : (tensor<4xf32>) -> ()
      return
    }
    func.func private @impl(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> })"});
  for (const Case& c : first.result.manifest.cases) {
    Split again = Run({first.texts.at(c.id)});
    EXPECT_THAT(again.Ids(), ElementsAre(c.id)) << first.texts.at(c.id);
    EXPECT_EQ(CountOf(again.result.manifest.cases.at(0)), 1);
  }
}

TEST_F(SplitterTest, RequirementsThatAnOpCoversAreRecordedButNotHashed) {
  const std::string_view form = R"(
    func.func @main(%x: tensor<4xf32>) {{
      %0 = "stablehlo.abs"(%x) {{{}}} : (tensor<4xf32>) -> tensor<4xf32>
      %1 = "stablehlo.abs"(%x) {{{}}} : (tensor<4xf32>) -> tensor<4xf32>
      return
    }})";
  const Split said = Run({fmt::format(fmt::runtime(form), R"(opbyop.covers = ["abs.S2", "abs.C1"])",
                                      R"(opbyop.covers = ["abs.C1", "abs.S1"])")});
  const Split unsaid = Run({fmt::format(fmt::runtime(form), "", "")});
  EXPECT_THAT(said.Only("stablehlo.abs").covers, ElementsAre("abs.C1", "abs.S1", "abs.S2"));
  EXPECT_EQ(said.Only("stablehlo.abs").hash, unsaid.Only("stablehlo.abs").hash);
  EXPECT_THAT(said.TextOf("stablehlo.abs"), Not(HasSubstr("covers")));
}

}  // namespace
}  // namespace opbyop::generator
