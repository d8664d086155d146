// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/sha256.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(Sha256Test, AgreesWithTheStandardsExample) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace opbyop
