// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/policies/policy.h"

#include <gtest/gtest.h>

#include "support/files/file.h"

namespace opbyop {
namespace {

Expected<Policy> PolicyOf(const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / "policy.yaml";
  EXPECT_TRUE(WriteFile(path, text));
  return LoadPolicy(path);
}

TEST(PolicyTest, RelaxationsMultiplyAndKeepTheirReasons) {
  const auto policy = PolicyOf(
      "schema: opbyop-policy/1\nname: p\ninputs: exact-int\nrelax:\n"
      "- {op: 'stablehlo.t*', factor: 2, reason: one}\n- {dtype: bf16, factor: 3, reason: two}\n");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->inputs, InputKind::kExactInt);
  EXPECT_EQ(policy->For("stablehlo.tanh", "bf16", "host").factor, 6);
  EXPECT_EQ(policy->For("stablehlo.tanh", "bf16", "host").reason, "one; two");
  EXPECT_EQ(policy->For("stablehlo.add", "f32", "host").factor, 1);
}

TEST(PolicyTest, RelaxationNeedsAReason) {
  EXPECT_FALSE(PolicyOf("schema: opbyop-policy/1\nname: p\ninputs: domain\nrelax: [{factor: 2}]\n"));
}

TEST(PolicyTest, BoundIsNeverTightened) {
  for (const char* factor : {"0.5", ".inf", ".nan", "-2", "1e300"}) {
    EXPECT_FALSE(PolicyOf(std::string("schema: opbyop-policy/1\nname: p\ninputs: domain\nrelax: [{factor: ") + factor +
                          ", reason: r}]\n"))
        << factor;
  }
}

TEST(PolicyTest, UnknownInputKindIsRefused) {
  EXPECT_FALSE(PolicyOf("schema: opbyop-policy/1\nname: p\ninputs: random\n"));
  for (const char* name : {"../p", "a b", ".p", "p#2"}) {
    EXPECT_FALSE(PolicyOf(std::string("schema: opbyop-policy/1\nname: '") + name + "'\ninputs: domain\n")) << name;
  }
}

}  // namespace
}  // namespace opbyop
