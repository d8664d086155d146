// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/canonical_hash.h"

#include <gmock/gmock.h>

#include "generator/program/parse_for_test.h"

namespace opbyop::generator {
namespace {

using testing::HasSubstr;

class CanonicalHashTest : public ParsingTest {
 protected:
  // The hash of the first "t.op" of a module.
  std::string Hash(std::string_view text) {
    auto module = Parse(text);
    if (!module) return "does not parse";
    CanonicalHasher hasher(*module);
    ConstantFolder folder(kDefaultFoldLimit);
    mlir::Operation* op = FindOp(*module, "t.op");
    Expected<Digest> digest = hasher.HashCase(op, FindInputs(op, folder));
    return digest ? digest->Hex() : digest.error().message;
  }
  // The hash of "t.op" as the only op of a function with two i32 arguments %x, %y.
  std::string HashOf(std::string_view body) {
    return Hash("func.func @main(%x: i32, %y: i32) {" + std::string(body) + " return }");
  }
};

TEST_F(CanonicalHashTest, IsTheSameInEveryRunAndOnEveryMachine) {
  EXPECT_EQ(HashOf(R"("t.op"(%x) {a = 1 : i32} : (i32) -> ())"), "f8ce198ada189cc8aba2def12cffc679");
}

TEST_F(CanonicalHashTest, NamesOfValuesAndLocationsDoNotMatter) {
  EXPECT_EQ(HashOf(R"("t.op"(%x) : (i32) -> ())"),
            HashOf(R"(%z = "t.other"(%y) : (i32) -> i32 "t.op"(%z) : (i32) -> () loc("elsewhere"))"));
}

TEST_F(CanonicalHashTest, NameAttributesAndTypesMatter) {
  std::string plain = HashOf(R"("t.op"(%x) : (i32) -> ())");
  EXPECT_NE(plain, HashOf(R"("t.op"(%x) {a} : (i32) -> ())"));
  EXPECT_NE(plain, HashOf(R"(%r = "t.op"(%x) : (i32) -> i32)"));
  EXPECT_NE(HashOf(R"("t.op"(%x) {a = 1 : i32} : (i32) -> ())"), HashOf(R"("t.op"(%x) {a = 1 : i64} : (i32) -> ())"));
  EXPECT_NE(HashOf(R"("t.op"(%x) {a = [1, [2]]} : (i32) -> ())"), HashOf(R"("t.op"(%x) {a = [[1], 2]} : (i32) -> ())"));
}

TEST_F(CanonicalHashTest, UsingOneValueTwiceDiffersFromTwoValues) {
  EXPECT_NE(HashOf(R"("t.op"(%x, %x) : (i32, i32) -> ())"), HashOf(R"("t.op"(%x, %y) : (i32, i32) -> ())"));
  EXPECT_EQ(HashOf(R"("t.op"(%x, %y) : (i32, i32) -> ())"), HashOf(R"("t.op"(%y, %x) : (i32, i32) -> ())"));
}

TEST_F(CanonicalHashTest, NotesOfFrontendsDoNotMatter) {
  EXPECT_EQ(
      HashOf(R"("t.op"(%x) {a = 1} : (i32) -> ())"),
      HashOf(
          R"("t.op"(%x) {a = 1, mhlo.sharding = "{replicated}", mhlo.frontend_attributes = {b = "c"}} : (i32) -> ())"));
  EXPECT_NE(HashOf(R"("t.op"(%x) : (i32) -> ())"),
            HashOf(R"("t.op"(%x) {mhlo.attributes = {largest = true}} : (i32) -> ())"));
}

TEST_F(CanonicalHashTest, FoldedConstantsMatterByContent) {
  auto with = [&](std::string_view value) {
    return HashOf(std::string(R"(%c = "stablehlo.constant"() {value = )") + std::string(value) +
                  R"(} : () -> tensor<2xi32> "t.op"(%x, %c) : (i32, tensor<2xi32>) -> ())");
  };
  EXPECT_EQ(with("dense<[1, 2]> : tensor<2xi32>"), with("dense<[1, 2]> : tensor<2xi32>"));
  EXPECT_NE(with("dense<[1, 2]> : tensor<2xi32>"), with("dense<[1, 3]> : tensor<2xi32>"));
  EXPECT_NE(with("dense<1> : tensor<2xi32>"), with("dense<2> : tensor<2xi32>"));
}

TEST_F(CanonicalHashTest, ChainsOfConstantsMatterByTheirOps) {
  auto with = [&](std::string_view op) {
    return HashOf(R"(%c = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
                     %b = )" +
                  std::string(op) + R"( : (tensor<i32>) -> tensor<4xi32>
                     "t.op"(%x, %b) : (i32, tensor<4xi32>) -> ())");
  };
  EXPECT_NE(with(R"("stablehlo.broadcast_in_dim"(%c))"), with(R"("stablehlo.reshape"(%c))"));
}

TEST_F(CanonicalHashTest, RegionsMatterByStructure) {
  auto with = [&](std::string_view body) {
    return HashOf(R"("t.op"(%x) ({^bb0(%a: i32, %b: i32): )" + std::string(body) +
                  R"( : (i32, i32) -> ()}) : (i32) -> ())");
  };
  EXPECT_EQ(with(R"("t.use"(%a, %b))"), with(R"("t.use"(%a, %b))"));
  EXPECT_NE(with(R"("t.use"(%a, %b))"), with(R"("t.use"(%b, %a))"));
  EXPECT_NE(with(R"("t.use"(%a, %b))"), with(R"("t.use"(%a, %x))"));
  EXPECT_NE(with(R"("t.use"(%a, %x))"), with(R"("t.use"(%a, %y))"));
}

TEST_F(CanonicalHashTest, SymbolsMatterByBodyAndNotByName) {
  auto with = [&](std::string_view name, std::string_view op) {
    std::string n(name);
    return Hash("func.func @main() { \"t.op\"() {decomposition = @" + n + ", opaque = #t.a<x>} : () -> () return }\n" +
                "func.func private @" + n + "() { \"" + std::string(op) + "\"() : () -> () return }");
  };
  EXPECT_EQ(with("layer_norm.impl_7", "t.inner"), with("layer_norm.impl_8", "t.inner"));
  EXPECT_NE(with("impl", "t.inner"), with("impl", "t.other"));
}

TEST_F(CanonicalHashTest, SymbolsOfSymbolsMatter) {
  auto with = [&](std::string_view name, std::string_view op) {
    std::string n(name);
    return Hash(
        "func.func @main() { \"t.op\"() ({ \"t.call\"() {callee = @mid} : () -> () }) : () -> () return }\n"
        "func.func private @mid() { call @" +
        n + "() : () -> () return }\n" + "func.func private @" + n + "() { \"" + std::string(op) +
        "\"() : () -> () return }");
  };
  EXPECT_EQ(with("a", "t.inner"), with("b", "t.inner"));
  EXPECT_NE(with("a", "t.inner"), with("a", "t.other"));
}

TEST_F(CanonicalHashTest, ARecursiveBodyIsAnError) {
  EXPECT_THAT(Hash(R"(func.func @main() { "t.op"() {decomposition = @f} : () -> () return }
                      func.func private @f() { "t.op"() {decomposition = @f} : () -> () return })"),
              HasSubstr("@f needs itself"));
}

TEST_F(CanonicalHashTest, BoolsMatterByValueHoweverTheyAreStored) {
  auto with = [&](std::string_view value) {
    return HashOf(R"("t.op"(%x) {v = dense<)" + std::string(value) + R"(> : tensor<3xi1>} : (i32) -> ())");
  };
  EXPECT_EQ(with("[true, true, true]"), with("true"));
  EXPECT_NE(with("[true, false, true]"), with("[true, true, false]"));
}

}  // namespace
}  // namespace opbyop::generator
