// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/worker/loop_cutter.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/files/file.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using protocol::Reply;
using protocol::Request;
using testing::HasSubstr;
using testing::Not;

class LoopCutterTest : public testing::Test {
 protected:
  void SetUp() override { sink_ = open("/dev/null", O_WRONLY | O_CLOEXEC); }
  void TearDown() override { close(sink_); }

  // Answers `inputs` for a loop of as many additions, within so many operations.
  Reply Inputs(const std::string& limit, double operations) {
    const std::filesystem::path file = folder_.path() / "case.mlir";
    EXPECT_TRUE(WriteFile(file, R"(func.func @main(%a: tensor<8x4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %eight = stablehlo.constant dense<8> : tensor<i32>
      %x = stablehlo.constant dense<0.0> : tensor<4xf32>
      %r:3 = stablehlo.while(%i = %zero, %s = %a, %c = %x) : tensor<i32>, tensor<8x4xf32>, tensor<4xf32>
      cond {
        %p = stablehlo.compare LT, %i, )" +
                                    limit + R"( : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %row = stablehlo.dynamic_slice %s, %i, %zero, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
        %flat = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
        %sum = stablehlo.add %c, %flat : tensor<4xf32>
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %s, %sum : tensor<i32>, tensor<8x4xf32>, tensor<4xf32>
      }
      return %r#2 : tensor<4xf32>
    })"));
    Request request;
    request.id = 1;
    request.verb = protocol::InputsVerb{};
    request.case_id = "while_8x4_f32_0a1b2c3d";
    request.op = "stablehlo.while";
    request.file = file;
    request.dir = folder_.path();
    request.policy.name = "domain";
    protocol::StageEvents events(sink_, 1);
    LoopCutter worker({.operations = operations});
    return worker.Handle(request, events);
  }

  TestFolder folder_;
  int sink_ = -1;
};

TEST_F(LoopCutterTest, ALoopThatIsTooMuchIsOfferedWithThreeTrips) {
  const Reply reply = Inputs("%eight", 300);
  EXPECT_EQ(reply.status, Status::kSkipped) << reply.diagnostic;
  ASSERT_TRUE(reply.payload.contains("smaller")) << reply.diagnostic;
  EXPECT_EQ(reply.payload["smaller"]["what"], "3 of 8 trips");
  EXPECT_EQ(reply.payload["smaller"]["inputs"][0]["shape"], (std::vector<int64_t>{3, 4}));
  EXPECT_THAT(reply.payload["smaller"]["program"].get<std::string>(), HasSubstr("tensor<3x4xf32>"));
  EXPECT_THAT(reply.payload["smaller"]["program"].get<std::string>(), Not(HasSubstr("8x4")));
}

TEST_F(LoopCutterTest, ALoopThatFitsIsNotCut) {
  const Reply reply = Inputs("%eight", 1e6);
  EXPECT_EQ(reply.status, Status::kPass) << reply.diagnostic;
  EXPECT_FALSE(reply.payload.contains("smaller"));
}

TEST_F(LoopCutterTest, ALoopThatIsTooMuchWithThreeTripsIsOfferedWithTwo) {
  const Reply reply = Inputs("%eight", 150);
  ASSERT_TRUE(reply.payload.contains("smaller")) << reply.diagnostic;
  EXPECT_EQ(reply.payload["smaller"]["what"], "2 of 8 trips");
}

TEST_F(LoopCutterTest, ALoopThatIsTooMuchWithTwoTripsSaysSo) {
  const Reply reply = Inputs("%eight", 50);
  EXPECT_EQ(reply.status, Status::kSkipped);
  EXPECT_FALSE(reply.payload.contains("smaller"));
  EXPECT_THAT(reply.diagnostic, HasSubstr("; with 2 of 8 trips: reference too large"));
}

TEST_F(LoopCutterTest, ALoopOfUnknownTripsSaysSo) {
  const Reply reply = Inputs("%n", 50);
  EXPECT_EQ(reply.status, Status::kSkipped);
  EXPECT_THAT(reply.diagnostic, HasSubstr("; its trips cannot be cut to 3: how often the loop runs is not known"));
}

}  // namespace
}  // namespace opbyop
