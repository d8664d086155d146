// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/inputs/captured.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/files/file.h"

namespace opbyop::reference {
namespace {

namespace fs = std::filesystem;

class CapturedTest : public testing::Test {
 protected:
  CapturedTest() : folder_(fs::temp_directory_path() / ("opbyop-captured-" + std::to_string(getpid()))) {}
  ~CapturedTest() override { fs::remove_all(folder_); }

  static InputData Data() {
    const Tensor t = Tensor::Of<double>(ElementType::kBf16, {2, 2}, {1, -2, 0.5, 3});
    return {t.type(), t.shape(), TensorToBytes(t)};
  }
  fs::path folder_;
};

TEST_F(CapturedTest, ATensorComesBackUnchanged) {
  const auto stored = StoreCaptured(folder_, Data());
  ASSERT_TRUE(stored.has_value()) << stored.error().message;
  const auto back = LoadCaptured(folder_, stored->name, ElementType::kBf16, {2, 2});
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->bytes, Data().bytes);
}

TEST_F(CapturedTest, EqualTensorsShareOneFile) {
  const auto first = StoreCaptured(folder_, Data());
  const auto second = StoreCaptured(folder_, Data());
  EXPECT_EQ(first->name, second->name);
  EXPECT_GT(first->bytes, 0);
  EXPECT_EQ(second->bytes, 0);
}

TEST_F(CapturedTest, ATruncatedOrExchangedFileIsRefused) {
  const auto stored = StoreCaptured(folder_, Data());
  const fs::path file = folder_ / (stored->name + ".zst");
  ASSERT_TRUE(WriteFile(folder_ / (std::string(64, 'a') + ".zst"), *ReadFile(file)).has_value());
  const auto exchanged = LoadCaptured(folder_, std::string(64, 'a'), ElementType::kBf16, {2, 2});
  ASSERT_FALSE(exchanged.has_value());
  EXPECT_NE(exchanged.error().message.find("checksum"), std::string::npos);
  ASSERT_TRUE(WriteFile(file, ReadFile(file)->substr(0, 5)).has_value());
  EXPECT_FALSE(LoadCaptured(folder_, stored->name, ElementType::kBf16, {2, 2}).has_value());
  EXPECT_FALSE(LoadCaptured(folder_, stored->name, ElementType::kBf16, {3, 2}).has_value());
}

TEST_F(CapturedTest, ACaseAdoptsTheOperandsOfAnother) {
  CapturedIndex from = *CapturedIndex::Load(folder_ / "split");
  from.Set("plain", {StoreCaptured(from.folder(), Data())->name});
  CapturedIndex to = *CapturedIndex::Load(folder_ / "kept");
  EXPECT_EQ(to.Adopt("kept", from, "absent"), false);
  EXPECT_EQ(to.Adopt("kept", from, "plain"), true);
  EXPECT_EQ(to.Adopt("kept", from, "plain"), false);
  ASSERT_NE(to.Find("kept"), nullptr);
  EXPECT_TRUE(LoadCaptured(to.folder(), to.Find("kept")->front(), ElementType::kBf16, {2, 2}).has_value());
}

}  // namespace
}  // namespace opbyop::reference
