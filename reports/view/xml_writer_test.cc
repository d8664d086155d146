// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/xml_writer.h"

#include <gtest/gtest.h>

namespace opbyop::reports {
namespace {

TEST(XmlWriterTest, TextAndAttributesAreEscaped) {
  XmlElement element("r", {});
  SetText(AddElement(element.node(), "t", {{"a", "<\"&\x01"}}), "</t>&\xff");
  pugi::xml_document read;
  ASSERT_TRUE(read.load_string(element.Text(0).c_str()));
  EXPECT_STREQ(read.child("r").child("t").attribute("a").value(), "<\"&\uFFFD");
  EXPECT_STREQ(read.child("r").child("t").text().get(), "</t>&\uFFFD");
}

TEST(XmlWriterTest, TagsOfAnElementWrittenInPartsEqualThoseOfTheWhole) {
  XmlElement whole("s", {{"a", "/>\""}});
  AddElement(whole.node(), "t", {});
  EXPECT_EQ(OpeningTag("s", {{"a", "/>\""}}, 1) + XmlElement("t", {}).Text(2) + ClosingTag("s", 1), whole.Text(1));
}

TEST(XmlWriterTest, SecondsAreDecimalAndNeverNegative) {
  EXPECT_EQ(Seconds(1250), "1.25");
  EXPECT_EQ(Seconds(0), "0.0");
  EXPECT_EQ(Seconds(0.001), "0.000001");
  EXPECT_EQ(Seconds(-3), "0.0");
}

}  // namespace
}  // namespace opbyop::reports
