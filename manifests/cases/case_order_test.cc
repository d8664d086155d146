// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/case_order.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::Field;

TEST(CaseOrderTest, OperationsAndBytesCountTogetherThenTheId) {
  std::vector<Case> cases(4);
  cases[0] = {.id = "large", .flops = 0, .bytes = 9};
  cases[1] = {.id = "b", .flops = 2, .bytes = 1};
  cases[2] = {.id = "a", .flops = 1, .bytes = 2};
  cases[3] = {.id = "z", .flops = 1, .bytes = 1};
  std::ranges::sort(cases, CheapestFirst());
  EXPECT_THAT(cases, ElementsAre(Field(&Case::id, "z"), Field(&Case::id, "a"), Field(&Case::id, "b"),
                                 Field(&Case::id, "large")));
}

TEST(CaseOrderTest, PointersAreOrderedByTheirCases) {
  const Case dear{.id = "a", .flops = 2};
  const Case cheap{.id = "b", .flops = 1};
  std::vector<const Case*> cases = {&dear, &cheap};
  std::ranges::sort(cases, CheapestFirst());
  EXPECT_THAT(cases, ElementsAre(&cheap, &dear));
}

}  // namespace
}  // namespace opbyop
