// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/hlo/hlo_file.h"

#include <gtest/gtest.h>

#include <string>

namespace opbyop {
namespace {

std::string Bytes(char field, const std::string& value) {
  return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(value.size())} + value;
}

const std::string kModule = Bytes(1, "jit_f") + Bytes(2, "main.4") + Bytes(3, Bytes(1, "main.4")) + "\x28\x01";

TEST(HloFileTest, TextBeginsWithTheWordHloModule) {
  EXPECT_EQ(HloFormOf("\nHloModule jit_f, is_scheduled=true\n"), HloForm::kText);
  EXPECT_EQ(HloFormOf("module @HloModule {}"), std::nullopt);
}

TEST(HloFileTest, AMessageIsAModuleOrHasOne) {
  EXPECT_EQ(HloFormOf(kModule), HloForm::kModule);
  EXPECT_EQ(HloFormOf(Bytes(1, kModule) + Bytes(3, "buffers")), HloForm::kProto);
}

TEST(HloFileTest, OtherAndTruncatedMessagesAreNoHlo) {
  EXPECT_EQ(HloFormOf(""), std::nullopt);
  EXPECT_EQ(HloFormOf("\n\n\n"), std::nullopt);
  EXPECT_EQ(HloFormOf(Bytes(1, "jit_f") + Bytes(2, "main.4")), std::nullopt);
  for (size_t size = 0; size < Bytes(1, kModule).size(); ++size) {
    EXPECT_EQ(HloFormOf(Bytes(1, kModule).substr(0, size)), std::nullopt) << size;
  }
}

TEST(HloFileTest, OnlyProgramsAsTheFrameworkGaveThemAreDumpsToRead) {
  for (const char* name : {"f.hlo", "f.hlo.pb", "module_0001.jit_f.before_optimizations.txt",
                           "module_0001.jit_f.before_optimizations.hlo.pb"}) {
    EXPECT_TRUE(IsHloDump(name)) << name;
  }
  for (const char* name : {"module_0001.jit_f.cpu_after_optimizations.txt", "notes.txt", "f.pb", "f.mlir",
                           "module_0001.jit_f.sm_8.0_gpu_after_optimizations.hlo.pb",
                           "module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt"}) {
    EXPECT_FALSE(IsHloDump(name)) << name;
  }
}

TEST(HloFileTest, TheStemHasNoneOfTheEndings) {
  EXPECT_EQ(HloStem("module_0001.jit_f.before_optimizations.hlo.pb"), "module_0001.jit_f");
  EXPECT_EQ(HloStem("module_0001.jit_f.before_optimizations.txt"), "module_0001.jit_f");
  EXPECT_EQ(HloStem("f.hlo"), "f");
}

}  // namespace
}  // namespace opbyop
