// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/granularity.h"

#include <gmock/gmock.h>

namespace opbyop {
namespace {

using testing::HasSubstr;

TEST(GranularityTest, EveryFormIsReadAndWritten) {
  for (const char* text : {"op", "window:1", "window:2", "window:100", "module", "module:3", "layer", "model"}) {
    const Expected<Granularity> granularity = Granularity::Parse(text);
    ASSERT_TRUE(granularity) << text;
    EXPECT_EQ(granularity->ToText(), text);
  }
}

TEST(GranularityTest, AnyOtherTextIsRefusedWithTheForms) {
  for (const char* text :
       {"", "ops", "window", "window:", "window:0", "window:-1", "window:101", "window:2x", "window: 2", "module:0",
        "module:x", "layer:2", "op:1", "model:", "window:99999999999999999999"}) {
    const Expected<Granularity> granularity = Granularity::Parse(text);
    ASSERT_FALSE(granularity) << text;
    EXPECT_EQ(granularity.error().code, ExitCode::kUsage);
    EXPECT_THAT(granularity.error().message, HasSubstr("op, window:K, module, module:DEPTH, layer and model"));
  }
}

}  // namespace
}  // namespace opbyop
