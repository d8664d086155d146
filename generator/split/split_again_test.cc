// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/split_again.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

Manifest First() {
  Manifest first;
  first.models = {{.name = "bert", .source = "bert.mlir", .sha256 = "1"}, {.name = "nn", .source = "nn.mlir"}};
  Case relu{.id = "relu_1"};
  relu.origins = {{.model = "bert", .count = 2, .locations = {"bert.py:7"}, .framework_op = "relu"},
                  {.model = "nn", .count = 1}};
  Case dot{.id = "dot_2"};
  dot.origins = {{.model = "bert", .count = 3, .framework_op = "relu"}};
  first.cases = {relu, dot};
  return first;
}

TEST(SplitAgainTest, OpsBelongToTheModelsOfTheFirstSplit) {
  Manifest second;
  second.models = {{.name = "relu_1", .stage = "host/lower"}, {.name = "dot_2", .stage = "host/lower"}};
  Case generic{.id = "generic_9"};
  generic.origins = {{.model = "relu_1", .count = 4}, {.model = "dot_2", .count = 1}};
  second.cases = {generic};
  AttributeToModels(First(), second);
  ASSERT_THAT(second.models, SizeIs(2));
  EXPECT_EQ(second.models[0].name, "bert");
  EXPECT_EQ(second.models[0].source, "bert.mlir");
  EXPECT_EQ(second.models[0].stage, "host/lower");
  EXPECT_EQ(second.models[0].ops, 11);
  const std::vector<Origin>& origins = second.cases[0].origins;
  ASSERT_THAT(origins, SizeIs(2));
  EXPECT_EQ(origins[0].model, "bert");
  EXPECT_EQ(origins[0].count, 2 * 4 + 3 * 1) << "one place of one model";
  EXPECT_THAT(origins[0].locations, ElementsAre("bert.py:7"));
  EXPECT_EQ(origins[1].count, 4);
}

TEST(SplitAgainTest, AModelIsSplitWithTheOptionsOfBothSplits) {
  Manifest first = First();
  first.models[0].split = {.fold_limit = 8, .vary_constants = true};
  Manifest second;
  second.models = {{.name = "relu_1", .split = ModelSplit{.fold_limit = 64, .inside_regions = true}}};
  AttributeToModels(first, second);
  EXPECT_EQ(second.models[0].split, (ModelSplit{.fold_limit = 8, .vary_constants = true, .inside_regions = true}));
  EXPECT_EQ(second.models[1].split, std::nullopt) << "an older manifest does not say it";
}

TEST(SplitAgainTest, ACaseThatTheCompilerRefusedStaysWithItsError) {
  Manifest second;
  second.models = {{.name = "relu_1", .stage = "host/lower"},
                   {.name = "dot_2", .stage = "host/lower", .error = "no kernel"}};
  AttributeToModels(First(), second);
  ASSERT_THAT(second.models, SizeIs(3));
  EXPECT_EQ(second.models[0].name, "dot_2");
  EXPECT_EQ(second.models[0].error, "no kernel");
}

}  // namespace
}  // namespace opbyop::generator
