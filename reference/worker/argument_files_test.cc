// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/argument_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/files/npy.h"
#include "support/test_folder.h"

namespace opbyop::reference {
namespace {

class ArgumentFilesTest : public testing::Test {
 protected:
  // The digest of a written input of i8.
  std::string DigestOf(const std::vector<std::byte>& bytes, const ElementDraw& draw = nullptr) {
    const Shape shape{static_cast<int64_t>(bytes.size())};
    Expected<std::string> digest =
        WriteInput(folder_.path() / "input_0.npy",
                   {ElementType::kI8, shape, draw == nullptr ? bytes : std::vector<std::byte>(), draw});
    EXPECT_TRUE(digest.has_value()) << digest.error().message;
    return digest.value_or("");
  }

  TestFolder folder_;
};

std::vector<std::byte> Counted(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((i * i >> 3) + i / kNpyBlock);
  return bytes;
}

TEST_F(ArgumentFilesTest, AnInputHasOneDigestWhetherItIsDrawnByBlocksOrNot) {
  const std::vector<std::byte> bytes = Counted(3 * kNpyBlock + 5);
  const std::string digest = DigestOf(
      bytes, [&](int64_t first, int64_t count, std::byte* to) { std::copy_n(bytes.data() + first, count, to); });
  EXPECT_EQ(digest, DigestOf(bytes));
}

TEST_F(ArgumentFilesTest, AChangedBitOfAnyBlockChangesTheDigest) {
  const std::vector<std::byte> bytes = Counted(3 * kNpyBlock + 5);
  const std::string digest = DigestOf(bytes);
  for (const size_t place : {size_t{0}, kNpyBlock - 1, kNpyBlock, 2 * kNpyBlock + 7, bytes.size() - 1}) {
    std::vector<std::byte> changed = bytes;
    changed[place] ^= std::byte{1};
    EXPECT_NE(DigestOf(changed), digest) << place;
  }
}

TEST_F(ArgumentFilesTest, TheOrderOfBlocksChangesTheDigest) {
  std::vector<std::byte> bytes = Counted(2 * kNpyBlock);
  const std::string digest = DigestOf(bytes);
  std::rotate(bytes.begin(), bytes.begin() + kNpyBlock, bytes.end());
  EXPECT_NE(DigestOf(bytes), digest);
}

}  // namespace
}  // namespace opbyop::reference
