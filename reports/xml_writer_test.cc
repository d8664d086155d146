#include "reports/xml_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop {
namespace {

using testing::HasSubstr;

TEST(XmlWriterTest, TextAndAttributesAreEscaped) {
  XmlDocument xml("r");
  SetText(AddElement(xml.root(), "t", {{"a", "<\"&\x01"}}), "</t>&\xff");
  pugi::xml_document read;
  ASSERT_TRUE(read.load_string(xml.Text().c_str()));
  EXPECT_STREQ(read.child("r").child("t").attribute("a").value(), "<\"&\uFFFD");
  EXPECT_STREQ(read.child("r").child("t").text().get(), "</t>&\uFFFD");
}

TEST(XmlWriterTest, DeclaresItsEncoding) {
  EXPECT_THAT(XmlDocument("r").Text(), HasSubstr("<?xml version=\"1.0\" encoding=\"utf-8\"?>"));
}

TEST(XmlWriterTest, SecondsAreDecimalAndNeverNegative) {
  EXPECT_EQ(Seconds(1250), "1.25");
  EXPECT_EQ(Seconds(0), "0.0");
  EXPECT_EQ(Seconds(0.001), "0.000001");
  EXPECT_EQ(Seconds(-3), "0.0");
}

}  // namespace
}  // namespace opbyop
