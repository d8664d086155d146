// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/manifest.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "support/files/file.h"

namespace opbyop {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

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
    c.kind = OpKind::kElementwiseBinary;
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

  // Returns the message of the error that reading this text gives.
  std::string Refusal(const std::string& text) {
    const auto loaded = Load(text);
    return loaded ? "no error" : loaded.error().message;
  }

  std::string RefusalOfFile(const std::string& file) {
    Manifest manifest = Example();
    manifest.cases[0].file = file;
    return Refusal(WriteManifest(manifest));
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
  EXPECT_EQ(manifest->cases[0].kind, OpKind::kElementwiseBinary);
  EXPECT_THAT(manifest->cases[0].origins[0].module_path, ElementsAre("a", "b"));
}

TEST_F(ManifestTest, HowAModelWasSplitIsReadBack) {
  Manifest manifest = Example();
  manifest.models[0].split = {.fold_limit = 64,
                              .vary_constants = true,
                              .inside_regions = true,
                              .composites = Composites::kInline,
                              .granularity = {Granularity::Kind::kModule, 2},
                              .shards = Shards::kLocal,
                              .allow_unregistered = true};
  manifest.models[1].split = {.fold_limit = -1};
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->models[0].split, manifest.models[0].split);
  EXPECT_EQ(loaded->models[1].split, manifest.models[1].split);
}

TEST_F(ManifestTest, WhatAModelWasConvertedFromIsReadBack) {
  Manifest manifest = Example();
  manifest.models[0].converted_from = {
      .source = "f: \"g\".hlo.pb", .sha256 = std::string(64, 'a'), .by = "jaxlib 0.12"};
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->models[0].converted_from, manifest.models[0].converted_from);
  EXPECT_EQ(loaded->models[1].converted_from, std::nullopt);
}

TEST_F(ManifestTest, ShardingsThatNoCaseHasAreReadBack) {
  Manifest manifest = Example();
  manifest.models[0].not_divided = {"argument 0 of @main: mhlo.sharding = \"{foo}\" is not understood", "x: y"};
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->models[0].not_divided, manifest.models[0].not_divided);
  EXPECT_TRUE(loaded->models[1].not_divided.empty());
}

TEST_F(ManifestTest, MembersOfACaseOfSeveralOpsAreReadBack) {
  Manifest manifest = Example();
  manifest.cases[0].op = kLayer;
  manifest.cases[0].members = {"add_4_f32_00000001", "tanh_4_f32_00000002"};
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->cases[0].members, manifest.cases[0].members);
  EXPECT_TRUE(loaded->cases[0].has_several_ops());
  EXPECT_FALSE(loaded->is_whole());
}

TEST_F(ManifestTest, AManifestOfSingleOpsDoesNotSpeakOfGranularity) {
  Manifest manifest = Example();
  manifest.models[0].split = ModelSplit{.fold_limit = 64};
  EXPECT_THAT(WriteManifest(manifest), Not(HasSubstr("granularity")));
  EXPECT_THAT(WriteManifest(manifest), Not(HasSubstr("shards")));
}

TEST_F(ManifestTest, SuiteAndWhatItsCasesCoverAreReadBack) {
  Manifest manifest = Example();
  manifest.suite = {.name = "stablehlo", .version = "1.0", .level = "smoke", .digest = "0123456789abcdef"};
  manifest.cases[0].covers = {"add.C1", "add.S3"};
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->suite, manifest.suite);
  EXPECT_EQ(loaded->cases[0].covers, manifest.cases[0].covers);
}

TEST_F(ManifestTest, TheGridOfACaseIsReadBack) {
  Manifest manifest = Example();
  manifest.cases[0].grid = {.replicas = 2, .partitions = 4};
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Case& c = loaded->cases[0];
  EXPECT_EQ(c.grid, (Grid{2, 4}));
  EXPECT_EQ(c.total_inputs(), 16U);
  EXPECT_EQ(c.total_outputs(), 8U);
  EXPECT_EQ(c.total_bytes(), 8 * 72);
  EXPECT_THAT(WriteManifest(Example()), testing::Not(HasSubstr("grid"))) << "one process is what no grid means";
}

TEST_F(ManifestTest, GridsThatNoMachineHasAreRefused) {
  Manifest manifest = Example();
  for (const Grid grid : {Grid{0, 1}, Grid{1, -8}, Grid{1 << 16, 2}, Grid{int64_t{1} << 40, int64_t{1} << 40}}) {
    manifest.cases[0].grid = grid;
    EXPECT_THAT(Refusal(WriteManifest(manifest)), HasSubstr("has a grid of"));
  }
}

TEST_F(ManifestTest, ACaseThatMustBeRefusedSaysWhatItBreaks) {
  Manifest manifest = Example();
  manifest.cases[0].breach =
      std::make_shared<const Breach>(Breach{"slice.C4", "strides are positive", manifest.cases[0].file});
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_TRUE(loaded->cases[0].must_be_refused());
  EXPECT_EQ(loaded->cases[0].breach->constraint, "slice.C4");
  EXPECT_EQ(loaded->cases[0].breach->rule, "strides are positive");
  EXPECT_EQ(loaded->cases[0].breach->valid, manifest.cases[0].file);
}

TEST_F(ManifestTest, ACaseMayBeExpectedToBeRefusedAndNothingElse) {
  Manifest manifest = Example();
  manifest.cases[0].breach = std::make_shared<const Breach>(Breach{"slice.C4", "", manifest.cases[0].file});
  const std::string text = WriteManifest(manifest);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    const auto loaded = Load(other);
    return loaded ? "no error" : loaded.error().message;
  };
  EXPECT_THAT(changed("\"refused\"", "\"red\""), HasSubstr("`expect` may be `refused` only"));
  EXPECT_THAT(changed("\"breaks\"", "\"brakes\""), HasSubstr("breaks"));
  EXPECT_THAT(changed("\"valid\":\"cases/", "\"valid\":\"../"), HasSubstr("expected a path below"));
  EXPECT_THAT(changed("\"valid\":\"cases/", "\"valid\":\"cases/x"), HasSubstr("which is gone"));
}

TEST_F(ManifestTest, AManifestOfModelsIsOfNoSuite) {
  const auto loaded = Load(WriteManifest(Example()));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->suite, std::nullopt);
}

TEST_F(ManifestTest, AManifestWithoutSplitOptionsIsRead) {
  const auto loaded = Load(WriteManifest(Example()));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->models[0].split, std::nullopt);
}

TEST_F(ManifestTest, AnUnknownSplitOptionIsNamed) {
  EXPECT_THAT(Refusal("schema: opbyop-manifest/1\nmodels:\n- {name: m, split: {regions: outside}}\ncases: []\n"),
              HasSubstr("`regions` is `outside`, expected whole or inside"));
  EXPECT_THAT(Refusal("schema: opbyop-manifest/1\nmodels:\n- {name: m, split: {granularity: half}}\ncases: []\n"),
              HasSubstr("granularity 'half' is not one of op, window:K"));
  EXPECT_THAT(Refusal("schema: opbyop-manifest/1\nmodels:\n- {name: m, split: {shards: half}}\ncases: []\n"),
              HasSubstr("`shards` is `half`, expected global, sharded, local"));
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
  EXPECT_EQ(manifest->cases[0].kind, OpKind::kOther) << "an older manifest does not say it";
  EXPECT_EQ(manifest->cases[0].origins[0].count, 4);
}

TEST_F(ManifestTest, CasesOfOneSignatureShareItsMemory) {
  Manifest manifest = Example();
  manifest.cases.push_back(manifest.cases[0]);
  manifest.cases[1].id += "0";
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(&loaded->cases[0].inputs.items(), &loaded->cases[1].inputs.items());
  EXPECT_EQ(&loaded->cases[0].outputs.items(), &loaded->cases[1].outputs.items());
  EXPECT_THAT(loaded->cases[1].inputs.items(), SizeIs(2));
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

TEST_F(ManifestTest, ADuplicateIdIsAnErrorWithItsLine) {
  Manifest manifest = Example();
  manifest.cases.push_back(manifest.cases[0]);
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ExitCode::kBadInput);
  EXPECT_THAT(loaded.error().message, HasSubstr("manifest.yaml:18: case id `add_2x3_f32_0a1b2c3d` is a duplicate"));
}

TEST_F(ManifestTest, AMissingCaseFileIsNamed) {
  Manifest manifest = Example();
  manifest.cases[0].file = "cases/gone.mlir";
  const auto loaded = Load(WriteManifest(manifest));
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("gone.mlir, which is gone"));
}

TEST_F(ManifestTest, AReaderThatRunsNothingNeedsNoCaseFiles) {
  Manifest manifest = Example();
  manifest.cases[0].file = "cases/gone.mlir";
  ASSERT_FALSE(Load(WriteManifest(manifest)));
  const auto loaded = LoadManifest(folder_ / "manifest.yaml", CaseFiles::kMayBeGone);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->cases[0].file, "cases/gone.mlir");
}

TEST_F(ManifestTest, AKnownManifestOfTheSameBytesIsCheckedInItsNewFolder) {
  const auto known = Load(WriteManifest(Example()));
  ASSERT_TRUE(known) << known.error().message;
  const std::filesystem::path copy = folder_ / "copy/manifest.yaml";
  ASSERT_TRUE(WriteFile(copy, WriteManifest(Example())));
  EXPECT_THAT(LoadManifest(copy, CaseFiles::kNeeded, &*known).error().message,
              HasSubstr("copy/manifest.yaml:17: case `add_2x3_f32_0a1b2c3d` names the file"));
  const auto same = LoadManifest(copy, CaseFiles::kMayBeGone, &*known);
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(same->path, copy);
  EXPECT_EQ(WriteManifest(*same), WriteManifest(*known));
}

TEST_F(ManifestTest, AManifestOfOtherBytesIsReadAgain) {
  const auto known = Load(WriteManifest(Example()));
  ASSERT_TRUE(known) << known.error().message;
  Manifest other = Example();
  other.cases[0].flops = 7;
  ASSERT_TRUE(WriteFile(folder_ / "manifest.yaml", WriteManifest(other)));
  EXPECT_EQ(LoadManifest(folder_ / "manifest.yaml", CaseFiles::kNeeded, &*known)->cases[0].flops, 7);
}

TEST_F(ManifestTest, AFileOutsideTheFolderIsRefusedForEveryReader) {
  Manifest manifest = Example();
  manifest.cases[0].file = "../outside.mlir";
  ASSERT_FALSE(Load(WriteManifest(manifest)));
  EXPECT_THAT(LoadManifest(folder_ / "manifest.yaml", CaseFiles::kMayBeGone).error().message,
              HasSubstr("below the manifest's folder"));
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

constexpr std::string_view kHead = "schema: opbyop-manifest/1\nmodels: [{name: m}]\n";

TEST_F(ManifestTest, CaseThatIsNoMapIsAnErrorWithItsLine) {
  for (const std::string item : {"- 1", "- []", "- [{}]", "- ~", "- text"}) {
    const std::string cases = "cases:\n- {id: a}\n" + item + "\n- {id: b}\n";
    EXPECT_THAT(Refusal(std::string(kHead) + cases), HasSubstr("manifest.yaml:5: an item of `cases` must be a map"))
        << item;
  }
}

TEST_F(ManifestTest, CasesThatAreNoListAreAnError) {
  EXPECT_THAT(Refusal(std::string(kHead) + "cases: 7\n"), HasSubstr("manifest.yaml:3: `cases` must be a list"));
}

TEST_F(ManifestTest, AnchorThatContainsItselfIsAnErrorWithItsLine) {
  const std::string cases = "cases: [&a {id: x, attributes: *a}]\n";
  EXPECT_THAT(Refusal(std::string(kHead) + cases), HasSubstr("manifest.yaml:3: aliases repeat"));
  EXPECT_THAT(Refusal(std::string(kHead) + "# " + std::string(1000, '-') + "\n" + cases),
              HasSubstr("manifest.yaml:4: this is nested more than 100 deep"));
}

TEST_F(ManifestTest, AliasesThatRepeatWithoutEndAreAnError) {
  std::string text(kHead);
  text += "cases:\n - id: &a0 [1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 30; ++i) {
    text += fmt::format("   k{}: &a{} [*a{}, *a{}]\n", i, i, i - 1, i - 1);
  }
  EXPECT_THAT(Refusal(text), HasSubstr("aliases repeat more than the whole file holds"));
}

TEST_F(ManifestTest, DeepNestingIsAnError) {
  for (const size_t depth : {10'000u, 300'000u}) {
    for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'{', '}'}}) {
      const std::string nest = std::string(depth, open) + std::string(depth, close);
      EXPECT_THAT(Refusal(std::string(kHead) + "cases: " + nest + "\n"), HasSubstr("manifest.yaml:"));
      EXPECT_THAT(Refusal(std::string(kHead) + "cases:\n- {\"id\": " + nest + "}\n"),
                  HasSubstr("manifest.yaml:4: nested more than 200 deep"));
    }
    EXPECT_THAT(Refusal(std::string(depth, '[')), HasSubstr("manifest.yaml:"));
  }
}

TEST_F(ManifestTest, NumberThatDoesNotFitIsAnErrorWithItsLine) {
  const std::string text = WriteManifest(Example());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return Refusal(changed);
  };
  EXPECT_THAT(with("\"flops\":6", "\"flops\":-1"), HasSubstr("manifest.yaml:17: case `add_2x3_f32_0a1b2c3d` has -1"));
  EXPECT_THAT(with("\"count\":2", "\"count\":-1"), HasSubstr("stands for -1 ops of `bert`, expected 0 to"));
  for (const std::string bad : {"1e300", "18446744073709551615", "1.5", "\"6\"", "null", "[6]"}) {
    EXPECT_THAT(with("\"flops\":6", "\"flops\":" + bad), HasSubstr("manifest.yaml:17: not a case:")) << bad;
    EXPECT_THAT(with("\"count\":2", "\"count\":" + bad), HasSubstr("manifest.yaml:17: not a case:")) << bad;
  }
  EXPECT_THAT(with("\"shape\":[2,3]", "\"shape\":[2,-3]"), HasSubstr("-3 is no whole number of -1 to"));
  EXPECT_THAT(with("  ops: 3\n", "  ops: -3\n"), HasSubstr("manifest.yaml:8: `ops` must be a whole number"));
}

// Generates manifests with sizes, names and counts at the limits of what is allowed, and beyond them.
class AnyManifest {
 public:
  explicit AnyManifest(uint64_t seed) : draw_(seed) {}

  Manifest Make() {
    Manifest manifest;
    if (Rarely()) manifest.suite = SuiteInfo{Text(), Text(), Text(), Text()};
    for (int i = 0; i < 3; ++i) {
      Model model;
      model.name = Rarely() ? Name() : fmt::format("model_{}", i);
      model.source = Text();
      model.producer = Text();
      model.entry = Text();
      model.shapes = {Text(), Text()};
      model.error = Text();
      model.ops = Rarely() ? Number() : 3;
      if (Rarely()) model.split = ModelSplit{.fold_limit = Number()};
      manifest.models.push_back(model);
    }
    for (int i = 0; i < 3; ++i) manifest.cases.push_back(MakeCase(i, manifest.models));
    return manifest;
  }

 private:
  Case MakeCase(int number, const std::vector<Model>& models) {
    Case c;
    c.id = Rarely() ? Name() : fmt::format("case_{}", number);
    c.op = Text();
    c.target = Text();
    c.file = Rarely() ? Pick<std::string>({"", "../x", "/etc/passwd", "a/../../b", "a\nb"}) : "cases/add.mlir";
    c.hash = Text();
    std::vector<TensorType> types(2);
    for (TensorType& type : types) {
      type.dtype = Text();
      for (int64_t k = Pick<int64_t>({0, 1, 2, 3}); k > 0; --k) type.shape.push_back(Rarely() ? Number() : 4);
    }
    c.inputs = types;
    c.outputs = {{{2}, "f32"}};
    c.attributes = {{Text(), Text()}, {"b", Text()}};
    c.flops = Rarely() ? Number() : 6;
    c.bytes = Rarely() ? Number() : 6;
    if (Rarely()) c.grid = {Number(), Number()};
    if (Rarely()) c.elided_constants = {Pick<int64_t>({0, 1, 2, -1})};
    if (Rarely()) c.input_ranges = {std::pair(Number(), Number()), std::nullopt};
    if (Rarely()) c.breach = std::make_shared<const Breach>(Breach{Text(), Text(), Rarely() ? "" : "cases/add.mlir"});
    const std::string model = Rarely() ? Name() : models[static_cast<size_t>(number)].name;
    if (!Rarely()) c.origins = {{.model = model, .count = Rarely() ? Number() : 2, .locations = {Text()}}};
    return c;
  }

  bool Rarely() { return draw_() % 16 == 0; }
  template <typename T>
  T Pick(const std::vector<T>& from) {
    return from[draw_() % from.size()];
  }
  int64_t Number() {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    return Pick<int64_t>({0, 1, -1, -2, kMost, -kMost - 1, int64_t{1} << 32, int64_t{1} << 53, (int64_t{1} << 53) + 1,
                          int64_t{1} << 59, int64_t{1} << 60, (int64_t{1} << 62) + 1});
  }
  std::string Name() { return Pick<std::string>({"", "a b", "model_0", std::string(200, 'n'), std::string(201, 'n')}); }
  std::string Text() {
    return Pick<std::string>({"",
                              "plain",
                              "a: b # c",
                              "\"'\\",
                              "line\nend",
                              "\t\r\x01\x1b[31m",
                              "\xC3\xA4\xE2\x80\xA8",
                              "\xC2\x85",
                              "\xFF\xFE",
                              "~",
                              "null",
                              "[1]",
                              "{a: b}",
                              "*alias",
                              "&anchor",
                              "!tag",
                              "- x",
                              "? y",
                              "%",
                              "@",
                              "`",
                              "|",
                              ">",
                              "1e5",
                              "true",
                              " ",
                              std::string("a\0b", 3)});
  }

  std::mt19937_64 draw_;
};

TEST_F(ManifestTest, TheReaderAcceptsExactlyWhatTheWriterAccepts) {
  int accepted = 0, refused = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Manifest manifest = AnyManifest(seed).Make();
    const Expected<void> good = CheckManifest(manifest);
    const std::string text = WriteManifest(manifest);
    ASSERT_TRUE(WriteFile(folder_ / "manifest.yaml", text));
    const Expected<Manifest> read = LoadManifest(folder_ / "manifest.yaml", CaseFiles::kMayBeGone);
    ASSERT_EQ(read.has_value(), good.has_value())
        << "seed " << seed << ": " << (good ? read.error().message : good.error().message);
    (good ? accepted : refused) += 1;
    if (read) EXPECT_EQ(WriteManifest(*read), text) << "seed " << seed;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
}

TEST_F(ManifestTest, FileOutsideTheFolderIsRefused) {
  ASSERT_TRUE(WriteFile(folder_.parent_path() / "outside.mlir", "module {}"));
  const std::string absolute = folder_ / "cases/add.mlir";
  for (const std::string& file :
       {std::string("../outside.mlir"), std::string("cases/../../outside.mlir"), std::string("cases/.."), absolute}) {
    EXPECT_THAT(RefusalOfFile(file), HasSubstr("manifest.yaml:17: case `add_2x3_f32_0a1b2c3d` names the file"));
  }
  EXPECT_THAT(RefusalOfFile(""), HasSubstr("names no file"));
  EXPECT_THAT(RefusalOfFile(std::string("cases/add.mlir\0x", 16)), HasSubstr("names no file"));
}

TEST_F(ManifestTest, LinkOutOfTheFolderIsRefused) {
  const std::filesystem::path outside = folder_.parent_path() / "outside";
  ASSERT_TRUE(WriteFile(outside / "add.mlir", "module {}"));
  for (const char* link : {"link.mlir", "linked"}) std::filesystem::remove(folder_ / link);
  std::filesystem::create_symlink("../outside/add.mlir", folder_ / "link.mlir");
  std::filesystem::create_directory_symlink("../outside", folder_ / "linked");
  EXPECT_THAT(RefusalOfFile("link.mlir"), HasSubstr("which a link leads out of the manifest's folder"));
  EXPECT_THAT(RefusalOfFile("linked/add.mlir"), HasSubstr("which a link leads out of the manifest's folder"));
}

TEST_F(ManifestTest, LinkWithinTheFolderIsRead) {
  std::filesystem::remove(folder_ / "link.mlir");
  std::filesystem::create_symlink("cases/add.mlir", folder_ / "link.mlir");
  EXPECT_EQ(RefusalOfFile("link.mlir"), "no error");
}

TEST_F(ManifestTest, FileThatIsNoFileIsRefused) {
  EXPECT_THAT(RefusalOfFile("cases"), HasSubstr("which is no regular file"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600) == 0 || errno == EEXIST, true);
  EXPECT_THAT(RefusalOfFile("pipe"), HasSubstr("which is no regular file"));
}

TEST_F(ManifestTest, NameThatIsNoNameOfAFileIsRefused) {
  for (const std::string id : {"", "../x", "a/b", "a b", "a.b"}) {
    Manifest manifest = Example();
    manifest.cases[0].id = id;
    EXPECT_THAT(Refusal(WriteManifest(manifest)), HasSubstr("manifest.yaml:17: case id")) << id;
    manifest = Example();
    manifest.models[1].name = id;
    EXPECT_THAT(Refusal(WriteManifest(manifest)), HasSubstr("manifest.yaml:9: ")) << id;
  }
  Manifest manifest = Example();
  manifest.cases[0].id = std::string(10'000, 'a');
  EXPECT_THAT(Refusal(WriteManifest(manifest)), HasSubstr("is 10000 characters long, more than 200"));
}

TEST_F(ManifestTest, ADuplicateModelIsAnErrorWithItsLine) {
  EXPECT_THAT(Refusal("schema: opbyop-manifest/1\nmodels:\n- {name: m}\n- {name: m}\n"),
              HasSubstr("manifest.yaml:4: model `m` is a duplicate"));
}

TEST_F(ManifestTest, ADuplicateKeyIsAnErrorWithItsLine) {
  EXPECT_THAT(Refusal("schema: opbyop-manifest/1\nmodels: []\nmodels: []\n"),
              HasSubstr("manifest.yaml:3: the key `models` is a duplicate"));
}

TEST_F(ManifestTest, BytesThatAreNoTextAreAnErrorWithALine) {
  for (const std::string& bytes :
       {std::string("\0\0\0\0", 4), std::string("\xff\xfe\x00\x01", 4), std::string("\x93NUMPY"),
        std::string("ML\xefR\x01"), std::string(1'000'000, '\xff'), std::string(":"), std::string("*a"),
        std::string("&a *a"), std::string("- a"), std::string("? [a]: b")}) {
    EXPECT_THAT(Refusal(bytes), HasSubstr("manifest.yaml:1: ")) << bytes.substr(0, 8);
  }
}

TEST_F(ManifestTest, AnAbsentOneSaysWhatWritesIt) {
  const auto loaded = LoadManifest(folder_ / "absent" / "manifest.yaml");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ExitCode::kNoInput);
  EXPECT_THAT(loaded.error().message,
              AllOf(HasSubstr("absent/manifest.yaml: cannot be read"),
                    EndsWith("; `opbyop split MODEL -o " + (folder_ / "absent").string() + "` writes it")));
}

TEST_F(ManifestTest, FolderGivenAsFileIsNamed) {
  const auto loaded = LoadManifest(folder_);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ExitCode::kNoInput);
}

}  // namespace
}  // namespace opbyop
