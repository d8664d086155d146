// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/cut_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ir/read_module.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/MLIRContext.h"

namespace opbyop {
namespace {

using testing::HasSubstr;
using testing::Not;

// A loop of eight trips that adds up the rows of %s, with `body` before its counter counts. The row of a trip is at
// `index`.
std::string Loop(const std::string& body, const std::string& index, const std::string& functions = "") {
  return R"(func.func @main(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %eight = stablehlo.constant dense<8> : tensor<i32>
    %x = stablehlo.constant dense<0.0> : tensor<4xf32>
    %r:3 = stablehlo.while(%i = %zero, %s = %a, %c = %x) : tensor<i32>, tensor<8x4xf32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %eight : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      )" +
         body + R"(
      %row = stablehlo.dynamic_slice %s, )" +
         index + R"(, %zero, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %flat = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
      %sum = stablehlo.add %c, %flat : tensor<4xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %s, %sum : tensor<i32>, tensor<8x4xf32>, tensor<4xf32>
    }
    return %r#1, %r#2 : tensor<8x4xf32>, tensor<4xf32>
  })" + functions;
}

class CutLoopTest : public testing::Test {
 protected:
  // Returns the text of the program with three trips, or why there is none.
  std::string Cut(const std::string& text) {
    auto module = ReadModuleFromBytes(text, "test.mlir", context_);
    EXPECT_TRUE(module) << (module ? "" : module.error().message);
    if (!module) return "";
    const Expected<CutLoop> cut = CutLoopTo(module->get(), 3);
    if (!cut) return cut.error().message;
    was_ = cut->was;
    cut_ = cut->cut;
    std::string printed;
    llvm::raw_string_ostream out(printed);
    mlir::ModuleOp made = cut->module.get();
    made.print(out);
    return printed;
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  int64_t was_ = 0, cut_ = 0;
};

TEST_F(CutLoopTest, WhatTheCounterIndexesIsCutWithTheTrips) {
  const std::string text = Cut(Loop("", "%i"));
  EXPECT_EQ(was_, 8);
  EXPECT_EQ(cut_, 1);
  EXPECT_THAT(text, HasSubstr("(%arg0: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>)"));
  EXPECT_THAT(text, HasSubstr("dense<3> : tensor<i32>"));
  EXPECT_THAT(text, Not(HasSubstr("8x4")));
}

TEST_F(CutLoopTest, ALoopFromTheEndReadsTheLastRowFirst) {
  const std::string text = Cut(Loop(R"(%left = stablehlo.subtract %eight, %i : tensor<i32>
      %j = stablehlo.subtract %left, %one : tensor<i32>)",
                                    "%j"));
  EXPECT_THAT(text, HasSubstr("tensor<3x4xf32>"));
  EXPECT_THAT(text, HasSubstr("dense<5> : tensor<i32>")) << "8 - 3 rows are gone below it";
}

TEST_F(CutLoopTest, ANegativeIndexThatIsWrappedIsFollowed) {
  EXPECT_THAT(Cut(Loop(R"(%negative = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %wrapped = stablehlo.add %i, %eight : tensor<i32>
      %j = stablehlo.select %negative, %wrapped, %i : tensor<i1>, tensor<i32>)",
                       "%j")),
              HasSubstr("tensor<3x4xf32>"));
}

TEST_F(CutLoopTest, ATensorThatATripReadsInAnotherWayStaysAsItIs) {
  for (const auto& [body, index] :
       {std::pair<std::string, std::string>{"", "%one"},
        {"%j = stablehlo.add %i, %one : tensor<i32>", "%j"},
        {"%j = stablehlo.multiply %i, %one : tensor<i32>", "%j"},
        {"%all = stablehlo.negate %s : tensor<8x4xf32>", "%i"},
        {"%rows = stablehlo.dynamic_slice %s, %i, %zero, sizes = [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) "
         "-> tensor<2x4xf32>",
         "%i"}}) {
    const std::string text = Cut(Loop(body, index));
    EXPECT_EQ(cut_, 0) << body;
    EXPECT_THAT(text, HasSubstr("(%arg0: tensor<8x4xf32>)")) << body;
    EXPECT_THAT(text, HasSubstr("dense<3> : tensor<i32>")) << "the trips are cut all the same";
  }
}

// Rows are read and written by functions, and the written tensor begins as a constant.
TEST_F(CutLoopTest, FunctionsAndUpdatesAreFollowed) {
  const std::string text = Cut(R"(func.func @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %eight = stablehlo.constant dense<8> : tensor<i32>
    %x = stablehlo.constant dense<0.0> : tensor<8x4xf32>
    %r:4 = stablehlo.while(%i = %zero, %s = %a, %t = %b, %o = %x) : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %eight : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %u = func.call @read(%s, %i) : (tensor<8x4xf32>, tensor<i32>) -> tensor<1x4xf32>
      %v = func.call @read(%t, %i) : (tensor<8x4xf32>, tensor<i32>) -> tensor<1x4xf32>
      %sum = stablehlo.add %u, %v : tensor<1x4xf32>
      %w = func.call @write(%o, %sum, %i) : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>) -> tensor<8x4xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %s, %t, %w : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    return %r#3 : tensor<8x4xf32>
  }
  func.func private @read(%s: tensor<8x4xf32>, %i: tensor<i32>) -> tensor<1x4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %row = stablehlo.dynamic_slice %s, %i, %zero, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    return %row : tensor<1x4xf32>
  }
  func.func private @write(%o: tensor<8x4xf32>, %row: tensor<1x4xf32>, %i: tensor<i32>) -> tensor<8x4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %w = stablehlo.dynamic_update_slice %o, %row, %i, %zero : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
    return %w : tensor<8x4xf32>
  })");
  EXPECT_EQ(cut_, 3);
  EXPECT_THAT(text, Not(HasSubstr("8x4")));
  EXPECT_THAT(text, HasSubstr("@write(%arg0: tensor<3x4xf32>"));
}

TEST_F(CutLoopTest, WhereAFunctionAlsoReadsTheWholeOfAnotherTensorNeitherIsCut) {
  Cut(R"(func.func @main(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<1x4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %eight = stablehlo.constant dense<8> : tensor<i32>
    %x = stablehlo.constant dense<0.0> : tensor<1x4xf32>
    %r:3 = stablehlo.while(%i = %zero, %s = %a, %c = %x) : tensor<i32>, tensor<8x4xf32>, tensor<1x4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %eight : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %u = func.call @read(%s, %i) : (tensor<8x4xf32>, tensor<i32>) -> tensor<1x4xf32>
      %all = stablehlo.negate %b : tensor<8x4xf32>
      %v = func.call @read(%all, %i) : (tensor<8x4xf32>, tensor<i32>) -> tensor<1x4xf32>
      %sum = stablehlo.add %u, %v : tensor<1x4xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %s, %sum : tensor<i32>, tensor<8x4xf32>, tensor<1x4xf32>
    }
    return %r#2 : tensor<1x4xf32>
  }
  func.func private @read(%s: tensor<8x4xf32>, %i: tensor<i32>) -> tensor<1x4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %row = stablehlo.dynamic_slice %s, %i, %zero, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    return %row : tensor<1x4xf32>
  })");
  EXPECT_EQ(cut_, 0);
}

TEST_F(CutLoopTest, AProgramWithoutSuchALoopSaysWhy) {
  EXPECT_EQ(Cut("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n"),
            "the program is no loop");
  const auto counted = [&](const std::string& limit, const std::string& step) {
    return Cut(R"(func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %limit = stablehlo.constant dense<)" +
               limit + R"(> : tensor<i32>
      %step = stablehlo.constant dense<)" +
               step + R"(> : tensor<i32>
      %r = stablehlo.while(%i = %zero) : tensor<i32>
      cond {
        %p = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %next = stablehlo.add %i, %step : tensor<i32>
        stablehlo.return %next : tensor<i32>
      }
      return %r : tensor<i32>
    })");
  };
  EXPECT_EQ(counted("8", "2"), "the loop does not count up by one");
  EXPECT_EQ(counted("3", "1"), "the loop runs 3 times only");
  EXPECT_EQ(counted("8", "-1"), "how often the loop runs is not known before it runs");
}

}  // namespace
}  // namespace opbyop
