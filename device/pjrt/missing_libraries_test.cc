// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/missing_libraries.h"

#include <gtest/gtest.h>

namespace opbyop::pjrt {
namespace {

TEST(MissingLibrariesTest, AProgramThatRunsLacksNone) {
  EXPECT_TRUE(MissingLibraries("/proc/self/exe").empty());
  EXPECT_TRUE(MissingLibraries("/no/such/file.so").empty());
}

TEST(MissingLibrariesTest, PackagesAreNamedWhereTheyAreKnown) {
  EXPECT_EQ(DescribeMissing({}), "");
  EXPECT_EQ(DescribeMissing({"libodd.so.3"}), "1 library is missing: libodd.so.3");
  EXPECT_EQ(DescribeMissing({"libze_loader.so.1", "librocblas.so.5", "libodd.so"}),
            "3 libraries are missing: libze_loader.so.1 (Debian's libze1), librocblas.so.5 (AMD's ROCm), libodd.so");
}

}  // namespace
}  // namespace opbyop::pjrt
