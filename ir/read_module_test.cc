// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/read_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "ir/artifact_info.h"
#include "ir/strict.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Fixture(const std::string& name) {
  Expected<std::string> bytes = ReadFile(TestSource("ir/vhlo/test/" + name));
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes.value_or("");
}

std::string Replace(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class ReadModuleTest : public ::testing::Test {
 protected:
  // Returns the module in generic form without locations, or the error message.
  std::string Print(std::string_view bytes) {
    auto module = ReadModuleFromBytes(bytes, "in", context_);
    if (!module) return module.error().message;
    return Print(**module);
  }

  static std::string Print(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os, mlir::OpPrintingFlags().printGenericOpForm());
    return text;
  }

  // Returns the message of the error, which must have this code.
  std::string Fail(ExitCode code, std::string_view bytes) {
    auto module = ReadModuleFromBytes(bytes, "in", context_);
    if (module) return "was read: " + Print(**module);
    EXPECT_EQ(module.error().code, code) << module.error().message;
    EXPECT_THAT(module.error().message, Not(HasSubstr("\n")));
    return module.error().message;
  }

  mlir::MLIRContext context_;
};

TEST_F(ReadModuleTest, ReadsPrettyTextAndItsGenericFormAlike) {
  std::string pretty = Print(Fixture("small.mlir"));
  EXPECT_THAT(pretty, HasSubstr("\"stablehlo.convolution\""));
  EXPECT_EQ(Print(pretty), pretty);
}

TEST_F(ReadModuleTest, ReadsPortableArtifactsLikeTheTextTheyWereMadeFrom) {
  std::string text = Print(Fixture("small.mlir"));
  EXPECT_EQ(Print(Fixture("small_0_9_0.mlirbc")), text);
  EXPECT_EQ(Print(Fixture("small_1_17_0.mlirbc")), text);
}

TEST_F(ReadModuleTest, ReadsEveryModelOfTheFixtures) {
  int models = 0;
  for (const auto& entry : fs::directory_iterator(TestSource("fixtures/models"))) {
    if (entry.path().extension() != ".mlirbc") continue;
    auto module = ReadModule(entry.path(), context_);
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_TRUE((*module)->lookupSymbol("main")) << entry.path();
    ++models;
  }
  EXPECT_GE(models, 12);
}

TEST_F(ReadModuleTest, ReadsProgramsWrappedByJaxExport) {
  std::string bytes = Fixture("exported.jax");
  EXPECT_THAT(Print(bytes), HasSubstr("\"stablehlo.sine\""));
  Expected<ArtifactInfo> info = InspectArtifact(bytes);
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_TRUE(info->is_jax_export);
  for (size_t size = 8; size < info->offset + info->size; ++size) {
    EXPECT_FALSE(ReadModuleFromBytes(bytes.substr(0, size), "in", context_)) << size;
  }
}

TEST_F(ReadModuleTest, ReadsTheForwardFunctionOfATorchXlaFolder) {
  fs::path folder = fs::path(::testing::TempDir()) / "opbyop_saved";
  ASSERT_TRUE(WriteFile(folder / "functions" / "forward.bytecode", Fixture("small_1_17_0.mlirbc")));
  ASSERT_TRUE(WriteFile(folder / "functions" / "backward.bytecode", "no module"));
  auto module = ReadModule(folder, context_);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(Print(**module), Print(Fixture("small.mlir")));
  fs::remove_all(folder);
}

TEST_F(ReadModuleTest, ReadsPlainBytecode) {
  auto module = ReadModuleFromBytes("func.func @f(%a: i32) -> i32 { return %a : i32 }", "in", context_);
  ASSERT_TRUE(module) << module.error().message;
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  ASSERT_TRUE(succeeded(mlir::writeBytecodeToFile(**module, os)));
  EXPECT_EQ(Print(bytecode), Print(**module));
}

TEST_F(ReadModuleTest, ReadsBooleansOfOneByteEach) {
  std::string bytes(2 * 160, '0');
  for (size_t i = 1; i < bytes.size(); i += 4) bytes[i] = '1';
  std::string packed(2 * 20, '5');
  auto with = [](const std::string& hex) {
    return "func.func @f() -> tensor<160xi1> {\n  %c = stablehlo.constant dense<\"0x" + hex +
           "\"> : tensor<160xi1>\n  return %c : tensor<160xi1>\n}";
  };
  EXPECT_THAT(Print(with(packed)), HasSubstr("\"0x555555"));
  EXPECT_EQ(Print(with(bytes)), Print(with(packed)));
}

TEST_F(ReadModuleTest, BytecodeOfANewerMlirIsNotCalledDamaged) {
  // Affine maps have had a code since MLIR 24, and not since a version of bytecode.
  const auto module = ReadModule(TestSource("ir/test/Inputs/mlir_24_map.mlirbc"), context_);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(module.error().message, AllOf(HasSubstr("producer 'MLIR24.0.0git'"), HasSubstr("newer than MLIR 22"),
                                            HasSubstr("as text it may be read: unknown attribute code: 23")));
}

TEST_F(ReadModuleTest, RefusesANewerArtifactEvenIfItsOpsAreKnown) {
  std::string newer = Replace(Fixture("small_1_17_0.mlirbc"), "StableHLO_v1.17.0", "StableHLO_v1.99.0");
  EXPECT_THAT(Fail(ExitCode::kUnsupported, newer), AllOf(HasSubstr("1.99.0"), HasSubstr("1.20.0")));
}

TEST_F(ReadModuleTest, TheErrorForANewerArtifactNamesTheOpAndBothVersions) {
  std::string newer = Replace(Fixture("small_1_17_0.mlirbc"), "StableHLO_v1.17.0", "StableHLO_v1.99.0");
  EXPECT_THAT(Fail(ExitCode::kUnsupported, Replace(newer, "dot_general_v2", "dot_general_v9")),
              AllOf(HasSubstr("vhlo.dot_general_v9"), HasSubstr("1.99.0"), HasSubstr("1.20.0")));
}

TEST_F(ReadModuleTest, RefusesAnOpNoVersionHas) {
  EXPECT_THAT(Fail(ExitCode::kBadInput, Replace(Fixture("small_1_17_0.mlirbc"), "slice_v1", "slide_v1")),
              AllOf(HasSubstr("vhlo.slide_v1"), HasSubstr("1.17.0")));
}

TEST_F(ReadModuleTest, NamesAnAbsentFile) {
  auto module = ReadModule("no/such/model.mlir", context_);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ExitCode::kNoInput);
  EXPECT_THAT(module.error().message, HasSubstr("no/such/model.mlir"));
}

TEST_F(ReadModuleTest, NamesAFolder) {
  auto module = ReadModule(TestSource("ir"), context_);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, ExitCode::kNoInput);
  EXPECT_THAT(module.error().message, HasSubstr("is a folder without functions/*.bytecode"));
}

TEST_F(ReadModuleTest, ReadsTextAsEditorsOnWindowsStoreIt) {
  const std::string text =
      "\xEF\xBB\xBF"
      "func.func @f(%a: i32) -> i32 {\r\n  return %a : i32\r\n}\r\n";
  auto module = ReadModuleFromBytes(text, "in", context_);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_THAT(Fail(ExitCode::kBadInput,
                   "\xFF\xFE"
                   "f\0u\0"s),
              HasSubstr("in looks like text in UTF-16 (store it in UTF-8)"));
  EXPECT_THAT(Fail(ExitCode::kBadInput, "\x1F\x8B\x08\0"s), HasSubstr("in looks like gzip data (`gunzip` unpacks it)"));
}

TEST_F(ReadModuleTest, ReadsQuantizedTypesOfVhloText) {
  const std::string text = R"(
vhlo.func_v1 @main(%0: !vhlo.tensor_v1<!vhlo.quant_v1<!vhlo.i8_v1:!vhlo.f32_v1, 2.0:16, -128:127, 1>>,
                   %1: !vhlo.tensor_v1<2x!vhlo.quant_per_axis_v1<!vhlo.i8_v1:!vhlo.f32_v1, 0, [2.0, 4.0], [16, 8], -128:127, 1>>)
    -> () {
  "vhlo.return_v1"() : () -> ()
})";
  const std::string printed = Print(text);
  EXPECT_THAT(printed, HasSubstr("%arg0: tensor<!quant.uniform<i8:f32, 2.000000e+00:16>>"));
  EXPECT_THAT(printed, HasSubstr("%arg1: tensor<2x!quant.uniform<i8:f32:0, {2.000000e+00:16,4.000000e+00:8}>>"));
}

TEST_F(ReadModuleTest, RefusesWordsThatAreNoPartOfVhlo) {
  EXPECT_THAT(Fail(ExitCode::kBadInput, "vhlo.func_v1 @f(%x: !vhlo.tensor_v9<4x!vhlo.f32_v1>) -> () {}"),
              HasSubstr("tensor_v9 is no part of VHLO that this reader knows"));
  EXPECT_THAT(Fail(ExitCode::kBadInput, "vhlo.add_v1 %x, %y"), HasSubstr("has the generic form only"));
}

TEST_F(ReadModuleTest, RefusesAResourceThatMlirCannotAlign) {
  const auto with = [](const std::string& bytes) {
    return "func.func @f() -> tensor<1xf32> {\n  %c = stablehlo.constant dense_resource<r> : tensor<1xf32>\n  return "
           "%c : "
           "tensor<1xf32>\n}\n{-#\n  dialect_resources: {\n    builtin: {\n      r: \"0x" +
           bytes + "\"\n    }\n  }\n#-}\n";
  };
  EXPECT_THAT(Print(with("040000000000803F")), HasSubstr("dense_resource<r>"));
  EXPECT_THAT(Fail(ExitCode::kBadInput, with("000000000000803F")),
              HasSubstr("in:8: this resource has an alignment of 0, expected a power of two up to 4096"));
  EXPECT_THAT(Fail(ExitCode::kBadInput, with("000000800000803F")), HasSubstr("an alignment of 2147483648"));
  // MLIR reads constants before it misses the end of their section.
  std::string unclosed = with("000000000000803F");
  unclosed.resize(unclosed.rfind("#-}"));
  EXPECT_THAT(Fail(ExitCode::kBadInput, unclosed), HasSubstr("an alignment of 0"));
  EXPECT_THAT(Fail(ExitCode::kBadInput, with("000000000000803F") + "more"), HasSubstr("an alignment of 0"));
  // These marks begin no section.
  EXPECT_THAT(Print("// {-#\nfunc.func @f() attributes {a = \"{-#\", b = \"0x00000000\"} { return }"),
              HasSubstr("0x00000000"));
}

TEST_F(ReadModuleTest, RefusesAnEmptyFile) { EXPECT_THAT(Fail(ExitCode::kBadInput, ""), HasSubstr("in is empty")); }

TEST_F(ReadModuleTest, TheErrorForOtherFilesSaysWhatTheyLookLike) {
  EXPECT_THAT(Fail(ExitCode::kBadInput, "\x89PNG\r\n\x1a\n\0\0"s), HasSubstr("in looks like a PNG image"));
  EXPECT_THAT(Fail(ExitCode::kBadInput,
                   "\x7F"
                   "ELF\x02\x01\x01\0"s),
              HasSubstr("in looks like an ELF program"));
}

TEST_F(ReadModuleTest, TheErrorForTextThatIsNotMlirNamesTheLine) {
  EXPECT_THAT(Fail(ExitCode::kBadInput, "# A heading\n\nSome prose.\n"), HasSubstr("in:1:1: "));
}

TEST_F(ReadModuleTest, PointsAtASyntaxError) {
  EXPECT_THAT(Fail(ExitCode::kBadInput, "func.func @f() {\n  %0 = stablehlo.constant dense<1> : \n  return\n}"),
              HasSubstr("in:2:37: "));
}

TEST_F(ReadModuleTest, PointsAtAnInvalidOp) {
  EXPECT_THAT(Fail(ExitCode::kBadInput,
                   "func.func @f(%a: tensor<2xf32>) -> tensor<3xf32> {\n  %0 = \"stablehlo.transpose\"(%a) : "
                   "(tensor<2xf32>) -> tensor<3xf32>\n  return %0 : tensor<3xf32>\n}"),
              AllOf(HasSubstr("in:2:8: "), HasSubstr("stablehlo.transpose")));
}

TEST_F(ReadModuleTest, NamesAnUnknownDialectInEveryForm) {
  EXPECT_THAT(Fail(ExitCode::kUnsupported, "func.func @f() {\n  mhlo.nop\n  return\n}"),
              AllOf(HasSubstr("in:2:3: "), HasSubstr("operations of dialect 'mhlo' make this an MHLO program")));
  EXPECT_THAT(Fail(ExitCode::kUnsupported, "func.func @f() {\n  \"mhlo.nop\"() : () -> ()\n  return\n}"),
              AllOf(HasSubstr("in:2:"), HasSubstr("operations of dialect 'mhlo' make this an MHLO program")));
  EXPECT_THAT(Fail(ExitCode::kUnsupported, "func.func @f(%a: i32) {\n  foo.nop %a : i32\n  return\n}"),
              AllOf(HasSubstr("in:2:3: "), HasSubstr("dialect 'foo' is not one this reader knows")));
}

// Producers of early 2023 wrote versioned operations before artifacts had versions.
TEST_F(ReadModuleTest, ReadsVersionedOpsOfAnyProducer) {
  const std::string artifact = Fixture("small_0_9_0.mlirbc");
  const std::string unversioned = Replace(artifact, "StableHLO_v0.9.0", "MLIRxxx-trunk123");
  ASSERT_NE(unversioned, artifact);
  EXPECT_EQ(Print(unversioned), Print(artifact));
}

TEST_F(ReadModuleTest, SaysWhatToDoAboutSeveralPrograms) {
  EXPECT_THAT(Fail(ExitCode::kBadInput, "func.func private @f()\n// -----\nfunc.func private @f()\n"),
              HasSubstr("2 sections, with `// -----` between them: --split-input-file takes each by itself"));
}

TEST_F(ReadModuleTest, NamesAnUnknownDialectInAnArtifact) {
  EXPECT_THAT(Fail(ExitCode::kUnsupported, Replace(Fixture("small_1_17_0.mlirbc"), "vhlo\0"s, "xhlo\0"s)),
              AllOf(HasSubstr("dialect 'xhlo'"), HasSubstr("1.17.0")));
}

TEST_F(ReadModuleTest, RefusesEveryTruncationOfAnArtifact) {
  for (const char* name : {"small_0_9_0.mlirbc", "small_1_17_0.mlirbc"}) {
    std::string bytes = Fixture(name);
    for (size_t size = 4; size < bytes.size(); ++size) {
      std::string message = Fail(ExitCode::kBadInput, bytes.substr(0, size));
      EXPECT_THAT(message, AllOf(HasSubstr("truncated"), Not(HasSubstr("was read")))) << name << " at " << size;
    }
  }
}

// Changes each byte in turn. The result must be a module or a message.
TEST_F(ReadModuleTest, NeverCrashesOnDamagedArtifacts) {
  for (const char* name : {"small_0_9_0.mlirbc", "small_1_17_0.mlirbc", "exported.jax"}) {
    const std::string bytes = Fixture(name);
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (unsigned char change : {0x01, 0x80}) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ change);
        auto module = ReadModuleFromBytes(damaged, "in", context_);
        if (!module) EXPECT_FALSE(module.error().message.empty());
      }
    }
  }
}

TEST_F(ReadModuleTest, RefusesTextThatIsNestedTooDeep) {
  const std::string deep(100000, '[');
  EXPECT_THAT(Fail(ExitCode::kBadInput, "func.func private @f() attributes {a.b = " + deep),
              HasSubstr("in:1: this is nested"));
}

// Neither a splat nor a blob of the wrong size allocates memory for all elements.
TEST_F(ReadModuleTest, AllocatesNoMemoryForMissingElements) {
  EXPECT_THAT(Print("func.func private @f() attributes {a.b = dense<1.0> : tensor<99999999999xf32>}"),
              HasSubstr("tensor<99999999999xf32>"));
  EXPECT_THAT(Print("func.func private @f() attributes {a.b = dense<true> : tensor<99999999999xi1>}"),
              HasSubstr("tensor<99999999999xi1>"));
  Fail(ExitCode::kBadInput, "func.func private @f() attributes {a.b = dense<[1.0, 2.0]> : tensor<99999999999xf32>}");
  Fail(ExitCode::kBadInput,
       "func.func private @f() attributes {a.b = dense<\"0x0000803F00000040\"> : tensor<99999999999xf32>}");
}

TEST_F(ReadModuleTest, RefusesEveryTruncationOfText) {
  std::string text = Fixture("small.mlir");
  size_t end = text.find_last_of('}');
  for (size_t size = text.find("module"); size < end; size += 7) {
    EXPECT_FALSE(ReadModuleFromBytes(std::string_view(text).substr(0, size + 1), "in", context_)) << size;
  }
}

TEST_F(ReadModuleTest, UnknownDialectsAreKeptInGenericForm) {
  const std::string text =
      "func.func @f(%a: i32 {ttcore.kind = #ttcore.kind<input>}) {\n  \"foo.op\"(%a) : (i32) -> !foo.type<1>\n  "
      "return loc(fused<#vendor.note<1>>[unknown])\n}";
  EXPECT_THAT(Print(text), AllOf(HasSubstr("#ttcore.kind<input>"), HasSubstr("!foo.type<1>")));
  EXPECT_THAT(Fail(ExitCode::kUnsupported, "func.func @f(%a: i32) {\n  %0 = foo.op %a : i32\n  return\n}"),
              AllOf(HasSubstr("dialect 'foo' is not one this reader knows"), HasSubstr("in generic form is read")));
}

TEST_F(ReadModuleTest, StrictVerificationRefusesOtherDialects) {
  for (const char* body : {"\"foo.op\"(%a) : (i32) -> ()", "%0 = \"foo.op\"(%a) : (i32) -> !foo.type<1>"}) {
    auto module =
        ReadModuleFromBytes(fmt::format("func.func @f(%a: i32) {{\n  {}\n  return\n}}", body), "in", context_);
    ASSERT_TRUE(module) << module.error().message;
    const Expected<void> strict = VerifyStrictly(**module);
    ASSERT_FALSE(strict);
    EXPECT_THAT(strict.error().message, AllOf(HasSubstr("in:2:"), HasSubstr("is of a dialect that is not known")));
  }
  auto noted = ReadModuleFromBytes("func.func @f() attributes {foo.x = #foo.y<1>} {\n  return\n}", "in", context_);
  EXPECT_FALSE(VerifyStrictly(**noted));
  auto plain = ReadModuleFromBytes("func.func @f() {\n  return\n}", "in", context_);
  EXPECT_TRUE(VerifyStrictly(**plain));
}

TEST_F(ReadModuleTest, DialectsOfMlirItselfAreKnown) {
  EXPECT_THAT(Print("module { llvm.module_flags [#llvm.mlir.module_flag<error, \"wchar_size\", 4 : i32>] }"),
              HasSubstr("wchar_size"));
}

TEST_F(ReadModuleTest, MhloIsRefusedUnlessAllowed) {
  const std::string text =
      "func.func @f(%a: tensor<2xf32>) {\n  %0 = \"mhlo.abs\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n  return\n}";
  EXPECT_THAT(Fail(ExitCode::kUnsupported, text), HasSubstr("make this an MHLO program"));
  mlir::MLIRContext context;
  EXPECT_TRUE(ReadModuleFromBytes(text, "in", context, {.allow_mhlo = true}));
}

TEST_F(ReadModuleTest, RefusesTensorsWhoseSizeOverflows) {
  for (const char* type : {"tensor<4294967296x4294967296xf32>", "tensor<4x4611686018427387905xf32>",
                           "tensor<2305843009213693952xf64>", "tensor<0x4294967296x4294967296xi8>"}) {
    const std::string text = fmt::format("func.func @f(%a: {0}) -> {0} {{\n  return %a : {0}\n}}\n", type);
    EXPECT_THAT(Fail(ExitCode::kBadInput, text), HasSubstr("whose bytes are more than 64 bits can count")) << type;
  }
  const std::string constant =
      "func.func @f() {\n  %0 = stablehlo.constant dense<1> : tensor<4294967296x4294967296xi32>\n  return\n}\n";
  EXPECT_THAT(Fail(ExitCode::kBadInput, constant), HasSubstr("in:2:"));
}

TEST_F(ReadModuleTest, RefusesPaddingWhoseSizeOverflows) {
  const std::string text = fmt::format(
      "func.func @f(%a: tensor<5xf32>, %p: tensor<f32>) -> tensor<5xf32> {{\n  %0 = stablehlo.pad %a, %p, low = [0], "
      "high = [0], interior = [{}] : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>\n  return %0 : tensor<5xf32>\n}}\n",
      int64_t{1} << 62);
  EXPECT_THAT(Fail(ExitCode::kBadInput, text), HasSubstr("in:2:"));
}

TEST_F(ReadModuleTest, RefusesEveryTruncationOfBytecodeWithShardings) {
  Expected<std::string> bytes = ReadFile(TestSource("ir/test/Inputs/sdy_bytecode.mlirbc"));
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_THAT(Print(*bytes), HasSubstr("sdy.manual_computation"));
  for (size_t size = 4; size < bytes->size(); ++size) Fail(ExitCode::kBadInput, bytes->substr(0, size));
}

TEST_F(ReadModuleTest, NamesAnUnknownAttributeCode) {
  std::string bytes = ReadFile(TestSource("ir/test/Inputs/sdy_bytecode.mlirbc")).value_or("");
  // sub_axis_info, code 3 with fields 1 and 2, becomes code 99.
  EXPECT_THAT(Fail(ExitCode::kBadInput, Replace(bytes, "\x07\x05\x09", "\xc7\x05\x09")),
              HasSubstr("sdy attribute code 99 is not one this reader knows"));
}

}  // namespace
}  // namespace opbyop
