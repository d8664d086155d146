// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/plugin_identity.h"

#include <gtest/gtest.h>

#include "support/files/file.h"
#include "support/files/sha256.h"

namespace opbyop::pjrt {
namespace {

namespace fs = std::filesystem;

class PluginIdentityTest : public testing::Test {
 protected:
  fs::path Write(const std::string& name, const std::string& text) const {
    const fs::path file = folder_ / name;
    fs::create_directories(file.parent_path());
    EXPECT_TRUE(WriteFile(file, text));
    return file;
  }

  ~PluginIdentityTest() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::path(testing::TempDir()) / "plugin_identity";
};

TEST_F(PluginIdentityTest, ThePackageIsTheOneWhoseListNamesTheFile) {
  const fs::path plugin = Write("site-packages/jax_plugins/libtt/libtt.so", "x");
  EXPECT_EQ(PackageOf(plugin), "");
  Write("site-packages/other-2.0.dist-info/RECORD", "other.so,sha256=1,1\njax_plugins/libtt/libtt.so2,,\n");
  EXPECT_EQ(PackageOf(plugin), "");
  Write("site-packages/jax_tt_plugin-0.1.3.dist-info/RECORD", "jax_plugins/libtt/libtt.so,sha256=1,1\n");
  EXPECT_EQ(PackageOf(plugin), "jax-tt-plugin 0.1.3");
  EXPECT_EQ(PackageOf("/no/such/plugin.so"), "");
}

TEST_F(PluginIdentityTest, TheDigestIsThatOfTheBytes) {
  EXPECT_EQ(FileSha256(Write("a.so", "abc")).value(), Sha256Hex("abc"));
  EXPECT_FALSE(FileSha256(folder_ / "none.so"));
  EXPECT_FALSE(FileSha256(Write("empty.so", "")));
}

}  // namespace
}  // namespace opbyop::pjrt
