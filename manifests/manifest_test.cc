#include "manifests/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file.h"

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ManifestTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / "manifest_test" / info->name();
    ASSERT_TRUE(WriteFile(folder_ / "cases/add.mlir", "module {}"));
  }

  Manifest Example() const {
    Manifest manifest;
    manifest.models = {{.name = "bert",
                        .source = "bert.mlirbc",
                        .sha256 = "00",
                        .frontend = "jax",
                        .producer = "StableHLO_v1.15.0",
                        .ops = 3},
                       {.name = "broken", .source = "broken.mlir", .error = "broken.mlir:1: \"not\" MLIR: why"}};
    Case c;
    c.id = "add_2x3_f32_0a1b2c3d";
    c.op = "stablehlo.add";
    c.file = "cases/add.mlir";
    c.hash = "0a1b2c3d";
    c.inputs = {{{2, 3}, "f32"}, {{2, kDynamic}, "f32"}};
    c.outputs = {{{2, 3}, "f32"}};
    c.attributes = {{"note", "#stablehlo<precision DEFAULT>"}};
    c.flops = 6;
    c.bytes = 72;
    c.no_runtime_input = true;
    c.elided_constants = {1};
    c.origins = {{.model = "bert", .count = 2, .locations = {"l1"}, .framework_op = "add", .module_path = {"a", "b"}}};
    manifest.cases = {c};
    return manifest;
  }

  Expected<Manifest> Load(const std::string& text) {
    EXPECT_TRUE(WriteFile(folder_ / "manifest.yaml", text));
    return LoadManifest(folder_ / "manifest.yaml");
  }

  std::filesystem::path folder_;
};

TEST_F(ManifestTest, WrittenManifestIsReadBack) {
  const std::string text = WriteManifest(Example());
  const auto manifest = Load(text);
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(WriteManifest(*manifest), text);
  EXPECT_EQ(manifest->models[1].error, "broken.mlir:1: \"not\" MLIR: why");
  EXPECT_THAT(manifest->cases[0].origins[0].module_path, ElementsAre("a", "b"));
}

TEST_F(ManifestTest, PlainYamlCasesMeanTheSame) {
  const auto manifest = Load(R"(schema: opbyop-manifest/1
models: [{name: m}]
cases:
  - id: add_1
    op: stablehlo.add
    file: cases/add.mlir
    hash: "12"
    inputs: [{shape: [2], dtype: f32}]
    outputs: []
    attributes: {}
    origins: [{model: m, count: 4}]
)");
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->cases[0].hash, "12");
  EXPECT_EQ(manifest->cases[0].origins[0].count, 4);
}

TEST_F(ManifestTest, EveryModelOfACaseIsARow) {
  Manifest manifest = Example();
  manifest.cases[0].origins.push_back({.model = "gpt2", .count = 1});
  manifest.cases[0].origins.push_back({.model = "bert", .count = 1});
  const auto rows = Rows(manifest);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(RowName(rows[0]), "bert__add_2x3_f32_0a1b2c3d");
  EXPECT_EQ(RowName(rows[1]), "gpt2__add_2x3_f32_0a1b2c3d");
}

TEST_F(ManifestTest, DoubledIdIsAnErrorWithItsLine) {
  Manifest manifest = Example();
  manifest.cases.push_back(manifest.cases[0]);
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ExitCode::kBadInput);
  EXPECT_THAT(loaded.error().message, HasSubstr("manifest.yaml:18: case id `add_2x3_f32_0a1b2c3d` stands twice"));
}

TEST_F(ManifestTest, FileThatIsGoneIsNamed) {
  Manifest manifest = Example();
  manifest.cases[0].file = "cases/gone.mlir";
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("gone.mlir, which is gone"));
}

TEST_F(ManifestTest, NewerSchemaIsRefusedByName) {
  const auto loaded = Load("schema: opbyop-manifest/2\nmodels: []\n");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(loaded.error().message, HasSubstr("opbyop-manifest/2"));
}

TEST_F(ManifestTest, UnknownKeyIsNamedWithItsLine) {
  const auto loaded = Load("schema: opbyop-manifest/1\nmodels: []\nmodel: x\n");
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("manifest.yaml:3: unknown key `model`"));
}

TEST_F(ManifestTest, EmptyFileIsBadInput) {
  const auto loaded = Load("");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ExitCode::kBadInput);
}

TEST_F(ManifestTest, CutOffCaseLineIsBadInput) {
  const std::string text = WriteManifest(Example());
  const auto loaded = Load(text.substr(0, text.size() - 20));
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("manifest.yaml:17"));
}

}  // namespace
}  // namespace opbyop
