// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/refused.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "ir/read_module.h"
#include "ir/strict.h"
#include "mlir/IR/MLIRContext.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kSlice = R"(
- ops: [slice]
  in: 7 f32
  out: 3 f32
  with: {start_indices: "array<i64: 1>", limit_indices: "array<i64: 6>", strides: "array<i64: 2>"}
)";

class RefusedTest : public testing::Test {
 protected:
  Expected<std::vector<BreakableProgram>> Read(const std::string& rows) const {
    const std::filesystem::path file = folder_.path() / "some.yaml";
    EXPECT_TRUE(WriteFile(file, "schema: opbyop-refused/1\nprograms:" + rows));
    std::vector<BreakableProgram> programs;
    if (Expected<void> read = ReadBreakable(file, programs); !read) return Unexpected(read.error());
    return programs;
  }

  std::string Refusal(const std::string& rows) const {
    const auto programs = Read(rows);
    return programs ? "no error" : programs.error().message;
  }

  // Makes the manifest, and stores the texts by name.
  Expected<SplitResult> Make(const Suite& suite, const std::string& ops = "*") {
    return MakeRefusedCases(suite, ops, [&](const std::string& id, const std::string& text) -> Expected<void> {
      texts_[id] = text;
      return {};
    });
  }

  TestFolder folder_;
  std::map<std::string, std::string> texts_;
};

TEST_F(RefusedTest, AChangeAppliesToAnAttributeATypeOrAName) {
  const auto programs = Read(R"(
- ops: slice
  in: 7 f32
  out: $N f32
  let: {N: 3}
  with: {start_indices: "array<i64: 1>", limit_indices: "array<i64: 6>", strides: "array<i64: 2>"}
  breaks:
    C1: [elements are equal, {out0: 3 f64}]
    C4: [strides are positive, {strides: "array<i64: 0>"}]
    C5: [the size is that of the range, {$N: 4}, {in: 9 f32, out: 5 f32}]
)");
  ASSERT_TRUE(programs) << programs.error().message;
  ASSERT_THAT(*programs, SizeIs(1));
  const std::vector<BrokenProgram>& broken = programs->front().broken;
  ASSERT_THAT(broken, SizeIs(4));
  EXPECT_EQ(broken[0].constraint, "C1");
  EXPECT_EQ(broken[0].rule, "elements are equal");
  EXPECT_THAT(ModuleText(programs->front().valid),
              HasSubstr("strides = array<i64: 2>} : (tensor<7xf32>) -> (tensor<3xf32>)"));
  EXPECT_THAT(ModuleText(broken[0].program), HasSubstr("-> (tensor<3xf64>)"));
  EXPECT_THAT(ModuleText(broken[1].program), HasSubstr("strides = array<i64: 0>"));
  EXPECT_THAT(ModuleText(broken[2].program), HasSubstr("(tensor<7xf32>) -> (tensor<4xf32>)"));
  EXPECT_THAT(ModuleText(broken[3].program), HasSubstr("(tensor<9xf32>) -> (tensor<5xf32>)"));
}

TEST_F(RefusedTest, AProgramForSeveralProcessesStatesThem) {
  const auto programs = Read("\n- {ops: abs, in: 7 f32, out: 7 f32, grid: [2, 4], breaks: {C1: [a, {out: 7 f64}]}}\n");
  ASSERT_TRUE(programs) << programs.error().message;
  const BreakableProgram& program = programs->front();
  EXPECT_EQ(program.grid, (Grid{.replicas = 2, .partitions = 4}));
  EXPECT_THAT(ModuleText(program.valid, program.grid),
              HasSubstr("module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32} {"));
  EXPECT_THAT(Refusal("\n- {ops: abs, grid: [2], breaks: {C1: [a, {out: f64}]}}\n"),
              HasSubstr("`grid` must be [replicas, partitions], each from 1 to 64"));
  EXPECT_THAT(Refusal("\n- {ops: abs, grid: [0, 2], breaks: {C1: [a, {out: f64}]}}\n"), HasSubstr("`grid` must be"));
}

TEST_F(RefusedTest, ATableThatCannotBeReadIsRefusedByLine) {
  EXPECT_THAT(Refusal("\n- {ops: slice, typo: 1, breaks: {C1: [a, {out: f32}]}}\n"),
              HasSubstr("some.yaml:3: unknown key `typo`"));
  EXPECT_THAT(Refusal("\n- {ops: slice}\n"), HasSubstr("`breaks` names no constraint"));
  EXPECT_THAT(Refusal("\n- {breaks: {C1: [a, {out: f32}]}}\n"), HasSubstr("`ops` names no op"));
  EXPECT_THAT(Refusal("\n- {ops: slice, breaks: {C1: [a]}}\n"), HasSubstr("`C1` of `breaks` must be a list"));
  EXPECT_THAT(Refusal("\n- {ops: slice, breaks: {C1: a}}\n"), HasSubstr("`C1` of `breaks` must be a list"));
  EXPECT_THAT(Refusal("\n- {ops: slice, breaks: {C1: [a, b]}}\n"), HasSubstr("`C1`: a change is a map"));
  EXPECT_THAT(Refusal("\n- {ops: slice, in: f32, breaks: {C1: [a, {in1: f32}]}}\n"),
              HasSubstr("`in1` names none of 1 types"));
  EXPECT_THAT(Refusal("\n- {ops: slice, breaks: {C1: [a, {$N: 1}]}}\n"), HasSubstr("`$N` is no name of `let`"));
}

TEST_F(RefusedTest, ACaseHasTheBrokenProgramAndTheValidOne) {
  const auto programs =
      Read(std::string(kSlice) + "  breaks: {C4: [strides are positive, {strides: 'array<i64: 0>'}]}\n");
  ASSERT_TRUE(programs) << programs.error().message;
  const Expected<SplitResult> result = Make({.name = "tiny", .version = "1", .breakable = *programs});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->manifest.suite->level, "refused");
  ASSERT_THAT(result->manifest.cases, SizeIs(1));
  const Case& c = result->manifest.cases[0];
  EXPECT_TRUE(c.id.starts_with("slice_C4_")) << c.id;
  EXPECT_EQ(c.breach->constraint, "slice.C4");
  EXPECT_EQ(c.breach->rule, "strides are positive");
  EXPECT_EQ(c.attributes.at("strides"), "array<i64: 0>");
  EXPECT_THAT(c.inputs.items(), ElementsAre(TensorType{{7}, "f32"}));
  EXPECT_THAT(texts_.at(c.id), HasSubstr("// " + c.id + ": breaks slice.C4, strides are positive\n"));
  const std::string valid = std::filesystem::path(c.breach->valid).stem();
  EXPECT_THAT(texts_.at(valid), HasSubstr("strides = array<i64: 2>"));
}

TEST_F(RefusedTest, AnIdIsUnchangedIfOthersAreAdded) {
  const std::string one = std::string(kSlice) + "  breaks: {C4: [strides are positive, {strides: 'array<i64: 0>'}]}\n";
  const auto before = Make({.breakable = *Read(one)});
  const auto after =
      Make({.breakable = *Read("\n- {ops: abs, in: 2 f32, out: 2 f32, breaks: {C1: [a, {out: 3 f32}]}}" + one)});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->manifest.cases[0].id, after->manifest.cases[1].id);
}

TEST_F(RefusedTest, TablesThatBreakNothingAreRefused) {
  const auto fault = [&](const std::string& rows) {
    const auto result = Make({.breakable = *Read(rows)});
    return result ? "no error" : result.error().message;
  };
  EXPECT_THAT(fault("\n- {ops: abs, in: 2 f32, out: 3 f32, breaks: {C1: [a, {out: 4 f32}]}}\n"),
              HasSubstr("some.yaml:3: the program that is to be broken is not valid"));
  EXPECT_THAT(fault("\n- {ops: abs, in: 2 f32, out: 2 f32, breaks: {C1: [a, {out: 2 f32}]}}\n"),
              HasSubstr("abs.C1 is not broken: nothing is changed"));
  EXPECT_THAT(fault("\n- {ops: abs, in: 2 f32, out: 2 f32, breaks: {C1: [a, {out: 3 f32}, {out0: 3 f32}]}}\n"),
              HasSubstr("abs.C1 is broken twice by the same program"));
}

TEST_F(RefusedTest, EveryProgramOfTheSuiteViolatesTheSpecification) {
  const Expected<Suite> suite = LoadSuite(TestSource("generator/suite/stablehlo"));
  ASSERT_TRUE(suite) << suite.error().message;
  const Expected<SplitResult> result = Make(*suite);
  ASSERT_TRUE(result) << result.error().message;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const Case& c : result->manifest.cases) {
    const auto read = ReadModuleFromBytes(texts_.at(c.id), c.id, context);
    EXPECT_FALSE(read && VerifyStrictly(**read)) << texts_.at(c.id);
    if (!read) EXPECT_EQ(read.error().code, ExitCode::kBadInput) << read.error().message;
  }
  for (const auto& [name, text] : texts_) {
    if (!name.starts_with("valid_")) continue;
    const auto read = ReadModuleFromBytes(text, name, context);
    EXPECT_TRUE(read && VerifyStrictly(**read)) << text;
  }
}

}  // namespace
}  // namespace opbyop::generator
