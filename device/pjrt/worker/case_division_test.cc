// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/worker/case_division.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::pjrt {
namespace {

using testing::HasSubstr;

constexpr const char* kQuarters = "{devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}";
constexpr const char* kHalves = "{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}";

// A vector of ten elements, which the request has over four devices, and its sum.
protocol::Request Sum() {
  protocol::Request request;
  request.grid = {.replicas = 1, .partitions = 8};
  request.inputs = {{{10}, "f32"}};
  request.outputs = {{{}, "f32"}};
  request.shardings = {.inputs = {kQuarters}, .outputs = {"{replicated}"}};
  return request;
}

std::string ErrorOf(const DividedProgram& divided) {
  const Expected<CaseDivision> division = ReconcileDivision(divided, Sum());
  return division ? "" : division.error().message;
}

TEST(CaseDivisionTest, PartsThatAreFilledUpAreTheProgramsOwn) {
  const Expected<CaseDivision> division =
      ReconcileDivision({.arguments = {{{3}, kQuarters}}, .results = {{{}, "{replicated}"}}}, Sum());
  ASSERT_TRUE(division) << division.error().message;
  EXPECT_EQ(division->sharding->inputs, (std::vector<Division>{{{{.stride = 1, .size = 4}}}}));
  EXPECT_EQ(division->changed, "");
}

TEST(CaseDivisionTest, AnArgumentIsTakenAsTheExecutableDividesIt) {
  const Expected<CaseDivision> division =
      ReconcileDivision({.arguments = {{{5}, kHalves}}, .results = {{{}, "{replicated}"}}}, Sum());
  ASSERT_TRUE(division) << division.error().message;
  EXPECT_EQ(division->sharding->inputs, (std::vector<Division>{{{{.stride = 1, .size = 2}}}}));
  EXPECT_EQ(division->changed, std::string(", argument 0 by ") + kHalves);
}

TEST(CaseDivisionTest, AnArgumentInAWayThatIsNotUnderstoodIsAnError) {
  const std::vector<DividedTensor> sum = {{{}, "{replicated}"}};
  EXPECT_THAT(ErrorOf({.arguments = {{{5}, ""}}, .results = sum}), HasSubstr("argument 0 parts of [5], the program"));
  EXPECT_THAT(ErrorOf({.arguments = {{{5}, kQuarters}}, .results = sum}), HasSubstr("argument 0 parts of [5] by"));
  EXPECT_THAT(ErrorOf({.arguments = {{{1}, "{devices=[16]<=[16]}"}}, .results = sum}), HasSubstr("argument 0"));
  EXPECT_THAT(ErrorOf({.arguments = {}, .results = sum}), HasSubstr("0 arguments of one device, the case 1"));
}

TEST(CaseDivisionTest, AResultInAnotherWayIsAnError) {
  protocol::Request request = Sum();
  request.outputs = request.inputs;
  request.shardings.outputs = request.shardings.inputs;
  const Expected<CaseDivision> division =
      ReconcileDivision({.arguments = {{{3}, kQuarters}}, .results = {{{5}, kHalves}}}, request);
  ASSERT_FALSE(division);
  EXPECT_EQ(division.error().code, ExitCode::kUnexpectedResult);
  EXPECT_THAT(division.error().message, HasSubstr("result 0 parts of [5] by"));
}

}  // namespace
}  // namespace opbyop::pjrt
