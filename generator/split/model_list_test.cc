// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/model_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kList = R"(schema: opbyop-models/1
models:
  - name: one
    file: one.mlir
    arguments:
      - {name: weights, shape: [2, 3], dtype: f32}
      - {name: ids, shape: [4], dtype: i32, range: [0, 9]}
      - {name: bias, shape: [3], dtype: f32}
      - name: mask
        dtype: i32
        range: [0, 1]
    frontend: jax
  - name: two
    file: two.mlir
)";

class ModelListTest : public testing::Test {
 protected:
  void Write(const std::string& list) {
    ASSERT_TRUE(WriteFile(folder_.path() / "models.yaml", list));
    for (const char* name : {"one.mlir", "two.mlir"}) ASSERT_TRUE(WriteFile(folder_.path() / name, "module {}"));
  }
  TestFolder folder_;
};

TEST_F(ModelListTest, RangesAreStoredByArgumentNumber) {
  Write(kList);
  const std::vector<ModelSource> models = ListModels({folder_.path().string()});
  ASSERT_THAT(models, SizeIs(2));
  EXPECT_EQ(models[0].frontend, "jax");
  using Range = ModelSource::Range;
  EXPECT_THAT(models[0].ranges, ElementsAre(std::nullopt, Range({0, 9}), std::nullopt, Range({0, 1})));
  EXPECT_THAT(models[1].ranges, SizeIs(0));
}

TEST_F(ModelListTest, AFileNextToAListTakesItsRanges) {
  Write(kList);
  const std::vector<ModelSource> models = ListModels({(folder_.path() / "one.mlir").string()});
  ASSERT_THAT(models, SizeIs(1));
  EXPECT_THAT(models[0].ranges, SizeIs(4));
}

TEST_F(ModelListTest, AnErrorNamesItsLine) {
  Write(std::string(kList) + "  - none\n");
  const std::vector<ModelSource> models = ListModels({folder_.path().string()});
  ASSERT_THAT(models, SizeIs(1));
  ASSERT_TRUE(models[0].error);
  EXPECT_THAT(models[0].error->message, HasSubstr("models.yaml:15"));
}

TEST_F(ModelListTest, AFolderOfTorchXlaIsAModel) {
  const fs::path saved = folder_.path() / "resnet";
  ASSERT_TRUE(WriteFile(saved / "functions/forward.bytecode", "module {}"));
  const std::vector<ModelSource> models = ListModels({saved.string(), "mine=" + saved.string() + "/"});
  ASSERT_THAT(models, SizeIs(2));
  for (const ModelSource& model : models) {
    EXPECT_FALSE(model.error);
    EXPECT_EQ(model.file.lexically_normal(), saved / "functions/forward.bytecode");
    EXPECT_EQ(model.frontend, "torch-xla");
  }
  EXPECT_EQ(models[0].name, "resnet");
  EXPECT_EQ(models[1].name, "mine");
  fs::rename(saved / "functions/forward.bytecode", saved / "functions/a.bytecode");
  ASSERT_TRUE(WriteFile(saved / "functions/b.bytecode", "module {}"));
  const std::vector<ModelSource> several = ListModels({saved.string()});
  ASSERT_THAT(several, SizeIs(1));
  ASSERT_TRUE(several[0].error);
  EXPECT_THAT(several[0].error->message, HasSubstr("holds 2 functions and none is called forward"));
}

TEST(ModelListNamesTest, ADashIsTheStandardInput) {
  const std::vector<ModelSource> models = ListModels({"-"});
  ASSERT_THAT(models, SizeIs(1));
  EXPECT_EQ(models[0].file, "/dev/stdin");
  EXPECT_EQ(models[0].name, "stdin");
}

TEST_F(ModelListTest, SectionsAreOfFiles) {
  const fs::path pipe = folder_.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::vector<ModelSource> models = EachSection(ListModels({pipe.string()}));
  ASSERT_THAT(models, SizeIs(1));
  ASSERT_TRUE(models[0].error);
  EXPECT_THAT(models[0].error->message, HasSubstr("store it in a file"));
}

TEST_F(ModelListTest, SectionsOfCommentsOnlyAreNoModels) {
  const fs::path file = folder_.path() / "sections.mlir";
  ASSERT_TRUE(WriteFile(file, "// A comment.\n\n// -----\nmodule {}\n// -----\n"));
  const std::vector<ModelSource> models = EachSection(ListModels({file.string()}));
  ASSERT_THAT(models, SizeIs(1));
  EXPECT_EQ(models[0].section, 2);
}

TEST(ModelListFixturesTest, TheCommittedModelsHaveTheirRanges) {
  for (const ModelSource& model : ListModels({TestSource("fixtures/models/bert_base.mlirbc")})) {
    ASSERT_THAT(model.ranges, SizeIs(202));
    EXPECT_EQ(model.ranges[199], (ModelSource::Range({0, 30521})));
  }
}

}  // namespace
}  // namespace opbyop::generator
