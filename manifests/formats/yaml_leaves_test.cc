// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/formats/yaml_leaves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(YamlLeavesTest, ValuesAreNamedByTheirPath) {
  EXPECT_THAT(
      YamlLeaves("name: host\ndevice: {kind: none}\nflags: [a, b]\nempty:\n"),
      ElementsAre(Pair("device.kind", "none"), Pair("empty", ""), Pair("flags", R"(["a","b"])"), Pair("name", "host")));
}

TEST(YamlLeavesTest, MapsOfAListAreNamedByTheirName) {
  EXPECT_THAT(YamlLeaves("stages:\n- {name: parse}\n- {name: lower, timeout_s: 2}\n"),
              ElementsAre(Pair("stages.lower.name", "lower"), Pair("stages.lower.timeout_s", "2"),
                          Pair("stages.parse.name", "parse")));
}

TEST(YamlLeavesTest, MapsWithoutANameAreNamedByTheirPosition) {
  EXPECT_THAT(YamlLeaves("relax: [{factor: 2}, {factor: 3}]"),
              ElementsAre(Pair("relax.0.factor", "2"), Pair("relax.1.factor", "3")));
}

TEST(YamlLeavesTest, AListIsNotItsTextJoined) { EXPECT_NE(YamlLeaves("a: ['x, y']"), YamlLeaves("a: [x, y]")); }

TEST(YamlLeavesTest, CommentsAndFormattingDoNotMatter) {
  EXPECT_EQ(YamlLeaves("a: [x, y]  # two\n"), YamlLeaves("# list\na:\n- x\n- \"y\"\n"));
}

TEST(YamlLeavesTest, AnotherTextThatIsNoYamlIsAnotherValue) { EXPECT_NE(YamlLeaves("a: [x"), YamlLeaves("a: [y")); }

}  // namespace
}  // namespace opbyop
