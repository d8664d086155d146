// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/group/shared_ops.h"

#include <gmock/gmock.h>

#include <string>

#include "generator/program/parse_for_test.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SharedOpsTest : public ParsingTest {
 protected:
  static std::vector<std::string> NamesOfShared(llvm::ArrayRef<mlir::Operation*> ops, size_t span,
                                                const llvm::DenseSet<mlir::Operation*>& never = {}) {
    const std::vector<bool> is_shared = SharedOps(ops, span, never);
    std::vector<std::string> names;
    for (size_t i = 0; i < ops.size(); ++i) {
      if (is_shared[i]) names.push_back(ops[i]->getName().getStringRef().str());
    }
    return names;
  }
};

// The mask is used by the ops at 3 and 5, what it is made of by the mask alone.
constexpr std::string_view kMask = R"(
  func.func @main(%x: i32) -> i32 {
    %0 = "t.a"(%x) : (i32) -> i32
    %1 = "t.angle"(%x) : (i32) -> i32
    %2 = "t.mask"(%1) : (i32) -> i32
    %3 = "t.b"(%0, %2) : (i32, i32) -> i32
    %4 = "t.c"(%3, %0) : (i32, i32) -> i32
    %5 = "t.d"(%4, %2) : (i32, i32) -> i32
    return %5 : i32
  })";

TEST_F(SharedOpsTest, SpansAreListedFromTheLongestOn) {
  const auto ops = OpsOf(kMask);
  EXPECT_THAT(LongestSpans(ops, 16), ElementsAre(2, 1));
  EXPECT_THAT(LongestSpans(ops, 1), ElementsAre(2));
}

TEST_F(SharedOpsTest, AnOpThatServesOnlySharedOpsIsShared) {
  const auto ops = OpsOf(kMask);
  EXPECT_THAT(NamesOfShared(ops, 2), ElementsAre("t.angle", "t.mask"));
  EXPECT_THAT(NamesOfShared(ops, 3), IsEmpty());
}

TEST_F(SharedOpsTest, AnOpThatIsKeptEndsAChain) {
  const auto ops = OpsOf(kMask);
  EXPECT_THAT(NamesOfShared(ops, 2, {ops[1]}), ElementsAre("t.mask"));
  EXPECT_THAT(NamesOfShared(ops, 2, {ops[2]}), IsEmpty());
}

TEST_F(SharedOpsTest, WhatTheProgramReturnsIsNotSharedForThat) {
  const auto ops = OpsOf(R"(
    func.func @main(%x: i32) -> (i32, i32) {
      %0 = "t.key"(%x) : (i32) -> i32
      %1 = "t.a"(%0) : (i32) -> i32
      %2 = "t.b"(%1) : (i32) -> i32
      return %0, %2 : i32, i32
    })");
  EXPECT_THAT(LongestSpans(ops, 16), IsEmpty());
  EXPECT_THAT(NamesOfShared(ops, 1), IsEmpty());
}

TEST_F(SharedOpsTest, AUseInARegionIsOneByTheOpAround) {
  const auto ops = OpsOf(R"(
    func.func @main(%x: i32) {
      %0 = "t.mask"(%x) : (i32) -> i32
      "t.a"(%0) : (i32) -> ()
      "t.b"(%x) : (i32) -> ()
      "t.loop"() ({
        "t.inner"(%0) : (i32) -> ()
      }) : () -> ()
      return
    })");
  EXPECT_THAT(NamesOfShared(ops, 2), ElementsAre("t.mask"));
}

}  // namespace
}  // namespace opbyop::generator
