// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/program_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/files/project_folder.h"
#include "support/test_folder.h"

namespace opbyop::generator {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ReadProgramTextTest : public testing::Test {
 protected:
  static std::string Read(const std::filesystem::path& file) {
    const auto text = ReadProgramText(file);
    EXPECT_TRUE(text) << text.error().message;
    return text && *text ? **text : "as it is";
  }

  std::filesystem::path Write(std::string_view text) {
    const std::filesystem::path path = folder_.path() / "model.mlir";
    EXPECT_TRUE(WriteFile(path, text));
    return path;
  }

  TestFolder folder_;
};

TEST_F(ReadProgramTextTest, ConvertsAPortableArtifactToStableHloWithLocations) {
  const std::string text = Read(ProjectFolder() / "fixtures/models/ffnn.mlirbc");
  EXPECT_THAT(text, HasSubstr("stablehlo.dot_general"));
  EXPECT_THAT(text, HasSubstr("loc("));
  EXPECT_THAT(text, Not(HasSubstr("vhlo")));
}

TEST_F(ReadProgramTextTest, WritesOutTheBooleansOfBytecode) {
  const std::string text = Read(ProjectFolder() / "ir/test/Inputs/booleans.mlirbc");
  EXPECT_THAT(text, HasSubstr("true, "));
  EXPECT_THAT(text, Not(HasSubstr("dense<\"0x")));
}

TEST_F(ReadProgramTextTest, LeavesTextAsItIs) {
  EXPECT_EQ(Read(Write("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }")),
            "as it is");
}

// Hexadecimal f32 means the same to all readers. Hexadecimal i1 has a bit or a byte per element, depending on the
// producer's age.
TEST_F(ReadProgramTextTest, WritesOutTheBooleansOfText) {
  const std::string head = "func.func @main() -> tensor<9xi1> {\n  %c = stablehlo.constant dense<\"0x";
  const std::string tail = "\"> : tensor<9xi1>\n  return %c : tensor<9xi1>\n}\n";
  for (const char* digits : {"010001010101010101", "FD01"}) {
    const std::string text = Read(Write(head + digits + tail));
    EXPECT_THAT(text, HasSubstr("dense<[true, false, true, true, true, true, true, true, true]>")) << digits;
    EXPECT_THAT(text, HasSubstr("model.mlir\":2:8"));
  }
}

TEST_F(ReadProgramTextTest, NamesAFileThatIsNoProgram) {
  const auto text = ReadProgramText(Write(""));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("model.mlir"));
}

}  // namespace
}  // namespace opbyop::generator
