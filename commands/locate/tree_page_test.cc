// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/tree_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::locate {
namespace {

using testing::HasSubstr;
using testing::Not;

Node Failing() {
  return {.kind = "model",
          .what = "<m>, 2 ops",
          .verdict = {Status::kFail, "compare", "got \"1\""},
          .parts = {{.kind = "op", .what = "a", .verdict = {Status::kPass, "", ""}},
                    {.kind = "op", .what = "b", .verdict = {Status::kFail, "compare", ""}, .why = "it fails alone"}}};
}

TEST(TreePageTest, WhatFailsIsRedWithItsReason) {
  const std::string page = TreePage({Failing(), "host", "func.func @main()", "opbyop repro"});
  EXPECT_THAT(page, HasSubstr("<span class=\"red\" title=\"\">op b: fail in compare</span>"));
  EXPECT_THAT(page, HasSubstr("<span title=\"\">op a: pass</span>"));
  EXPECT_THAT(page, HasSubstr("<p class=\"why red\">it fails alone</p>"));
  EXPECT_THAT(page, HasSubstr("<pre>func.func @main()</pre>"));
}

TEST(TreePageTest, TextsOfAModelAreNoMarkup) {
  const std::string page = TreePage({Failing(), "host", "dense<1>", "\"</pre><script>\""});
  EXPECT_THAT(page, HasSubstr("&lt;m&gt;, 2 ops on host"));
  EXPECT_THAT(page, HasSubstr("got &quot;1&quot;"));
  EXPECT_THAT(page, HasSubstr("dense&lt;1&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace opbyop::locate
