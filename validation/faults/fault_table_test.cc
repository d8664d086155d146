// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/faults/fault_table.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "support/files/file.h"

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class FaultTableTest : public testing::Test {
 protected:
  FaultTableTest() {
    fault_ = {.name = "dot_tf32", .what = "cuts factors", .ops = "stablehlo.dot"};
    control_ = {.name = "two_ulp", .what = "rounds twice", .legal = true};
    const auto file = std::filesystem::temp_directory_path() / ("opbyop-table-" + std::to_string(::getpid()));
    EXPECT_TRUE(WriteFile(file,
                          "schema: opbyop-promise/1\nentries:\n"
                          "  - {faults: [dot_tf32], cases: [one_term], proof: a right device cuts it}\n"));
    promise_ = Promise::Load(file).value();
    std::filesystem::remove(file);
    cases_["one_term"].faults["dot_tf32"] = {"sparse", Status::kPass, 0.5};
    cases_["dot_1"].faults["dot_tf32"] = {"domain", Status::kImprecise, 3};
    cases_["dot_2"].faults["dot_tf32"] = {"sparse", Status::kFail, 9};
    cases_["dot_2"].faults["two_ulp"] = {"sparse", Status::kPass, 0.1};
    for (auto& [id, findings] : cases_) findings.id = id;
  }

  FaultTable Table() { return FaultTable(cases_, {&fault_, &control_}, {"domain", "sparse"}, promise_); }

  fault_injection::Fault fault_;
  fault_injection::Fault control_;
  Promise promise_;
  std::map<std::string, CaseFindings> cases_;
};

TEST_F(FaultTableTest, CountsRedCasesByThePolicyThatCaughtThem) {
  const FaultTable table = Table();
  EXPECT_THAT(table.Markdown(), HasSubstr("| dot_tf32 | cuts factors | 3 | 2 | 1 | 1 |"));
  EXPECT_THAT(table.Complaints(), IsEmpty());
}

TEST_F(FaultTableTest, AnEscapeWithoutAProofIsAComplaint) {
  cases_["dot_3"].id = "dot_3";
  cases_["dot_3"].faults["dot_tf32"] = {"sparse", Status::kPass, 0.25};
  EXPECT_THAT(Table().Complaints(), ElementsAre("dot_tf32 escapes on dot_3 (sparse, 0.25 of its bound)"));
}

TEST_F(FaultTableTest, ARareFaultMayEscapeInFiveOf100Tries) {
  fault_.always = "dot_tf32_always";
  cases_.clear();
  for (int i = 0; i < 100; ++i) {
    cases_[std::to_string(i)].faults["dot_tf32"] = {"domain", i < 95 ? Status::kFail : Status::kPass, 0};
  }
  EXPECT_THAT(Table().Complaints(), IsEmpty());
  cases_["0"].faults["dot_tf32"].status = Status::kPass;
  EXPECT_THAT(Table().Complaints(), ElementsAre("dot_tf32 is red in 94 of 100 tries, less than 95 %"));
}

TEST_F(FaultTableTest, ARefusedControlIsAComplaint) {
  cases_["dot_2"].faults["two_ulp"] = {"domain", Status::kFail, 2};
  EXPECT_THAT(Table().Complaints(), ElementsAre("a control is refused: two_ulp on dot_2 (domain, 2 of its bound)"));
}

TEST_F(FaultTableTest, ARefusedRightDeviceIsAComplaint) {
  cases_["dot_2"].flagged = "domain: fail in compare: off";
  EXPECT_THAT(Table().Complaints(), ElementsAre("a right device is refused: dot_2: domain: fail in compare: off"));
}

TEST_F(FaultTableTest, CasesThatWereNotRunAreNamed) {
  const FaultTable table(cases_, {&fault_, &control_}, {"domain", "sparse"}, promise_, {"dot_8", "dot_9"});
  EXPECT_THAT(table.Markdown(), HasSubstr("\n\nNot run: `dot_8`, `dot_9`.\n\n| fault |"));
  EXPECT_THAT(Table().Markdown(), Not(HasSubstr("Not run")));
}

TEST_F(FaultTableTest, AFaultThatShowsNowhereIsListed) {
  cases_["dot_2"].faults.erase("two_ulp");
  EXPECT_THAT(Table().Markdown(), HasSubstr("table of small cases has them): `two_ulp`."));
}

TEST_F(FaultTableTest, AFaultInOneOpOfAPairThatChangesNoBoundedElementIsCounted) {
  fault_.place = 0;
  cases_["dot_3"].id = "dot_3";
  cases_["dot_3"].faults["dot_tf32"] = {"edge", Status::kPass, 0};
  EXPECT_THAT(Table().Complaints(), IsEmpty());
  EXPECT_THAT(Table().Markdown(), HasSubstr("1 more change only elements for which the pair has no finite bound."));
  fault_.place.reset();
  EXPECT_THAT(Table().Complaints(), ElementsAre("dot_tf32 escapes on dot_3 (edge, 0 of its bound)"));
}

}  // namespace
}  // namespace opbyop
