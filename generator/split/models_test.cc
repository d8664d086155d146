// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Splits the committed models and the constructs of testdata.
//
// Running this test with OPBYOP_UPDATE_GOLDEN=1 rewrites the golden manifest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "generator/split/model_list.h"
#include "generator/split/split_check.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::IsEmpty;

TEST(ModelsTest, EveryCommittedModelSplitsIntoCasesThatSplitIntoThemselves) {
  std::vector<fs::path> files;
  for (const char* folder : {"fixtures/models", "fixtures/zoo/small", "fixtures/zoo/real"}) {
    for (const ModelSource& source : ListModels({TestSource(folder)})) {
      ASSERT_FALSE(source.error) << source.error->message;
      files.push_back(source.file);
    }
  }
  SplitCheck check = CheckSplitOfFiles(files, {.walk = {.inside_regions = true}});
  EXPECT_THAT(check.unreadable, IsEmpty());
  EXPECT_THAT(check.problems, IsEmpty());
}

TEST(ModelsTest, ConstructsSplitInsideRegionsAndCompositesGiveTheSameSetAgain) {
  SplitCheck check = CheckSplitOfFiles({TestSource("generator/testdata/constructs.mlir")},
                                       {.walk = {.inside_regions = true, .composites = Composites::kInline}});
  EXPECT_THAT(check.unreadable, IsEmpty());
  EXPECT_THAT(check.problems, IsEmpty());
}

TEST(ModelsTest, OpsOfExportedModelsKnowTheirModule) {
  SplitCheck check =
      CheckSplitOfFiles({TestSource("fixtures/models/ffnn.mlirbc"), TestSource("fixtures/models/mnist_mlp.mlirbc")});
  std::vector<std::string> modules;
  std::vector<std::string> ops;
  for (const Case& c : check.result.manifest.cases) {
    for (const Origin& origin : c.origins) {
      EXPECT_FALSE(origin.framework_op.empty()) << c.id;
      EXPECT_FALSE(origin.locations.empty()) << c.id;
      std::string path;
      for (const std::string& module : origin.module_path) path += "/" + module;
      modules.push_back(path);
      ops.push_back(origin.framework_op);
    }
  }
  EXPECT_THAT(modules, Contains("/NN[model]/Linear[layer1]"));
  EXPECT_THAT(modules, Contains("/NN[model]/Tanh[nl2]"));
  EXPECT_THAT(ops, Contains("aten::addmm"));
  EXPECT_THAT(modules, Contains("/MnistMlp/jit(relu)"));
}

TEST(ModelsTest, ConstructsGiveTheGoldenManifest) {
  fs::path golden_path = TestSource("generator/testdata/constructs.golden.yaml");
  SplitCheck check = CheckSplitOfFiles({TestSource("generator/testdata/constructs.mlir")});
  EXPECT_THAT(check.unreadable, IsEmpty());
  EXPECT_THAT(check.problems, IsEmpty());
  for (Case& c : check.result.manifest.cases) {
    for (Origin& origin : c.origins) origin.model = "constructs";
  }
  check.result.manifest.models[0].name = "constructs";
  std::string manifest = WriteManifest(check.result.manifest);
  if (std::getenv("OPBYOP_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFile(golden_path, manifest));
    GTEST_SKIP() << "rewrote " << golden_path;
  }
  Expected<std::string> golden = ReadFile(golden_path);
  ASSERT_TRUE(golden) << golden.error().message;
  EXPECT_EQ(manifest, *golden) << "if the change is meant, run again with OPBYOP_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace opbyop::generator
