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

class FaultLedgerTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove(file_); }

  fs::path file_ = fs::temp_directory_path() / ("opbyop-faults-" + std::to_string(::getpid()) + ".jsonl");
};

TEST_F(FaultLedgerTest, WhatWasAppendedIsThereAfterwards) {
  {
    auto ledger = FaultLedger::Open(file_);
    ASSERT_TRUE(ledger.has_value()) << ledger.error().message;
    CaseFindings findings{.id = "dot_1", .op = "stablehlo.dot", .tried = "t"};
    findings.faults["dot_tf32"] = {"sparse", Status::kFail, std::numeric_limits<double>::infinity()};
    ASSERT_TRUE((*ledger)->Append(findings).has_value());
  }
  auto ledger = FaultLedger::Open(file_);
  ASSERT_TRUE(ledger.has_value());
  EXPECT_TRUE((*ledger)->Has("dot_1", "t"));
  const FaultFinding& finding = (*ledger)->All().at("dot_1").faults.at("dot_tf32");
  EXPECT_EQ(finding.policy, "sparse");
  EXPECT_EQ(finding.status, Status::kFail);
  EXPECT_TRUE(std::isinf(finding.ratio));
}

TEST_F(FaultLedgerTest, FindingsOfOtherFaultsDoNotCount) {
  auto ledger = FaultLedger::Open(file_);
  ASSERT_TRUE(ledger.has_value());
  ASSERT_TRUE((*ledger)->Append({.id = "dot_1", .op = "stablehlo.dot", .tried = "old"}).has_value());
  EXPECT_FALSE((*ledger)->Has("dot_1", "new"));
}

TEST_F(FaultLedgerTest, LinesThatAreNoFindingsAreRunAgain) {
  std::ofstream(file_)
      << "{\"case\":\"a\"}\n[1]\n{\"case\":\"b\",\"op\":\"o\",\"tried\":\"t\",\"faults\":{\"x\":[1]}}\n{\"ca";
  auto ledger = FaultLedger::Open(file_);
  ASSERT_TRUE(ledger.has_value());
  EXPECT_TRUE((*ledger)->All().empty());
}

}  // namespace
}  // namespace opbyop
