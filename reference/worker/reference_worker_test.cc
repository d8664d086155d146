// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/reference_worker.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <tuple>

#include "manifests/results/result.h"
#include "reference/inputs/captured.h"
#include "reference/tensor/tensor.h"
#include "reference/worker/reference_worker_fixture.h"
#include "support/files/file.h"
#include "support/files/npy.h"

namespace opbyop::reference {
namespace {

using protocol::Reply;
using protocol::Request;
using protocol::StageEvents;

namespace fs = std::filesystem;

const char* kAdd = R"(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %b : tensor<3xf32>
  return %0 : tensor<3xf32>
})";

TEST_F(ReferenceWorkerTest, MakesInputsAndAcceptsTheRightAnswer) {
  Program(kAdd);
  ReferenceWorker worker;
  ASSERT_EQ(Ask(worker, "inputs").status, Status::kPass);
  const Tensor a = Read("input_0.npy", ElementType::kF32);
  const Tensor b = Read("input_1.npy", ElementType::kF32);
  Tensor sum = Tensor::Make(ElementType::kF32, {3});
  for (size_t i = 0; i < 3; ++i) {
    sum.Mutable<double>()[i] = static_cast<float>(a.data<double>()[i]) + static_cast<float>(b.data<double>()[i]);
  }
  Write("output_0.npy", sum);
  const Reply reply = Ask(worker, "compare");
  EXPECT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  EXPECT_TRUE(reply.payload["comparisons"][0]["accepted"].get<bool>());
  EXPECT_TRUE(fs::exists(dir_ / "expected_0.npy"));
  EXPECT_TRUE(fs::exists(dir_ / "bound_0.npy"));
}

// A right output is judged block by block, a wrong one as a whole: the replies are the same as without blocks.
TEST_F(ReferenceWorkerTest, JudgesALargeElementwiseOpAsASmallOne) {
  constexpr size_t kElements = 100'000;
  Program(R"(func.func @main(%a: tensor<100000xf32>) -> tensor<100000xf32> {
  %0 = stablehlo.exponential %a : tensor<100000xf32>
  return %0 : tensor<100000xf32>
})");
  ReferenceWorker worker;
  const Reply inputs = Ask(worker, "inputs");
  ASSERT_EQ(inputs.status, Status::kPass) << inputs.diagnostic;
  Tensor output = Read("input_0.npy", ElementType::kF32);
  for (double& v : output.Mutable<double>()) v = std::exp(static_cast<float>(v));
  const auto ask = [&](bool as_a_whole) {
    save_intermediates_ = as_a_whole;
    ReferenceWorker fresh;
    return Ask(fresh, "compare", "domain", inputs.payload["input_digests"]);
  };
  for (const double factor : {1.0, 1.5}) {
    output.Mutable<double>()[kElements - 2] *= factor;
    Write("output_0.npy", output);
    const Reply whole = ask(true);
    const Reply blocks = ask(false);
    EXPECT_EQ(blocks.status, factor == 1 ? Status::kPass : Status::kFail);
    EXPECT_EQ(blocks.status, whole.status);
    EXPECT_EQ(blocks.diagnostic, whole.diagnostic);
    EXPECT_EQ(blocks.payload.dump(), whole.payload.dump());
  }
  // The first run was right and the last is not.
  output.Mutable<double>()[kElements - 2] /= 1.5;
  Write("output_0.npy", output);
  output.Mutable<double>()[kElements - 2] *= 1.5;
  Write("last_output_0.npy", output);
  EXPECT_EQ(ask(false).status, Status::kFail);
  fs::remove(dir_ / "last_output_0.npy");
  // Inputs that the target has changed.
  Write("input_0.npy", output);
  EXPECT_THAT(ask(false).diagnostic, testing::HasSubstr("its file was changed"));
}

const char* kSumOfTwo = R"(func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
})";

// Four devices have a part of each sum.
TEST_F(ReferenceWorkerTest, ASumThatTheShardingDividesMayHaveRoundedParts) {
  ReferenceWorker worker;
  Program(R"(func.func @main(%a: tensor<1x4xbf16>, %b: tensor<4x1xbf16>) -> tensor<1x1xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x4xbf16>, tensor<4x1xbf16>) -> tensor<1x1xbf16>
  return %0 : tensor<1x1xbf16>
})");
  Tensor row = Tensor::Make(ElementType::kBf16, {1, 4}), column = Tensor::Make(ElementType::kBf16, {4, 1});
  std::ranges::copy(std::vector<double>{1.0, 1 + 3 * 0x1p-7, -1.0, -1.0}, row.Mutable<double>().begin());
  std::ranges::copy(std::vector<double>{1.0, 1 + 3 * 0x1p-7, 1.0, 1.0}, column.Mutable<double>().begin());
  Write("input_0.npy", row);
  Write("input_1.npy", column);
  Tensor sum = Tensor::Zeros(ElementType::kBf16, {1, 1});
  sum.Mutable<double>()[0] = 6 * 0x1p-7;  // 9 * 2^-14 more, two units, without the rounding of the second product
  Write("output_0.npy", sum);
  EXPECT_EQ(Ask(worker, "compare").status, Status::kFail);
  grid_ = {.partitions = 4};
  shardings_ = {{"{devices=[1,4]<=[4]}", "{devices=[4,1]<=[4]}"}, {"{replicated}"}};
  const Reply reply = Ask(worker, "compare");
  EXPECT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  ASSERT_EQ(reply.payload["comparisons"].size(), 1U);
  EXPECT_THAT(std::string(reply.payload["comparisons"][0]["rule"]), testing::HasSubstr("4 parts rounded"));
}

class ReferenceGridTest : public ReferenceWorkerTest {
 protected:
  void SetUp() override {
    ReferenceWorkerTest::SetUp();
    grid_ = {.replicas = 4};
    Program(kSumOfTwo);
    ASSERT_EQ(Ask(worker_, "inputs").status, Status::kPass);
  }

  Tensor Input(int process) { return Read("input_" + std::to_string(process) + ".npy", ElementType::kF32); }

  // Writes for each process the sum of the processes that `terms` lists for it.
  void WriteSums(const std::vector<std::vector<int>>& terms) {
    for (size_t process = 0; process < terms.size(); ++process) {
      Tensor sum = Tensor::Zeros(ElementType::kF32, {3});
      for (const int term : terms[process]) {
        const Tensor input = Input(term);
        for (size_t i = 0; i < 3; ++i) sum.Mutable<double>()[i] += input.data<double>()[i];
      }
      RoundTo(process, sum);
    }
  }
  void RoundTo(size_t process, Tensor& sum) {
    for (double& value : sum.Mutable<double>()) value = static_cast<float>(value);
    Write("output_" + std::to_string(process) + ".npy", sum);
  }

  ReferenceWorker worker_;
};

TEST_F(ReferenceGridTest, EveryProcessHasInputsOfItsOwnAndIsCompared) {
  EXPECT_NE(TensorToBytes(Input(0)), TensorToBytes(Input(1)));
  WriteSums({{0, 1}, {0, 1}, {2, 3}, {2, 3}});
  const Reply reply = Ask(worker_, "compare");
  EXPECT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  ASSERT_EQ(reply.payload["comparisons"].size(), 4U);
  EXPECT_EQ(reply.payload["comparisons"][3]["process"], 3);
  EXPECT_EQ(reply.payload["comparisons"][3]["output"], 0);
}

TEST_F(ReferenceGridTest, TheFirstProcessHasTheInputsOfASingleOne) {
  const auto of_grid = TensorToBytes(Input(0));
  grid_ = {};
  Program(
      "func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {\n%0 = stablehlo.abs %a : tensor<3xf32>\nreturn %0 : "
      "tensor<3xf32>\n}");
  ASSERT_EQ(Ask(worker_, "inputs").status, Status::kPass);
  EXPECT_EQ(TensorToBytes(Input(0)), of_grid);
}

TEST_F(ReferenceGridTest, ASumThatLeavesAProcessOutIsRefusedWithItsProcess) {
  WriteSums({{0, 1}, {0, 1}, {2, 3}, {2}});
  const Reply reply = Ask(worker_, "compare");
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_THAT(reply.diagnostic, testing::StartsWith("process 3, output 0["));
}

TEST_F(ReferenceGridTest, ASumThatHasAProcessTwiceIsRefused) {
  WriteSums({{0, 1}, {0, 1, 1}, {2, 3}, {2, 3}});
  const Reply reply = Ask(worker_, "compare");
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_THAT(reply.diagnostic, testing::StartsWith("process 1, output 0["));
}

TEST_F(ReferenceGridTest, SumsOfOtherGroupsAreRefused) {
  WriteSums({{0, 2}, {1, 3}, {0, 2}, {1, 3}});
  EXPECT_EQ(Ask(worker_, "compare").status, Status::kFail);
}

TEST_F(ReferenceGridTest, SumsOfOneGroupThatDifferInOneBitAreImpreciseUnlessDeclared) {
  WriteSums({{0, 1}, {0, 1}, {2, 3}, {2, 3}});
  Tensor sum = Read("output_1.npy", ElementType::kF32);
  double& element = sum.Mutable<double>()[2];
  element = std::nextafter(static_cast<float>(element), 0.0F);
  Write("output_1.npy", sum);
  const Reply reply = Ask(worker_, "compare");
  EXPECT_EQ(reply.status, Status::kImprecise);
  EXPECT_THAT(reply.diagnostic, testing::StartsWith("process 1, output 0[2]: got "));
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr(", process 0 got "));
  arithmetic_.replicas_may_differ = true;
  EXPECT_EQ(Ask(worker_, "compare").status, Status::kPass);
}

TEST_F(ReferenceGridTest, SumsThatDifferOnlyInTheLastRunAreFound) {
  WriteSums({{0, 1}, {0, 1}, {2, 3}, {2, 3}});
  Tensor sum = Read("output_0.npy", ElementType::kF32);
  double& element = sum.Mutable<double>()[2];
  element = std::nextafter(static_cast<float>(element), 0.0F);
  Write("last_output_0.npy", sum);
  EXPECT_EQ(Ask(worker_, "compare").status, Status::kImprecise);
}

TEST_F(ReferenceGridTest, InputsThatChangedOnAnyProcessAreRefused) {
  const std::vector<std::string> digests = Ask(worker_, "inputs").payload["input_digests"];
  ASSERT_EQ(digests.size(), 4U);
  WriteSums({{0, 1}, {0, 1}, {2, 3}, {2, 3}});
  EXPECT_EQ(Ask(worker_, "compare", "domain", digests).status, Status::kPass);
  Write("input_3.npy", Input(2));
  const Reply reply = Ask(worker_, "compare", "domain", digests);
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("input 3: its file was changed"));
}

// Arguments of so many elements are held as they are stored.
TEST_F(ReferenceWorkerTest, ALargeTableIsReadAsItIsStoredAndItsFileMayNotChange) {
  Program(R"(func.func @main(%t: tensor<2048x1024xbf16>, %i: tensor<3x1xi32>) -> tensor<3x1024xbf16> {
    %0 = "stablehlo.gather"(%t, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1024>, indices_are_sorted = false} : (tensor<2048x1024xbf16>, tensor<3x1xi32>) -> tensor<3x1024xbf16>
    return %0 : tensor<3x1024xbf16>
  })");
  ReferenceWorker worker;
  const Reply drawn = Ask(worker, "inputs");
  ASSERT_EQ(drawn.status, Status::kPass) << drawn.diagnostic;
  const std::vector<std::string> digests = drawn.payload["input_digests"];
  Tensor table = Read("input_0.npy", ElementType::kBf16);
  const Tensor rows = Read("input_1.npy", ElementType::kI32);
  Tensor out = Tensor::Make(ElementType::kBf16, {3, 1024});
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t row = std::clamp<int64_t>(rows.IntegerAt(i / 1024), 0, 2047);
    out.Mutable<double>()[static_cast<size_t>(i)] = table.data<double>()[static_cast<size_t>(row * 1024 + i % 1024)];
  }
  Write("output_0.npy", out);
  const Reply right = Ask(worker, "compare", "domain", digests);
  EXPECT_EQ(right.status, Status::kPass) << right.diagnostic;
  out.Mutable<double>()[2000] += 1;
  Write("output_0.npy", out);
  EXPECT_EQ(Ask(worker, "compare", "domain", digests).status, Status::kFail);
  table.Mutable<double>()[5] += 1;
  Write("input_0.npy", table);
  EXPECT_THAT(Ask(worker, "compare", "domain", digests).diagnostic,
              testing::HasSubstr("input 0: its file was changed"));
}

TEST_F(ReferenceWorkerTest, APolicyWithTheInputsOfAnEarlierOneIsNotDrawn) {
  Program(kAdd);
  ReferenceWorker worker;
  earlier_ = {"edge", "domain", "nosuch"};
  const Reply sparse = Ask(worker, "inputs", "sparse");
  EXPECT_EQ(sparse.status, Status::kPass);
  EXPECT_EQ(sparse.payload["same_as"], "domain");
  EXPECT_FALSE(fs::exists(dir_ / "input_0.npy"));
  earlier_ = {"domain", "sparse"};
  const Reply edge = Ask(worker, "inputs", "edge");
  EXPECT_FALSE(edge.payload.contains("same_as"));
  EXPECT_EQ(edge.payload["input_digests"].size(), 2u);
  EXPECT_TRUE(fs::exists(dir_ / "input_0.npy"));
}

TEST_F(ReferenceWorkerTest, AWrongElementFailsWithIndexAndValues) {
  Program(kAdd);
  ReferenceWorker worker;
  ASSERT_EQ(Ask(worker, "inputs").status, Status::kPass);
  Write("output_0.npy", Tensor::Splat<double>(ElementType::kF32, {3}, 1e6));
  const Reply reply = Ask(worker, "compare");
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("got 1000000"));
  EXPECT_TRUE(reply.payload["comparisons"][0]["constant"].get<bool>());
}

// The worst-case bound of such a long sum is wider than the error of eleven bits.
TEST_F(ReferenceWorkerTest, AProductOfElevenBitsIsImpreciseUnlessTheTargetDeclaresIt) {
  Program(R"(func.func @main(%a: tensor<4x2048xf32>, %b: tensor<2048x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x2048xf32>, tensor<2048x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  })");
  ReferenceWorker worker;
  ASSERT_EQ(Ask(worker, "inputs").status, Status::kPass);
  const auto tf32 = [](double v) {
    return std::round(std::ldexp(v, 10 - std::ilogb(v))) * std::ldexp(1.0, std::ilogb(v) - 10);
  };
  const Tensor a = Read("input_0.npy", ElementType::kF32);
  const Tensor b = Read("input_1.npy", ElementType::kF32);
  Tensor product = Tensor::Zeros(ElementType::kF32, {4, 4});
  for (size_t i = 0; i < 16; ++i) {
    double sum = 0;
    for (size_t p = 0; p < 2048; ++p) {
      sum += tf32(a.data<double>()[i / 4 * 2048 + p]) * tf32(b.data<double>()[p * 4 + i % 4]);
    }
    product.Mutable<double>()[i] = static_cast<float>(sum);
  }
  Write("output_0.npy", product);
  const Reply imprecise = Ask(worker, "compare");
  EXPECT_EQ(imprecise.status, Status::kImprecise);
  EXPECT_TRUE(imprecise.payload["comparisons"][0]["accepted"].get<bool>());
  EXPECT_GT(imprecise.payload["comparisons"][0]["precision_ratio"].get<double>(), 1);
  EXPECT_THAT(imprecise.diagnostic, testing::HasSubstr("every element is within its bound"));
  arithmetic_.precision = {{"dot_general", "tf32"}};
  const Reply declared = Ask(worker, "compare");
  EXPECT_EQ(declared.status, Status::kPass) << declared.diagnostic;
}

TEST_F(ReferenceWorkerTest, TheHintNamesADeviceThatFlushesWhenItNegates) {
  Program(
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n%0 = stablehlo.negate %a : tensor<2xf32>\n"
      "return %0 : tensor<2xf32>\n}");
  ReferenceWorker worker;
  Write("input_0.npy", Tensor::Of<double>(ElementType::kF32, {2}, {0x1p-127, 1}));
  Write("output_0.npy", Tensor::Of<double>(ElementType::kF32, {2}, {-0.0, -1}));
  arithmetic_.flushes = {.operands = true, .results = true};
  EXPECT_THAT(Ask(worker, "compare", "edge").diagnostic,
              testing::HasSubstr("`flushes_subnormals: [operands, results, signs]`"));
  arithmetic_.flushes.signs = true;
  EXPECT_EQ(Ask(worker, "compare", "edge").status, Status::kPass);
}

TEST_F(ReferenceWorkerTest, ResultsMayBeTruncatedIfTheTargetDeclaresIt) {
  Program(R"(func.func @main(%a: tensor<2xbf16>, %b: tensor<2xbf16>) -> tensor<2xbf16> {
    %0 = stablehlo.add %a, %b : tensor<2xbf16>
    return %0 : tensor<2xbf16>
  })");
  ReferenceWorker worker;
  const auto write = [&](const std::string& name, const std::vector<double>& values) {
    Write(name, Tensor::Of<double>(ElementType::kBf16, {2}, values));
  };
  write("input_0.npy", {1, 3});
  write("input_1.npy", {0x1.8p-8, 4});
  write("output_0.npy", {1, 7});
  EXPECT_THAT(Ask(worker, "compare").diagnostic, testing::HasSubstr("which `stores: toward_zero` of the target's"));
  arithmetic_.stores_toward_zero = true;
  EXPECT_EQ(Ask(worker, "compare").status, Status::kPass);
  write("output_0.npy", {1, 6.96875});
  EXPECT_EQ(Ask(worker, "compare").status, Status::kFail) << "7 is a number of bf16: nothing is cut";
}

TEST_F(ReferenceWorkerTest, IntermediatesMayStayUnroundedIfTheTargetDeclaresIt) {
  Program(R"(func.func @main(%a: tensor<3xbf16>, %b: tensor<3xbf16>) -> tensor<3xbf16> {
    %0 = stablehlo.add %a, %b : tensor<3xbf16>
    %1 = stablehlo.subtract %0, %a : tensor<3xbf16>
    return %1 : tensor<3xbf16>
  })");
  ReferenceWorker worker;
  const auto write = [&](const std::string& name, const std::vector<double>& values) {
    Write(name, Tensor::Of<double>(ElementType::kBf16, {3}, values));
  };
  write("input_0.npy", {1, 1, 1});
  write("input_1.npy", {0x1p-9, 0x1p-7, 0x1.8p-8});
  write("output_0.npy", {0, 0x1p-7, 0x1p-7});
  EXPECT_EQ(Ask(worker, "compare").status, Status::kPass) << "every step is rounded";
  write("output_0.npy", {0x1p-9, 0x1p-7, 0x1.8p-8});
  const Reply undeclared = Ask(worker, "compare");
  EXPECT_EQ(undeclared.status, Status::kFail);
  EXPECT_THAT(undeclared.diagnostic, testing::EndsWith("; right if intermediate results stay unrounded, which "
                                                       "`excess_precision: true` of the target's file declares"));
  arithmetic_.excess_precision = true;
  const Reply declared = Ask(worker, "compare");
  EXPECT_EQ(declared.status, Status::kPass) << declared.diagnostic;
  EXPECT_THAT(declared.payload["comparisons"][0]["rule"].get<std::string>(),
              testing::HasSubstr("2 with intermediates unrounded"));
  write("output_0.npy", {0x1p-9, 0x1p-5, 0x1.8p-8});
  EXPECT_EQ(Ask(worker, "compare").status, Status::kFail) << "wrong by more than a rounding";
}

TEST_F(ReferenceWorkerTest, SubnormalsMayBeZeroIfTheTargetDeclaresIt) {
  Program(kAdd);
  ReferenceWorker worker;
  const double least = std::numeric_limits<float>::denorm_min();
  Write("input_0.npy", Tensor::Of<double>(ElementType::kF32, {3}, {least, 1, 0x1p-127}));
  Write("input_1.npy", Tensor::Of<double>(ElementType::kF32, {3}, {0, 2, 0x1p-127}));
  Write("output_0.npy", Tensor::Of<double>(ElementType::kF32, {3}, {0, 3, 0}));
  const Reply honest = Ask(worker, "compare");
  EXPECT_EQ(honest.status, Status::kFail);
  EXPECT_EQ(honest.payload["comparisons"][0]["mismatches"], 2);
  arithmetic_.flushes = {.operands = true, .results = true};
  const Reply declared = Ask(worker, "compare");
  EXPECT_EQ(declared.status, Status::kPass) << declared.diagnostic;
  EXPECT_THAT(declared.payload["comparisons"][0]["rule"].get<std::string>(),
              testing::HasSubstr("2 with subnormals taken for zero"));
  arithmetic_ = {};
  EXPECT_THAT(Ask(worker, "compare", "edge").diagnostic, testing::HasSubstr("`flushes_subnormals: true`"));
  // Other errors are not accepted.
  Write("output_0.npy", Tensor::Of<double>(ElementType::kF32, {3}, {0, 4, 0}));
  EXPECT_THAT(Ask(worker, "compare", "edge").diagnostic, testing::Not(testing::HasSubstr("flushes_subnormals")));
  arithmetic_.flushes = {.operands = true, .results = true};
  const Reply wrong = Ask(worker, "compare");
  EXPECT_EQ(wrong.status, Status::kFail);
  EXPECT_EQ(wrong.payload["comparisons"][0]["mismatches"], 1);
}

TEST_F(ReferenceWorkerTest, InputsThatWereChangedSinceTheyWereGeneratedFail) {
  Program(kAdd);
  ReferenceWorker worker;
  const Reply generated = Ask(worker, "inputs");
  ASSERT_EQ(generated.payload["input_digests"].size(), 2u);
  Write("input_1.npy", Tensor::Splat<double>(ElementType::kF32, {3}, 0));
  Write("output_0.npy", Read("input_0.npy", ElementType::kF32));
  EXPECT_EQ(Ask(worker, "compare").status, Status::kPass);  // a request without digests does not detect the change
  const Reply reply = Ask(worker, "compare", "domain", generated.payload["input_digests"]);
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_EQ(reply.diagnostic, "input 1: its file was changed after the reference generated it");
}

// A large input is read where its file is mapped.
TEST_F(ReferenceWorkerTest, ALargeInputThatWasChangedIsNoticed) {
  constexpr int64_t kElements = int64_t{16} << 20;
  Program(
      "func.func @main(%x: tensor<16777216xi8>) -> tensor<16777216xi8> {\n"
      "  %0 = stablehlo.not %x : tensor<16777216xi8>\n  return %0 : tensor<16777216xi8>\n}\n");
  ReferenceWorker worker;
  const nlohmann::json digests = Ask(worker, "inputs").payload["input_digests"];
  const TensorType type{{kElements}, "i8"};
  std::vector<std::byte> input, output;
  const auto write_output = [&] {
    output.resize(input.size());
    std::ranges::transform(input, output.begin(), [](std::byte b) { return ~b; });
    ASSERT_TRUE(WriteNpy(dir_ / "output_0.npy", type, output));
  };
  {
    const Expected<NpyFile> drawn = ReadNpy(dir_ / "input_0.npy");
    ASSERT_TRUE(drawn);
    input.assign(drawn->bytes().begin(), drawn->bytes().end());
  }
  write_output();
  EXPECT_EQ(Ask(worker, "compare", "domain", digests).status, Status::kPass);
  input.back() ^= std::byte{1};
  ASSERT_TRUE(WriteNpy(dir_ / "input_0.npy", type, input));
  write_output();
  const Reply reply = Ask(worker, "compare", "domain", digests);
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_EQ(reply.diagnostic, "input 0: its file was changed after the reference generated it");
}

TEST_F(ReferenceWorkerTest, ReusedResultsStillDetectErrorsInTheNextComparison) {
  Program(kAdd);
  ReferenceWorker worker;
  const nlohmann::json digests = Ask(worker, "inputs").payload["input_digests"];
  Tensor sum = Read("input_0.npy", ElementType::kF32);
  const Tensor b = Read("input_1.npy", ElementType::kF32);
  for (size_t i = 0; i < 3; ++i) sum.Mutable<double>()[i] += b.data<double>()[i];
  for (double& v : sum.Mutable<double>()) v = static_cast<float>(v);
  Write("output_0.npy", sum);
  EXPECT_EQ(Ask(worker, "compare", "domain", digests).status, Status::kPass);
  EXPECT_EQ(Ask(worker, "compare", "domain", digests).status, Status::kPass);
  Write("output_0.npy", b);
  EXPECT_EQ(Ask(worker, "compare", "domain", digests).status, Status::kFail);
  Write("output_0.npy", sum);
  Write("input_1.npy", sum);
  EXPECT_EQ(Ask(worker, "compare", "domain", digests).status, Status::kFail);
  const nlohmann::json edge = Ask(worker, "inputs", "edge").payload["input_digests"];
  EXPECT_EQ(Ask(worker, "compare", "edge", edge).status, Status::kFail);
}

TEST_F(ReferenceWorkerTest, DigestsThatDoNotMatchTheArgumentsAreInconclusive) {
  Program(kAdd);
  ReferenceWorker worker;
  const Reply generated = Ask(worker, "inputs");
  Write("output_0.npy", Read("input_0.npy", ElementType::kF32));
  const Reply reply = Ask(worker, "compare", "domain", {generated.payload["input_digests"][0].get<std::string>()});
  EXPECT_EQ(reply.status, Status::kInconclusive);
  EXPECT_EQ(reply.diagnostic, "1 digests of inputs for 2 arguments");
}

TEST_F(ReferenceWorkerTest, ALimitOfTheReferenceIsNotAFailureOfTheTarget) {
  Program(kAdd);
  ASSERT_EQ(Ask(*std::make_unique<ReferenceWorker>(), "inputs").status, Status::kPass);
  Write("output_0.npy", Read("input_0.npy", ElementType::kF32));
  Program("func.func @main( {");
  ReferenceWorker worker;
  EXPECT_EQ(Ask(worker, "compare").status, Status::kInconclusive);
  Program(R"(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %no = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.custom_call @shape_assertion(%no) {error_message = "never", has_side_effect = true} : (tensor<i1>) -> ()
    return %a : tensor<3xf32>
  })");
  const Reply reply = Ask(worker, "compare");
  EXPECT_EQ(reply.status, Status::kInconclusive);
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("the shape assertion fails"));
}

TEST_F(ReferenceWorkerTest, AWrongLastRunFailsAfterARightFirst) {
  Program(kAdd);
  ReferenceWorker worker;
  ASSERT_EQ(Ask(worker, "inputs").status, Status::kPass);
  Write("input_1.npy", Tensor::Splat<double>(ElementType::kF32, {3}, 0));
  Write("output_0.npy", Read("input_0.npy", ElementType::kF32));
  Write("last_output_0.npy", Read("input_0.npy", ElementType::kF32));
  EXPECT_EQ(Ask(worker, "compare").status, Status::kPass);
  Write("last_output_0.npy", Tensor::Splat<double>(ElementType::kF32, {3}, 1e6));
  const Reply reply = Ask(worker, "compare");
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("got 1000000"));
  EXPECT_THAT(reply.diagnostic, testing::EndsWith("in the last run; the first was right"));
  ASSERT_EQ(reply.payload["comparisons"].size(), 1u);
  EXPECT_FALSE(reply.payload["comparisons"][0]["accepted"].get<bool>());
}

class StoredInputsTest : public ReferenceWorkerTest {
 protected:
  // Stores 1, 2, 3 for both arguments of an addition. Returns the request for these inputs.
  Request ForStoredInputs() {
    fs::create_directories(dir_ / "cases");
    Program(kAdd);
    fs::rename(dir_ / "case.mlir", dir_ / "cases" / "case.mlir");
    CapturedIndex index = *CapturedIndex::Load(dir_);
    const Tensor t = Tensor::Of<double>(ElementType::kF32, {3}, {1, 2, 3});
    const std::string name = StoreCaptured(index.folder(), {t.type(), t.shape(), TensorToBytes(t)})->name;
    index.Set("case", {name, name});
    EXPECT_TRUE(index.Save().has_value());
    Request request;
    request.verb = protocol::InputsVerb{};
    request.case_id = "case";
    request.file = dir_ / "cases" / "case.mlir";
    request.dir = dir_;
    request.policy.name = "captured";
    return request;
  }
};

TEST_F(ReferenceWorkerTest, WithoutCapturedOperandsDomainIsDrawnAndTheReplySaysSo) {
  Program(kAdd);
  ReferenceWorker worker;
  const Reply reply = Ask(worker, "inputs", "captured");
  ASSERT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("nothing was captured"));
  EXPECT_TRUE(fs::exists(dir_ / "input_1.npy"));
}

TEST_F(StoredInputsTest, CapturedOperandsAreTheInputs) {
  ReferenceWorker worker;
  Request request = ForStoredInputs();
  StageEvents events(sink_, 1);
  const Reply reply = worker.Handle(request, events);
  ASSERT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  EXPECT_THAT(reply.diagnostic, testing::IsEmpty());
  EXPECT_EQ(Read("input_1.npy", ElementType::kF32).data<double>()[2], 3);
}

TEST_F(StoredInputsTest, AModelRunsOnItsStoredInputsToo) {
  ReferenceWorker worker;
  Request request = ForStoredInputs();
  request.op = "model";
  StageEvents events(sink_, 1);
  const Reply reply = worker.Handle(request, events);
  ASSERT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  EXPECT_EQ(Read("input_0.npy", ElementType::kF32).data<double>()[1], 2);
  request.case_id = "another";
  EXPECT_EQ(worker.Handle(request, events).status, Status::kUnsupported) << "nothing was stored for it";
}

TEST_F(ReferenceWorkerTest, AMissingOutputIsAFailureThatNamesTheFile) {
  Program(kAdd);
  ReferenceWorker worker;
  ASSERT_EQ(Ask(worker, "inputs").status, Status::kPass);
  const Reply reply = Ask(worker, "compare");
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("output_0.npy"));
}

TEST_F(ReferenceWorkerTest, ACaseThatIsTooLargeIsSkippedWithTheEstimate) {
  Program(R"(func.func @main(%a: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %0 = stablehlo.dot %a, %a : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    %1 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0]
      : (tensor<8192x8192xf32>, tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
    return %1 : tensor<8192x8192xf32>
  })");
  ReferenceWorker worker;
  const Reply reply = Ask(worker, "inputs");
  EXPECT_EQ(reply.status, Status::kSkipped);
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("reference too large"));
}

TEST_F(ReferenceWorkerTest, ALargeConvolutionOrProductOfIntegersIsJudgedByChecksumsInsteadOfSkipped) {
  for (const auto& [operand, result, judged] : {std::tuple{"bf16", "bf16", "sample and checksums of 16 rows"},
                                                {"i8", "i32", "sample and exact checksums of 160 columns"}}) {
    Program(fmt::format(
        R"(func.func @main(%a: tensor<1x12x12x8x{0}>, %b: tensor<3x3x8x160x{0}>) -> tensor<1x12x12x160x{1}> {{
      %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
        : (tensor<1x12x12x8x{0}>, tensor<3x3x8x160x{0}>) -> tensor<1x12x12x160x{1}>
      return %0 : tensor<1x12x12x160x{1}>
    }})",
        operand, result));
    ReferenceWorker all, limited({.operations = 1000});
    ASSERT_EQ(Ask(limited, "inputs").status, Status::kPass) << operand;
    Write("output_0.npy", Tensor::Zeros(*ParseElementType(result), {1, 12, 12, 160}));
    Ask(all, "compare");
    Tensor output = Read("expected_0.npy", *ParseElementType(result));
    Write("output_0.npy", output);
    const Reply right = Ask(limited, "compare");
    EXPECT_EQ(right.status, Status::kPass) << right.diagnostic;
    EXPECT_EQ(right.payload["comparisons"][0]["judged"], judged);
    WithStorage(output.kind(), [&]<typename T>() { output.Mutable<T>()[7777] += static_cast<T>(64); });
    Write("output_0.npy", output);
    EXPECT_EQ(Ask(limited, "compare").status, Status::kFail) << operand;
  }
}

// Transforms with quarters and sixths, such as Winograd's, are not exact on integers. A target that uses them relaxes
// its bounds.
TEST_F(ReferenceWorkerTest, ARelaxedSumOfSmallIntegersNeedNotBeExact) {
  Program(R"(func.func @main(%a: tensor<2x8xf32>, %b: tensor<8x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })");
  ASSERT_TRUE(WriteFile(dir_ / "relaxed.yaml",
                        "schema: opbyop-policy/1\nname: exact-int\ninputs: exact-int\nrelax:\n"
                        "  - {op: \"*dot_general\", factor: 4, reason: a bilinear algorithm}\n")
                  .has_value());
  ReferenceWorker worker;
  ASSERT_EQ(Ask(worker, "inputs", "exact-int").status, Status::kPass);
  Write("output_0.npy", Tensor::Zeros(ElementType::kF32, {2, 2}));
  Ask(worker, "compare", "exact-int");
  Tensor off = Read("expected_0.npy", ElementType::kF32);
  for (double& v : off.Mutable<double>()) v = std::nextafterf(static_cast<float>(v), 1e9F);
  Write("output_0.npy", off);
  EXPECT_EQ(Ask(worker, "compare", "exact-int").status, Status::kFail);
  Request request;
  request.verb = protocol::CompareVerb{};
  request.case_id = "case";
  request.file = dir_ / "case.mlir";
  request.dir = dir_;
  request.policy.file = dir_ / "relaxed.yaml";
  StageEvents events(sink_, 1);
  const Reply reply = worker.Handle(request, events);
  EXPECT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  EXPECT_EQ(reply.payload["comparisons"][0]["relaxed"], "a bilinear algorithm");
  request.op = kWindow;
  StageEvents others(sink_, 1);
  EXPECT_EQ(worker.Handle(request, others).status, Status::kFail) << "it is not relaxed as a part of several ops";
}

// A device would hang in this loop.
TEST_F(ReferenceWorkerTest, TheSearchForInputsOfAnEndlessLoopEndsAtItsLimit) {
  Program(R"(func.func @main(%n: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.while(%i = %n) : tensor<i32>
    cond {
      %1 = stablehlo.compare EQ, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      stablehlo.return %i : tensor<i32>
    }
    return %0 : tensor<i32>
  })");
  ReferenceWorker worker({.seconds = 0.2});
  const Reply reply = Ask(worker, "inputs");
  EXPECT_EQ(reply.status, Status::kTimeout);
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("the loop around it has not ended after 0.1 s"));
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("the limit of the search is 0.2 s"));
}

TEST_F(ReferenceWorkerTest, UnknownOpsPoliciesAndVerbsAreNamed) {
  Program(R"(func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @vendor(%a) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })");
  ReferenceWorker worker;
  ASSERT_EQ(Ask(worker, "inputs").status, Status::kPass);
  const Reply reply = Ask(worker, "compare");
  EXPECT_EQ(reply.status, Status::kUnsupported);
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("custom_call @vendor"));
  EXPECT_NE(Ask(worker, "inputs", "no-such-policy").status, Status::kPass);
  EXPECT_EQ(Ask(worker, "dance").status, Status::kUnsupported);
}

// A factorization of one row and column: L = sqrt(A).
const char* kCholesky = R"(func.func @main(%a: tensor<3x1x1xf32>) -> (tensor<3x1x1xf32>, tensor<3xi32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}}
      : (tensor<3x1x1xf32>) -> (tensor<3x1x1xf32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3x1x1xf32>, tensor<3xi32>
})";

class PropertyTest : public ReferenceWorkerTest {
 protected:
  // Writes the right results for the inputs that were generated, except for one that is off by `error`.
  void WriteRoots(double error, const std::string& name = "output_0.npy") {
    Tensor root = Read("input_0.npy", ElementType::kF32);
    for (double& x : root.Mutable<double>()) x = static_cast<float>(std::sqrt(x));
    root.Mutable<double>()[1] += error;
    Write(name, root);
    Write("output_1.npy", Tensor::Zeros(ElementType::kI32, {3}));
  }
};

TEST_F(PropertyTest, InputsAreThoseOfWhichThereIsAFactorization) {
  Program(kCholesky);
  ReferenceWorker worker;
  const Reply reply = Ask(worker, "inputs", "edge");
  ASSERT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  const Tensor a = Read("input_0.npy", ElementType::kF32);
  for (const double x : a.data<double>()) EXPECT_GE(x, 1);
  earlier_ = {"domain"};
  EXPECT_EQ(Ask(worker, "inputs", "edge").payload["same_as"], "domain");
}

TEST_F(PropertyTest, EachOutputIsJudgedAndTheRuleSaysByWhom) {
  Program(kCholesky);
  ReferenceWorker worker;
  Ask(worker, "inputs");
  WriteRoots(0);
  const Reply right = Ask(worker, "compare");
  EXPECT_EQ(right.status, Status::kPass) << right.diagnostic;
  ASSERT_EQ(right.payload["comparisons"].size(), 2u);
  EXPECT_THAT(right.payload["comparisons"][0]["rule"].get<std::string>(),
              testing::HasSubstr("lapack_spotrf_ffi as opbyop's factorizations.mlir defines it"));
  EXPECT_EQ(right.payload["comparisons"][0]["dtype"], "f32");
  EXPECT_EQ(right.payload["comparisons"][1]["dtype"], "i32");
  WriteRoots(1e-3);
  const Reply wrong = Ask(worker, "compare");
  EXPECT_EQ(wrong.status, Status::kFail);
  EXPECT_THAT(wrong.diagnostic, testing::HasSubstr("output 0[1,0,0]"));
}

TEST_F(PropertyTest, ADeclaredPrecisionWidensTheLimits) {
  Program(kCholesky);
  ReferenceWorker worker;
  Ask(worker, "inputs");
  WriteRoots(1e-4);
  EXPECT_EQ(Ask(worker, "compare").status, Status::kFail);
  arithmetic_.precision["dot_general"] = "bf16";
  EXPECT_EQ(Ask(worker, "compare").status, Status::kPass);
  WriteRoots(0.5);
  EXPECT_EQ(Ask(worker, "compare").status, Status::kFail);
}

TEST_F(PropertyTest, TheLastRunIsJudgedToo) {
  Program(kCholesky);
  ReferenceWorker worker;
  Ask(worker, "inputs");
  WriteRoots(1e-3, "last_output_0.npy");
  WriteRoots(0);
  const Reply reply = Ask(worker, "compare");
  EXPECT_EQ(reply.status, Status::kFail);
  EXPECT_THAT(reply.diagnostic, testing::HasSubstr("in the last run; the first was right"));
}

TEST_F(PropertyTest, OutputsOfAnotherShapeFail) {
  Program(kCholesky);
  ReferenceWorker worker;
  Ask(worker, "inputs");
  WriteRoots(0);
  Write("output_1.npy", Tensor::Zeros(ElementType::kI32, {4}));
  const Reply reply = Ask(worker, "compare");
  EXPECT_NE(reply.status, Status::kPass);
  EXPECT_EQ(reply.diagnostic, "output 1: has shape [4], expected [3]");
}

TEST_F(PropertyTest, AMatrixThatIsTooLargeToJudgeIsSkipped) {
  Program(R"(func.func @main(%a: tensor<40000x40000xf32>) -> (tensor<40000x40000xf32>, tensor<40000xf32>) {
    %0:2 = stablehlo.custom_call @Qr(%a) : (tensor<40000x40000xf32>) -> (tensor<40000x40000xf32>, tensor<40000xf32>)
    return %0#0, %0#1 : tensor<40000x40000xf32>, tensor<40000xf32>
  })");
  ReferenceWorker worker;
  EXPECT_EQ(Ask(worker, "inputs").status, Status::kSkipped);
}

}  // namespace
}  // namespace opbyop::reference
