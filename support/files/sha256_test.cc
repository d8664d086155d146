// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/sha256.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(Sha256Test, AgreesWithTheStandardsExample) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Test, WithAKeyAgreesWithRfc4231) {
  EXPECT_EQ(HmacSha256Hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace opbyop
