// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/artifact_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace opbyop {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

// The header of bytecode: magic number, version 6 as a one-byte varint, producer.
std::string Head(const std::string& producer) { return "ML\xEFR\x0D" + producer + '\0' + "rest"; }

std::string MessageOf(const std::string& bytes) {
  Expected<ArtifactInfo> info = InspectArtifact(bytes);
  if (info) return "accepted as " + std::string(ToString(info->kind));
  EXPECT_EQ(info.error().code, ExitCode::kBadInput);
  return info.error().message;
}

TEST(InspectArtifact, RecognisesTextWithoutReadingIt) {
  for (const char* text :
       {"module {}", "func.func @main()", "  // comment only, \xC3\xA9\n", "#loc = loc(unknown)\n"}) {
    Expected<ArtifactInfo> info = InspectArtifact(text);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->kind, ArtifactKind::kText);
    EXPECT_FALSE(info->version);
  }
}

TEST(InspectArtifact, TextMayBeginWithAByteOrderMark) {
  const auto info = InspectArtifact("\xEF\xBB\xBFmodule {}");
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->kind, ArtifactKind::kText);
  EXPECT_EQ(info->offset, 3);
  EXPECT_EQ(info->size, 9);
  EXPECT_THAT(InspectArtifact("\xEF\xBB\xBF").error().message, HasSubstr("is empty"));
}

TEST(InspectArtifact, ReadsTheVersionOfAPortableArtifact) {
  Expected<ArtifactInfo> info = InspectArtifact(Head("StableHLO_v1.13.7"));
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->kind, ArtifactKind::kPortableArtifact);
  EXPECT_EQ(info->producer, "StableHLO_v1.13.7");
  EXPECT_EQ(info->bytecode_version, 6);
  EXPECT_EQ(info->version, (VhloVersion{1, 13, 7}));
  EXPECT_EQ(ToString(*info->version), "1.13.7");
  EXPECT_LT(*info->version, kNewestVhloVersion);
}

TEST(InspectArtifact, RecognisesPlainBytecodeByItsProducer) {
  Expected<ArtifactInfo> info = InspectArtifact(Head("MLIR22.1.0"));
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->kind, ArtifactKind::kBytecode);
  EXPECT_EQ(info->producer, "MLIR22.1.0");
}

TEST(InspectArtifact, SaysWhatForeignFilesLookLike) {
  EXPECT_THAT(MessageOf(""), HasSubstr("is empty"));
  EXPECT_THAT(MessageOf("\x89PNG\r\n\x1a\n"s), HasSubstr("looks like a PNG image"));
  EXPECT_THAT(MessageOf("\x7F"
                        "ELF\x02\x01"s),
              HasSubstr("looks like an ELF program or object"));
  EXPECT_THAT(MessageOf("PK\x03\x04..."s), HasSubstr("looks like a ZIP archive"));
  EXPECT_THAT(MessageOf("HloModule jit_f, entry"),
              HasSubstr("XLA's HLO (`opbyop split FILE -o DIR` makes StableHLO of it"));
  EXPECT_THAT(MessageOf("version https://git-lfs.github.com/spec/v1"), HasSubstr("git lfs pull"));
  EXPECT_THAT(MessageOf("\x01\x02\x03\x04"s), HasSubstr("binary data of an unknown kind"));
  EXPECT_THAT(MessageOf(" \n\t\n"), HasSubstr("white space only"));
}

TEST(InspectArtifact, RefusesTruncatedHeads) {
  EXPECT_THAT(MessageOf("ML"), "accepted as text");
  EXPECT_THAT(MessageOf("ML\xEF"), HasSubstr("truncated"));
  EXPECT_THAT(MessageOf("ML\xEFR"), HasSubstr("truncated"));
  EXPECT_THAT(MessageOf("ML\xEFR\x0DStableHLO_v1.1"), HasSubstr("truncated"));
}

TEST(InspectArtifact, RefusesAProducerWithoutAVersion) {
  for (const char* version : {"", "1.2", "1.2.x", "1.2.3.4", "-1.2.3", "1.99999999999.0"}) {
    EXPECT_THAT(MessageOf(Head(std::string("StableHLO_v") + version)), HasSubstr("names no version X.Y.Z")) << version;
  }
}

}  // namespace
}  // namespace opbyop
