// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/find_manifest_file.h"

#include <gtest/gtest.h>

namespace opbyop {
namespace {

TEST(FindManifestFileTest, AnUnknownTargetIsAUsageErrorAnAbsentFileIsNoInput) {
  EXPECT_EQ(FindManifestFile("targets", "nosuch").error().code, ExitCode::kUsage);
  EXPECT_EQ(FindManifestFile("targets", "no/such.yaml").error().code, ExitCode::kNoInput);
}

}  // namespace
}  // namespace opbyop
