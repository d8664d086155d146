// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/faults/fault_ledger.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

namespace opbyop {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class FaultLedgerTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove(file_); }

  Expected<std::unique_ptr<FaultLedger>> Open(std::string policies = "domain,edge") {
    return FaultLedger::Open(file_, std::move(policies));
  }

  const fault_injection::Fault tf32_{.name = "dot_tf32"};
  const fault_injection::Fault bf16_{.name = "dot_bf16"};
  const std::vector<const fault_injection::Fault*> both_ = {&tf32_, &bf16_};
  fs::path file_ = fs::temp_directory_path() / ("opbyop-faults-" + std::to_string(::getpid()) + ".jsonl");
};

TEST_F(FaultLedgerTest, AppendedFindingsAreReadBack) {
  {
    auto ledger = Open();
    ASSERT_TRUE(ledger.has_value()) << ledger.error().message;
    CaseFindings findings{.id = "dot_1", .op = "stablehlo.dot", .tried = {"dot_tf32", "dot_bf16"}};
    findings.faults["dot_tf32"] = {"sparse", Status::kFail, std::numeric_limits<double>::infinity()};
    ASSERT_TRUE((*ledger)->Append(findings).has_value());
  }
  auto ledger = Open();
  ASSERT_TRUE(ledger.has_value());
  EXPECT_THAT((*ledger)->Left("dot_1", both_), IsEmpty());
  const FaultFinding& finding = (*ledger)->All().at("dot_1").faults.at("dot_tf32");
  EXPECT_EQ(finding.policy, "sparse");
  EXPECT_EQ(finding.status, Status::kFail);
  EXPECT_TRUE(std::isinf(finding.ratio));
}

TEST_F(FaultLedgerTest, AllFaultsAreLeftForACaseThatWasNotRun) {
  auto ledger = Open();
  ASSERT_TRUE(ledger.has_value());
  EXPECT_THAT((*ledger)->Left("dot_1", both_), ElementsAre(&tf32_, &bf16_));
}

TEST_F(FaultLedgerTest, OnlyANewFaultIsLeft) {
  auto ledger = Open();
  ASSERT_TRUE(ledger.has_value());
  ASSERT_TRUE((*ledger)->Append({.id = "dot_1", .op = "stablehlo.dot", .tried = {"dot_tf32"}}).has_value());
  EXPECT_THAT((*ledger)->Left("dot_1", both_), ElementsAre(&bf16_));
}

TEST_F(FaultLedgerTest, TheLinesOfACaseAddUp) {
  for (const std::string name : {"dot_tf32", "dot_bf16"}) {
    auto ledger = Open();
    ASSERT_TRUE(ledger.has_value());
    CaseFindings findings{.id = "dot_1", .op = "stablehlo.dot", .tried = {name}};
    findings.faults[name] = {"domain", Status::kFail, 2};
    ASSERT_TRUE((*ledger)->Append(findings).has_value());
  }
  auto ledger = Open();
  ASSERT_TRUE(ledger.has_value());
  EXPECT_THAT((*ledger)->Left("dot_1", both_), IsEmpty());
  EXPECT_THAT((*ledger)->All().at("dot_1").faults, SizeIs(2));
}

TEST_F(FaultLedgerTest, FindingsUnderOtherPoliciesDoNotCount) {
  {
    auto ledger = Open("domain");
    ASSERT_TRUE(ledger.has_value());
    ASSERT_TRUE((*ledger)->Append({.id = "dot_1", .op = "stablehlo.dot", .tried = {"dot_tf32"}}).has_value());
  }
  auto ledger = Open("domain,edge");
  ASSERT_TRUE(ledger.has_value());
  EXPECT_THAT((*ledger)->Left("dot_1", both_), SizeIs(2));
}

TEST_F(FaultLedgerTest, LinesThatAreNoFindingsAreRunAgain) {
  std::ofstream(file_) << "{\"case\":\"a\"}\n[1]\n"
                          R"({"case":"b","op":"o","policies":"domain,edge","tried":["x"],"faults":{"x":[1]}})"
                          "\n"
                          R"({"case":"c","op":"o","policies":"domain,edge","tried":"x"})"
                          "\n{\"ca";
  auto ledger = Open();
  ASSERT_TRUE(ledger.has_value());
  EXPECT_THAT((*ledger)->All(), IsEmpty());
}

}  // namespace
}  // namespace opbyop
