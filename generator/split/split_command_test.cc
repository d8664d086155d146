// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/split_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "fmt/format.h"
#include "generator/split/case_folder.h"
#include "manifests/cases/manifest.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kModel = R"(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.abs %x : tensor<4xf32>
    %1 = stablehlo.add %0, %x : tensor<4xf32>
    return %1 : tensor<4xf32>
  })";

class SplitCommandTest : public testing::Test {
 protected:
  SplitCommandTest() {
    const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("opbyop_split_" + std::string(info->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~SplitCommandTest() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, std::string_view text) {
    EXPECT_TRUE(WriteFile(folder_ / name, text));
    return (folder_ / name).string();
  }

  ExitCode Split(const std::vector<std::string>& models) {
    out_.str("");
    err_.str("");
    return RunSplit({.models = models, .output = output()}, out_, err_);
  }

  fs::path output() const { return folder_ / "out" / "split"; }

  Manifest Load() {
    Expected<Manifest> manifest = LoadManifest(output() / "manifest.yaml");
    EXPECT_TRUE(manifest) << manifest.error().message;
    return manifest ? *manifest : Manifest();
  }

  // All files below the output folder with their contents.
  std::map<std::string, std::string> Files() {
    std::map<std::string, std::string> files;
    if (!fs::exists(output())) return files;
    for (const auto& entry : fs::recursive_directory_iterator(output())) {
      if (entry.is_regular_file()) files[fs::relative(entry.path(), output()).string()] = *ReadFile(entry.path());
    }
    return files;
  }

  fs::path folder_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(SplitCommandTest, WritesAManifestAndAFilePerCase) {
  EXPECT_EQ(Split({Write("small.mlir", kModel)}), ExitCode::kOk) << err_.str();
  Manifest manifest = Load();
  ASSERT_THAT(manifest.models, SizeIs(1));
  EXPECT_EQ(manifest.models[0].name, "small");
  EXPECT_EQ(manifest.models[0].ops, 2);
  EXPECT_THAT(manifest.models[0].sha256, SizeIs(64));
  ASSERT_THAT(manifest.cases, SizeIs(2));
  EXPECT_EQ(manifest.cases[0].op, "stablehlo.abs");
  EXPECT_EQ(manifest.cases[0].kind, OpKind::kElementwiseUnary);
  EXPECT_EQ(manifest.cases[0].flops, 4);
  EXPECT_EQ(manifest.cases[0].bytes, 32);
  EXPECT_THAT(Files(), SizeIs(3));
  EXPECT_THAT(out_.str(), HasSubstr("1 model, 2 ops, 2 cases"));
}

TEST_F(SplitCommandTest, TheManifestSaysHowTheModelsWereSplit) {
  SplitCommand command{.models = {Write("small.mlir", kModel)}, .output = output(), .allow_unregistered = true};
  command.options.fold_limit = 16;
  command.options.walk = {.inside_regions = true, .composites = Composites::kInline};
  command.options.granularity = {Granularity::Kind::kWindow, 2};
  ASSERT_EQ(RunSplit(command, out_, err_), ExitCode::kOk) << err_.str();
  EXPECT_EQ(Load().models[0].split, (ModelSplit{.fold_limit = 16,
                                                .vary_constants = true,
                                                .inside_regions = true,
                                                .composites = Composites::kInline,
                                                .granularity = {Granularity::Kind::kWindow, 2},
                                                .allow_unregistered = true}));
}

TEST_F(SplitCommandTest, BodiesOfLoopsAndDecompositionsAreSplitUnlessTheyAreToBeWhole) {
  const std::string model = TestSource("generator/testdata/constructs.mlir");
  EXPECT_EQ(Split({model}), ExitCode::kOk) << err_.str();
  const auto inside = [](const Manifest& manifest) {
    return std::ranges::any_of(manifest.cases, [](const Case& c) { return !c.origins.front().regions.empty(); });
  };
  EXPECT_TRUE(inside(Load()));
  SplitCommand command{.models = {model}, .output = output()};
  command.options.walk = {};
  ASSERT_EQ(RunSplit(command, out_, err_), ExitCode::kOk) << err_.str();
  EXPECT_FALSE(inside(Load()));
}

TEST_F(SplitCommandTest, TheSameInputGivesTheSameBytes) {
  std::vector<std::string> models = {Write("a.mlir", kModel), Write("b.mlir", kModel)};
  Split(models);
  auto first = Files();
  Split(models);
  EXPECT_EQ(Files(), first);
  fs::remove_all(output());
  Split(models);
  EXPECT_EQ(Files(), first);
}

TEST_F(SplitCommandTest, CasesOfAnEarlierSplitAreRemovedAndOtherFilesStay) {
  Split({Write("a.mlir", kModel)});
  ASSERT_TRUE(WriteFile(output() / "notes.txt", "mine"));
  Split({Write("b.mlir", "func.func @main(%x: tensor<2xf32>) { %0 = stablehlo.sine %x : tensor<2xf32> return }")});
  EXPECT_THAT(Load().cases, SizeIs(1));
  EXPECT_THAT(Files(), SizeIs(3));
  EXPECT_EQ(Files().count("notes.txt"), 1U);
}

TEST_F(SplitCommandTest, OneBadModelIsCountedAndTheOthersAreDone) {
  std::string good = Write("good.mlir", kModel);
  std::string bad = Write("bad.mlir", "func.func @main( {");
  std::string no_main = Write("no_main.mlir", "func.func @predict() { return } func.func @other() { return }");
  EXPECT_EQ(Split({bad, good, no_main, (folder_ / "absent.mlir").string()}), ExitCode::kPartial);
  Manifest manifest = Load();
  ASSERT_THAT(manifest.models, SizeIs(4));
  EXPECT_THAT(manifest.models[0].error, HasSubstr("bad.mlir"));
  EXPECT_EQ(manifest.models[1].error, "");
  EXPECT_THAT(manifest.models[2].error, HasSubstr("no function @main"));
  EXPECT_THAT(manifest.models[3].error, HasSubstr("absent.mlir"));
  EXPECT_THAT(out_.str(), HasSubstr("3 of 4 models are left out"));
}

// The parser prints a type of 2^40 elements in its message about the returned value, which no reader survives.
std::string ModelThatCrashesTheReader() {
  std::string text = "!t0 = tuple<tensor<2xf32>, tensor<2xf32>>\n";
  for (int i = 1; i <= 40; ++i) text += fmt::format("!t{} = tuple<!t{}, !t{}>\n", i, i - 1, i - 1);
  return text + "func.func @main(%x: !t40) -> tensor<2xf32> { return %x : tensor<2xf32> }";
}

TEST_F(SplitCommandTest, AModelThatCrashesItsReaderCostsOnlyItself) {
  SplitCommand command{.models = {Write("deadly.mlir", ModelThatCrashesTheReader()), Write("good.mlir", kModel)},
                       .output = output()};
  command.reading.memory_mb = 64;
  EXPECT_EQ(RunSplit(command, out_, err_), ExitCode::kPartial);
  EXPECT_THAT(err_.str(), HasSubstr("deadly.mlir: reading it takes more than 64 MB of memory"));
  EXPECT_THAT(Load().models[0].error, HasSubstr("--read-memory"));
  EXPECT_THAT(Load().cases, SizeIs(2));
}

TEST_F(SplitCommandTest, ModelsAfterOneThatCrashesItsReaderAreReadByAnotherReader) {
  SplitCommand command{.output = output()};
  command.reading.memory_mb = 64;
  for (int i = 0; i < 6; ++i) {
    command.models.push_back(Write(fmt::format("good{}.mlir", i), kModel));
    command.models.push_back(Write(fmt::format("deadly{}.mlir", i), ModelThatCrashesTheReader()));
  }
  EXPECT_EQ(RunSplit(command, out_, err_), ExitCode::kPartial);
  const Manifest manifest = Load();
  ASSERT_THAT(manifest.models, SizeIs(12));
  for (const Model& model : manifest.models)
    EXPECT_EQ(model.error.empty(), model.name.starts_with("good")) << model.name;
}

// One process reads several models one after the other; the resources of one must not be visible to the next.
TEST_F(SplitCommandTest, ResourcesWithTheSameNameAreKeptApart) {
  std::vector<std::string> models;
  for (int i = 1; i <= 6; ++i) {
    models.push_back(Write(fmt::format("m{}.mlir", i), fmt::format(R"(
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
    %0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
    %1 = stablehlo.add %x, %0 : tensor<2xf32>
    return %1 : tensor<2xf32>
  }}
  {{-# dialect_resources: {{ builtin: {{ blob: "0x040000000000{0}0400000{0}040" }} }} #-}})",
                                                                   i)));
  }
  EXPECT_EQ(Split(models), ExitCode::kOk);
  std::map<std::string, std::string> together = Files();
  EXPECT_THAT(Load().cases, SizeIs(6));
  for (const std::string& model : models) {
    EXPECT_EQ(Split({model}), ExitCode::kOk);
    for (const auto& [name, text] : Files()) {
      if (name.ends_with(".mlir")) EXPECT_EQ(together[name], text) << name;
    }
  }
}

TEST_F(SplitCommandTest, AModelThatTakesItsReaderTooLongCostsOnlyItself) {
  SplitCommand command{.models = {Write("nested.mlir", ModelThatCrashesTheReader()), Write("good.mlir", kModel)},
                       .output = output()};
  command.reading.seconds = 1;
  EXPECT_EQ(RunSplit(command, out_, err_), ExitCode::kPartial);
  EXPECT_THAT(err_.str(), HasSubstr("nested.mlir: reading it takes more than 1 s of processor time"));
  EXPECT_THAT(Load().cases, SizeIs(2));
}

// generator/testdata/jax_0_12.py contains the program.
TEST_F(SplitCommandTest, ExportsOfJax012AreRead) {
  const std::string artifact = TestSource("generator/testdata/jax_0_12.mlirbc");
  const std::string serialized = "serialized=" + TestSource("generator/testdata/jax_0_12.jax");
  EXPECT_EQ(Split({artifact, serialized}), ExitCode::kOk) << err_.str();
  const Manifest manifest = Load();
  ASSERT_THAT(manifest.models, SizeIs(2));
  EXPECT_EQ(manifest.models[0].ops, 58);
  EXPECT_EQ(manifest.models[1].ops, 58);
  for (const Case& c : manifest.cases) {
    std::set<std::string> models;
    for (const Origin& origin : c.origins) models.insert(origin.model);
    EXPECT_THAT(models, SizeIs(2)) << c.id;
  }
}

TEST_F(SplitCommandTest, CasesOfTwoModelsAreWrittenOnce) {
  EXPECT_EQ(Split({Write("a.mlir", kModel), Write("b.mlir", kModel), Write("c.mlir", kModel)}), ExitCode::kOk);
  EXPECT_THAT(Load().cases, SizeIs(2));
  EXPECT_THAT(Load().cases[0].origins, SizeIs(3));
  EXPECT_THAT(Files(), SizeIs(3));
}

TEST_F(SplitCommandTest, AModelThatIsInvalidInAManifestIsLeftOutAndTheOthersAreRead) {
  const std::string wide = "func.func @main(%a: tensor<4294967296x4294967296xf32>) {\n  return\n}\n";
  const std::vector<std::string> models = {Write("good.mlir", kModel), Write("wide.mlir", wide),
                                           Write(std::string(230, 'n') + "a.mlir", kModel),
                                           Write(std::string(230, 'n') + "b.mlir", kModel)};
  EXPECT_EQ(Split(models), ExitCode::kPartial);
  const Manifest manifest = Load();
  ASSERT_THAT(manifest.models, SizeIs(4));
  EXPECT_EQ(manifest.models[0].error, "");
  EXPECT_THAT(manifest.models[1].error, HasSubstr("more than 64 bits can count"));
  for (const size_t i : {2, 3}) {
    EXPECT_THAT(manifest.models[i].error, HasSubstr("is 231 characters long, more than 200"));
    EXPECT_THAT(manifest.models[i].name, SizeIs(kLongestName));
  }
  EXPECT_NE(manifest.models[2].name, manifest.models[3].name);
  EXPECT_THAT(manifest.cases, SizeIs(2));
}

TEST_F(SplitCommandTest, NothingIsWrittenIfEveryModelIsBad) {
  EXPECT_EQ(Split({(folder_ / "absent.mlir").string()}), ExitCode::kNoInput);
  EXPECT_EQ(Split({Write("empty.mlir", "")}), ExitCode::kBadInput);
  EXPECT_EQ(Split({Write("text.mlir", "this is no MLIR")}), ExitCode::kBadInput);
  EXPECT_EQ(Split({Write("cut.mlirbc", "ML\xefR\x0d")}), ExitCode::kBadInput);
  EXPECT_EQ(Split({Write("nothing.mlir", "module {}")}), ExitCode::kBadInput);
  EXPECT_THAT(err_.str(), HasSubstr("empty module"));
  EXPECT_FALSE(fs::exists(folder_ / "out")) << "a folder was left behind";
}

TEST_F(SplitCommandTest, ModelsWithoutOpsAreNothingToDo) {
  EXPECT_EQ(Split({Write("empty.mlir", "func.func @main() { return }")}), ExitCode::kNothingToDo);
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  EXPECT_EQ(Split({}), ExitCode::kNothingToDo);
}

TEST_F(SplitCommandTest, AFailedSplitDoesNotChangeTheEarlierOne) {
  Split({Write("a.mlir", kModel)});
  auto before = Files();
  EXPECT_EQ(Split({Write("b.mlir", "func.func @main( {")}), ExitCode::kBadInput);
  EXPECT_EQ(Files(), before);
}

TEST_F(SplitCommandTest, AFailedSplitKeepsFilesThatOthersWrote) {
  // Both create the folder above theirs; this one starts first and fails last.
  Expected<std::unique_ptr<CaseFolder>> failing = CaseFolder::Open(folder_ / "out" / "failing");
  ASSERT_TRUE(failing) << failing.error().message;
  ASSERT_TRUE((*failing)->Store("a", "text"));
  EXPECT_EQ(Split({Write("a.mlir", kModel)}), ExitCode::kOk) << err_.str();
  const auto before = Files();
  failing->reset();
  EXPECT_EQ(Files(), before);
  EXPECT_FALSE(fs::exists(folder_ / "out" / "failing"));
}

TEST_F(SplitCommandTest, OneSplitAtATimeWritesAFolder) {
  Expected<std::unique_ptr<CaseFolder>> first = CaseFolder::Open(output());
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE((*first)->Store("a", "text"));
  EXPECT_EQ(Split({Write("a.mlir", kModel)}), ExitCode::kUsage);
  EXPECT_THAT(err_.str(), HasSubstr("is in use"));
  EXPECT_EQ(Files().count(".split/a.mlir"), 1U) << "the second took what the first had stored";
  first->reset();
  EXPECT_FALSE(fs::exists(folder_ / "out")) << "a folder was left behind";
  EXPECT_EQ(Split({(folder_ / "a.mlir").string()}), ExitCode::kOk) << err_.str();
}

TEST_F(SplitCommandTest, CasesThatAreBeingRunAreNotRewritten) {
  EXPECT_EQ(Split({Write("a.mlir", kModel)}), ExitCode::kOk);
  const auto before = Files();
  {
    const Expected<FileLock> run = FileLock::Take(output() / kSplitLock, FileLock::Mode::kShared);
    ASSERT_TRUE(run);
    EXPECT_EQ(Split({Write("b.mlir", kModel)}), ExitCode::kUsage);
    EXPECT_THAT(err_.str(), HasSubstr("a run of its cases goes on"));
  }
  EXPECT_EQ(Files(), before);
}

TEST_F(SplitCommandTest, AKilledSplitDoesNotPreventTheNext) {
  Write("out/split/.split/a.mlir", "half");
  Write("out/split/.split.lock", "");
  EXPECT_EQ(Split({Write("a.mlir", kModel)}), ExitCode::kOk) << err_.str();
  EXPECT_THAT(Files(), SizeIs(3));
}

TEST_F(SplitCommandTest, AnOutputThatCannotBeWrittenIsAnError) {
  Write("out", "a file where a folder should be");
  EXPECT_EQ(Split({Write("a.mlir", kModel)}), ExitCode::kNoInput);
  EXPECT_THAT(err_.str(), HasSubstr("cannot write"));
}

TEST_F(SplitCommandTest, AFolderListsItsModelsInModelsYaml) {
  Write("m/net.mlir", kModel);
  Write("m/unlisted.mlir", kModel);
  Write("m/models.yaml", R"(
schema: opbyop-models/1
models:
  - {name: my-net.v2, file: net.mlir, frontend: jax}
)");
  EXPECT_EQ(Split({(folder_ / "m").string()}), ExitCode::kOk) << err_.str();
  Manifest manifest = Load();
  ASSERT_THAT(manifest.models, SizeIs(1));
  EXPECT_EQ(manifest.models[0].name, "my_net_v2");
  EXPECT_EQ(manifest.models[0].frontend, "jax");
}

TEST_F(SplitCommandTest, AFileThatDiffersFromModelsYamlIsRefused) {
  Write("m/net.mlir", kModel);
  Write("m/models.yaml", "schema: opbyop-models/1\nmodels:\n  - {name: net, file: net.mlir, sha256: 00}\n");
  EXPECT_EQ(Split({(folder_ / "m").string()}), ExitCode::kBadInput);
  EXPECT_THAT(err_.str(), HasSubstr("models.yaml says"));
}

TEST_F(SplitCommandTest, AModelsYamlOfANewerSchemaIsRefusedByName) {
  Write("m/models.yaml", "schema: opbyop-models/9\nmodels: []\n");
  EXPECT_EQ(Split({(folder_ / "m").string()}), ExitCode::kUnsupported);
  EXPECT_THAT(err_.str(), HasSubstr("opbyop-models/9"));
}

TEST_F(SplitCommandTest, AFolderWithoutAListMeansAllItsModelFiles) {
  Write("m/b.mlir", kModel);
  Write("m/a.mlir", kModel);
  Write("m/readme.txt", "");
  EXPECT_EQ(Split({(folder_ / "m").string()}), ExitCode::kOk);
  EXPECT_THAT(Load().models, SizeIs(2));
  fs::create_directories(folder_ / "none");
  EXPECT_EQ(Split({(folder_ / "none").string()}), ExitCode::kNoInput);
}

TEST_F(SplitCommandTest, ModelsWithTheSameNameAreKeptApart) {
  std::string a = Write("x/model.mlir", kModel);
  std::string b = Write("y/model.mlir", kModel);
  EXPECT_EQ(Split({a, b, "third=" + a}), ExitCode::kOk);
  Manifest manifest = Load();
  EXPECT_EQ(manifest.models[0].name, "model");
  EXPECT_EQ(manifest.models[1].name, "model_2");
  EXPECT_EQ(manifest.models[2].name, "third");
}

}  // namespace
}  // namespace opbyop::generator
