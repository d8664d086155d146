// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/tensor/blas.h"

#include <gtest/gtest.h>

namespace opbyop::reference {
namespace {

TEST(BlasTest, AProcessorThatTheLibraryDoesNotKnowGetsTheKernelsOfItsVectors) {
  EXPECT_EQ(BetterKernels("Prescott", {.avx2 = true, .avx512 = true}), "SKYLAKEX");
  EXPECT_EQ(BetterKernels("Prescott", {.avx2 = true}), "HASWELL");
  EXPECT_EQ(BetterKernels("Unknown", {.avx2 = true}), "HASWELL");
}

TEST(BlasTest, AChoiceOfWideKernelsStays) {
  EXPECT_EQ(BetterKernels("Haswell", {.avx2 = true, .avx512 = true}), "");
  EXPECT_EQ(BetterKernels("SapphireRapids", {.avx2 = true, .avx512 = true}), "");
  EXPECT_EQ(BetterKernels("Zen", {.avx2 = true}), "");
}

TEST(BlasTest, AProcessorWithoutWideVectorsKeepsTheKernelsThatItGets) { EXPECT_EQ(BetterKernels("Prescott", {}), ""); }

}  // namespace
}  // namespace opbyop::reference
