// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/program_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/files/project_folder.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using testing::MatchesRegex;
using testing::StartsWith;

class ProgramIdentityTest : public testing::Test {
 protected:
  std::string Of(std::string_view bytes) const {
    EXPECT_TRUE(WriteFile(folder_.path() / "program", bytes));
    return ProgramIdentity(folder_.path() / "program");
  }
  TestFolder folder_;
};

TEST_F(ProgramIdentityTest, AProgramHasItsBuildId) {
  EXPECT_THAT(ProgramIdentity("/proc/self/exe"), MatchesRegex("build id [0-9a-f]{16,}(, .*)?"));
}

TEST_F(ProgramIdentityTest, ACopyIsTheSameProgram) {
  const std::string first = Of(*ReadFile("/proc/self/exe"));
  EXPECT_THAT(ProgramIdentity("/proc/self/exe"), StartsWith(first));
  EXPECT_EQ(Of(*ReadFile("/proc/self/exe")), first);
}

TEST_F(ProgramIdentityTest, TheSharedLibrariesBesideAProgramArePartOfIt) {
  const std::string alone = Of("program");
  ASSERT_TRUE(WriteFile(folder_.path() / kSharedLibraries[0], "library"));
  const std::string with_library = ProgramIdentity(folder_.path() / "program");
  EXPECT_THAT(with_library, StartsWith(alone + ", " + std::string(kSharedLibraries[0]) + " sha256 "));
  ASSERT_TRUE(WriteFile(folder_.path() / kSharedLibraries[0], "changed library"));
  EXPECT_NE(ProgramIdentity(folder_.path() / "program"), with_library);
  std::filesystem::create_symlink(folder_.path() / "program", folder_.path() / "link");
  EXPECT_EQ(ProgramIdentity(folder_.path() / "link"), ProgramIdentity(folder_.path() / "program"));
}

TEST_F(ProgramIdentityTest, AScriptIsIdentifiedByItsBytes) {
  const std::string one = Of("#!/bin/sh\necho 1\n");
  EXPECT_THAT(one, StartsWith("sha256 "));
  EXPECT_NE(Of("#!/bin/sh\necho 2\n"), one);
}

TEST_F(ProgramIdentityTest, AMissingFileHasNoIdentity) {
  EXPECT_EQ(ProgramIdentity(folder_.path() / "none"), "");
  EXPECT_EQ(ProgramIdentity(folder_.path()), "");
}

TEST_F(ProgramIdentityTest, ADamagedHeaderIsReadAsBytes) {
  std::string bytes = *ReadFile("/proc/self/exe");
  for (size_t at = 32; at < 64; ++at) {
    std::string damaged = bytes.substr(0, 4096);
    damaged[at] = '\xff';
    EXPECT_NE(Of(damaged), "") << at;
  }
  EXPECT_THAT(Of(bytes.substr(0, 10)), StartsWith("sha256 "));
}

}  // namespace
}  // namespace opbyop
