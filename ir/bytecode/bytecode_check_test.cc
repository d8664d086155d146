// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/bytecode/bytecode_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <random>
#include <string>

#include "ir/text_nesting.h"
#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string Fixture(const std::string& name) {
  Expected<std::string> bytes = ReadFile(TestSource("ir/vhlo/test/" + name));
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes.value_or("");
}

// Returns bytecode of version 6 with these sections (kind and bytes).
std::string Bytecode(std::initializer_list<std::pair<char, std::string>> sections) {
  std::string bytes = std::string("ML\xEFR") + '\x0D' + std::string("test") + '\0';
  for (const auto& [kind, content] : sections) {
    bytes += kind;
    bytes += static_cast<char>(content.size() << 1 | 1);
    bytes += content;
  }
  bytes += std::string{8, '\x03', '\x01'};  // no properties
  return bytes;
}

std::string Reason(const std::string& bytes) {
  const auto done = CheckBytecode(bytes);
  return done ? "is sound" : done.error().message;
}

constexpr char kOne = '\x03';  // the number 1
// A count of at least 2^56, which takes nine bytes.
const std::string kHuge = std::string(1, '\0') + std::string(8, '\x7f');

TEST(BytecodeCheck, AcceptsValidBytecode) {
  for (const char* name : {"small_0_9_0.mlirbc", "small_1_17_0.mlirbc"}) {
    EXPECT_EQ(Reason(Fixture(name)), "is sound") << name;
  }
  for (const auto& entry : fs::directory_iterator(TestSource("fixtures/models"))) {
    if (entry.path().extension() != ".mlirbc") continue;
    Expected<std::string> bytes = ReadFile(entry.path());
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(Reason(*bytes), "is sound") << entry.path();
  }
}

TEST(BytecodeCheck, RefusesCountsThatExceedTheBytes) {
  EXPECT_THAT(Reason(Bytecode({{0, "\x01"}})), HasSubstr("no section of kind 1"));
  auto with_strings = [](const std::string& strings) {
    return Bytecode({{0, strings}, {1, ""}, {2, ""}, {3, ""}, {4, ""}});
  };
  EXPECT_THAT(Reason(with_strings(kHuge)), HasSubstr("more strings than bytes"));
  EXPECT_THAT(Reason(with_strings(std::string{kOne, '\x01', 'x'})), HasSubstr("string 0 has no size"));
  EXPECT_THAT(Reason(with_strings(std::string{kOne, '\x09', 'x'})), HasSubstr("string 0 has no size"));
  EXPECT_THAT(Reason(Bytecode({{0, {'\x01'}}, {1, kHuge}, {2, ""}, {3, ""}, {4, ""}})),
              HasSubstr("more dialects than bytes"));
  EXPECT_THAT(Reason(Bytecode({{0, {'\x01'}}, {1, {'\x01', '\x01'}}, {2, ""}, {3, kHuge}, {4, ""}})),
              HasSubstr("more attributes or types than bytes"));
  EXPECT_THAT(Reason(Bytecode({{0, {'\x01'}}, {1, {'\x01', '\x01'}}, {2, ""}, {3, {'\x01', '\x01'}}, {4, kHuge}})),
              HasSubstr("are more than bytes"));
}

TEST(BytecodeCheck, RefusesAnAttributeThatIsPartOfItself) {
  // Attribute 0 of the builtin dialect is a list that contains attribute 0.
  const std::string strings{kOne, '\x11', 'b', 'u', 'i', 'l', 't', 'i', 'n', '\0'};
  const std::string dialects{kOne, '\x01', '\x01'};
  const std::string entry{'\x01', kOne, '\x01'};
  const std::string offsets{kOne, '\x01', '\x01', kOne, '\x0F'};
  EXPECT_THAT(Reason(Bytecode({{0, strings}, {1, dialects}, {2, entry}, {3, offsets}, {4, {'\x01'}}})),
              HasSubstr("attribute 0 is part of itself"));
}

TEST(BytecodeCheck, RefusesEveryTruncation) {
  std::string bytes = Fixture("small_1_17_0.mlirbc");
  for (size_t size = 4; size < bytes.size(); ++size) EXPECT_NE(Reason(bytes.substr(0, size)), "is sound") << size;
}

TEST(BytecodeCheck, NeverCrashesOnRandomBytes) {
  const std::string bytes = Fixture("small_1_17_0.mlirbc");
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = bytes;
    for (int k = 0; k <= i % 4; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)Reason(damaged);
  }
}

TEST(TextNesting, CountsBracketsOutsideOfStringsAndComments) {
  const std::string deep(5000, '(');
  EXPECT_TRUE(CheckTextNesting("\"" + deep + "\" // " + deep + "\n()", "in"));
  Expected<void> done = CheckTextNesting("\n" + deep, "in");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("in:2: this is nested more than 1000 brackets"));
  EXPECT_FALSE(CheckTextNesting(std::string(5000, '{'), "in"));
  EXPECT_FALSE(CheckTextNesting("affine_map<(d0) -> (" + std::string(5000, '-') + "d0)>", "in"));
}

TEST(TextNesting, CountsOperatorsOfAnExpression) {
  for (const std::string op : {" + d0", " * 2", " - d0", " floordiv 2", " ceildiv 2", " mod 7"}) {
    std::string chain = "d0";
    for (int i = 0; i < 2000; ++i) chain += op;
    EXPECT_FALSE(CheckTextNesting("affine_map<(d0) -> (" + chain + ")>", "in")) << op;
  }
  std::string nested;
  for (int i = 0; i < 300; ++i) nested += "d0 + d0 + (";
  EXPECT_TRUE(CheckTextNesting("(" + nested, "in"));
  for (int i = 0; i < 300; ++i) nested += "d0 + d0 + (";
  EXPECT_FALSE(CheckTextNesting("(" + nested, "in"));
}

TEST(TextNesting, DoesNotAddUpOperatorsOfSeparateExpressions) {
  std::string list, ops;
  for (int i = 0; i < 5000; ++i) {
    list += "-1.0e+10, d0 * 2 + modular, ";
    ops += "%0 = arith.constant -1 : i64\n";
  }
  EXPECT_TRUE(CheckTextNesting("dense<[" + list + "]>", "in"));
  EXPECT_TRUE(CheckTextNesting("module {" + ops + "}", "in"));
}

// Returns `count` definitions of aliases, each of which uses the one before.
std::string Aliases(int count, const std::string& first, const std::string& before, const std::string& after) {
  const char sigil = first[0];
  std::string text = first + "\n";
  for (int i = 1; i < count; ++i) {
    text += sigil + fmt::format("a{} = {}{}a{}{}\n", i, before, sigil, i - 1, after);
  }
  return text;
}

TEST(TextNesting, CountsAliasesInAliases) {
  for (const std::string space : {" ", "\n"}) {
    for (const int count : {900, 5000}) {
      const bool is_read = count == 900;
      EXPECT_EQ(CheckTextNesting(Aliases(count, "#a0 = 1", "[" + space, "]"), "in").has_value(), is_read);
      EXPECT_EQ(CheckTextNesting(Aliases(count, "!a0 = i1", "tuple<" + space, ">"), "in").has_value(), is_read);
      EXPECT_EQ(CheckTextNesting(Aliases(count, "!a0 = i1", "(i1) ->" + space + "tuple<", ">"), "in").has_value(),
                is_read);
      EXPECT_EQ(CheckTextNesting(Aliases(count, "#a0 = loc(\"a\")", "loc(callsite(" + space, " at \"b\"))"), "in")
                    .has_value(),
                is_read);
    }
  }
}

TEST(TextNesting, AddsTheNestingOfAnAliasWhereItIsUsed) {
  const std::string deep(600, '[');
  const std::string end(600, ']');
  EXPECT_TRUE(CheckTextNesting("#a = " + deep + end + "\nmodule {}\n" + deep + end, "in"));
  EXPECT_FALSE(CheckTextNesting("#a = " + deep + end + "\nmodule {}\n" + deep + "#a", "in"));
}

TEST(TextNesting, AnAliasEndsBeforeTheTextThatFollows) {
  std::string text = "#map = affine_map<(d0) -> (d0)>\nmodule {\n";
  for (int i = 0; i < 5000; ++i) text += "  \"a.b\"() {map = [#map]} : () -> ()\n";
  EXPECT_TRUE(CheckTextNesting(text + "}\n#loc = loc(unknown)\n", "in"));
}

TEST(TextNesting, ArrowsAndComparisonsAreNotBrackets) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "(a) -> b >= c <d> {e} [f]\n";
  EXPECT_TRUE(CheckTextNesting(text, "in"));
}

}  // namespace
}  // namespace opbyop
