// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::host {
namespace {

using ::testing::HasSubstr;

Artifact Sample() {
  return {.producer = "test 1.0",
          .triple = "x86_64-pc-linux-gnu",
          .cpu = "generic",
          .entry = "entry",
          .signature = {{{{2, 3}, "f32"}, {{}, "i1"}}, {{{6}, "bf16"}}},
          .object = std::string("\x7f"
                                "ELF and more",
                                13)};
}

TEST(HostArtifact, ReadsWhatItWrote) {
  const auto read = ReadArtifact(WriteArtifact(Sample()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->producer, "test 1.0");
  EXPECT_EQ(read->triple, "x86_64-pc-linux-gnu");
  EXPECT_EQ(read->cpu, "generic");
  EXPECT_EQ(read->entry, "entry");
  EXPECT_EQ(read->signature, Sample().signature);
  EXPECT_EQ(read->object, Sample().object);
}

TEST(HostArtifact, IsTheSameBytesEveryTime) { EXPECT_EQ(WriteArtifact(Sample()), WriteArtifact(Sample())); }

TEST(HostArtifact, RefusesBytesThatAreNoArtifact) {
  for (const std::string& bytes : {std::string(), std::string("PK\3\4 some other file of its own kind")}) {
    const auto read = ReadArtifact(bytes);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ExitCode::kBadInput);
    EXPECT_THAT(read.error().message, HasSubstr("identifier"));
  }
}

TEST(HostArtifact, RefusesEveryTruncation) {
  const std::string whole = WriteArtifact(Sample());
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto read = ReadArtifact(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(read) << size << " of " << whole.size() << " bytes were accepted";
    EXPECT_EQ(read.error().code, ExitCode::kBadInput);
  }
}

TEST(HostArtifact, SurvivesEveryFlippedByte) {
  const std::string whole = WriteArtifact(Sample());
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    (void)ReadArtifact(damaged);  // any outcome except a crash is accepted
  }
}

TEST(HostArtifact, RefusesANewerFormatByNumber) {
  std::string bytes = WriteArtifact(Sample());
  // The first field of the root table: its offset is the third entry in the table of field offsets.
  const auto root = *reinterpret_cast<const uint32_t*>(bytes.data());
  const auto vtable = root - *reinterpret_cast<const int32_t*>(bytes.data() + root);
  const auto slot = *reinterpret_cast<const uint16_t*>(bytes.data() + vtable + 4);
  ASSERT_NE(slot, 0);
  *reinterpret_cast<uint32_t*>(bytes.data() + root + slot) = kArtifactFormat + 1;
  const auto read = ReadArtifact(bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(read.error().message, HasSubstr("format 2"));
  EXPECT_THAT(read.error().message, HasSubstr("test 1.0"));
}

}  // namespace
}  // namespace opbyop::host
