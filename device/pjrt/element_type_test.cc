// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/element_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>

#include "device/pjrt/raw_enum.h"
#include "support/dtype.h"

namespace opbyop::pjrt {
namespace {

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(ElementTypeTest, EveryTypeIsFoundByItsName) {
  for (const PJRT_Buffer_Type type : ElementTypes()) EXPECT_EQ(ElementType(ElementName(type)), type);
}

TEST(ElementTypeTest, WidthsAreThoseOfFiles) {
  for (const PJRT_Buffer_Type type : ElementTypes()) {
    EXPECT_EQ(DtypeBytes(ElementName(type)), std::max(1, BitsOf(type) / 8)) << ElementName(type);
  }
}

TEST(ElementTypeTest, TypesThatTheInterfaceLacksAreNotFound) {
  EXPECT_FALSE(ElementType("f6E2M3FN"));
  EXPECT_FALSE(ElementType("!stablehlo.token"));
  EXPECT_EQ(ElementName(PJRT_Buffer_Type_TOKEN), "");
}

TEST(ElementTypeTest, AnUnknownEnumeratorIsReadAsItsNumber) {
  const int written = 99;
  PJRT_Buffer_Type type;
  std::memcpy(&type, &written, sizeof(type));
  EXPECT_EQ(RawEnum(type), 99);
  EXPECT_EQ(ElementName(RawEnum(type)), "");
}

TEST(ElementTypeTest, PackedElementsAreUnpackedFromTheLowBits) {
  EXPECT_EQ(UnpackElements(PJRT_Buffer_Type_U4, Bytes({0x21, 0x03}), 3), Bytes({1, 2, 3}));
  EXPECT_EQ(UnpackElements(PJRT_Buffer_Type_U2, Bytes({0xe4}), 4), Bytes({0, 1, 2, 3}));
}

TEST(ElementTypeTest, SignedElementsAreExtendedAndOthersCleared) {
  std::vector<std::byte> bytes = Bytes({0x0f, 0xf7});
  NormalizeElements(PJRT_Buffer_Type_S4, bytes);
  EXPECT_EQ(bytes, Bytes({0xff, 0x07}));
  bytes = Bytes({0xff});
  NormalizeElements(PJRT_Buffer_Type_U2, bytes);
  EXPECT_EQ(bytes, Bytes({0x03}));
  bytes = Bytes({0xff});
  NormalizeElements(PJRT_Buffer_Type_S8, bytes);
  EXPECT_EQ(bytes, Bytes({0xff}));
}

}  // namespace
}  // namespace opbyop::pjrt
