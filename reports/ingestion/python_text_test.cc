// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/python_text.h"

#include <gtest/gtest.h>

namespace opbyop::reports {
namespace {

TEST(PythonTextTest, StringsAreEscaped) {
  EXPECT_EQ(PythonString("f32"), "'f32'");
  EXPECT_EQ(PythonString("a'b\\c\nd"), R"('a\'b\\c\nd')");
}

TEST(PythonTextTest, ListsAreThoseOfRepr) {
  const std::vector<TensorType> types = {{{2, 3}, "f32"}, {{}, "i32"}, {{kDynamic}, "i1"}};
  EXPECT_EQ(PythonShapes(types), "[[2, 3], [], [-1]]");
  EXPECT_EQ(PythonDtypes(types), "['f32', 'i32', 'i1']");
  EXPECT_EQ(PythonShapes({}), "[]");
  EXPECT_EQ(PythonTensorDescs({}), "[]");
}

}  // namespace
}  // namespace opbyop::reports
