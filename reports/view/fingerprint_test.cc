// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/fingerprint.h"

#include <gtest/gtest.h>

namespace opbyop::reports {
namespace {

std::string Of(std::string_view text) { return Fingerprint(text, "sine_2x3_f32_1a2b", "stablehlo.sine"); }

TEST(FingerprintTest, NumbersAreReplaced) {
  EXPECT_EQ(Of("output 0: 12 of 144 elements, worst 1.5e-07"), "output #: # of # elements, worst #");
  EXPECT_EQ(Of("at 0x7ffd01, offset -3"), "at #, offset #");
  EXPECT_EQ(Of("shape 4x8x? is not 4x8x16"), "shape # is not #");
}

TEST(FingerprintTest, TypesOfTensorsAreReplaced) {
  EXPECT_EQ(Of("no kernel for tensor<4xcomplex<f32>, #enc<1>> here"), "no kernel for tensor<#> here");
  EXPECT_EQ(Of("no kernel for tensor<4xf32"), "no kernel for tensor<#>") << "a text that was cut";
}

TEST(FingerprintTest, TheCaseAndItsOpAreReplaced) {
  EXPECT_EQ(Of("failed to legalize operation 'stablehlo.sine'"), "failed to legalize operation '{op}'");
  EXPECT_EQ(Of("sine_2x3_f32_1a2b.mlir: no"), "{case}.mlir: no");
  EXPECT_EQ(Of("stablehlo.sine_of_a_sum"), "stablehlo.sine_of_a_sum") << "another name that begins so";
}

TEST(FingerprintTest, ValuesAreReplaced) { EXPECT_EQ(Of("operand %arg0 of %12 at 50 %"), "operand %# of %# at # %"); }

TEST(FingerprintTest, FoldersAreReplaced) {
  EXPECT_EQ(Of("no tile (UNREACHABLE executed at /home/ci/b/lib/Utils.h:301!)"),
            "no tile (UNREACHABLE executed at {path}/Utils.h:#!)");
  EXPECT_EQ(Of("4 / 2 and/or lib/a.cc"), "# / # and/or lib/a.cc");
}

TEST(FingerprintTest, WhatADeclarationExplainsIsOneCause) {
  const std::string hint = "right if intermediate results stay unrounded, which `excess_precision: true` of the file";
  EXPECT_EQ(Of("output 0: got 1, expected 2 (bit-exact), worst 3 x; " + hint), hint);
  EXPECT_EQ(Of("under edge: output 1[2]: got nan, expected 2 (ulp<=4), worst inf x; " + hint), hint);
}

TEST(FingerprintTest, OtherWordsDistinguishCauses) {
  EXPECT_NE(Of("element type f64 is not supported"), Of("element type bf16 is not supported"));
  EXPECT_NE(Of("element type f64 is not supported"), Of("element type f32 is not supported"));
  EXPECT_NE(Of("no run-time input"), Of("every output is zero"));
}

TEST(FingerprintTest, LongTextsAreCut) { EXPECT_LE(Of(std::string(100000, 'a')).size(), 300u); }

}  // namespace
}  // namespace opbyop::reports
