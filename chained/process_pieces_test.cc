// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/process_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop::chained {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<protocol::Span> PiecesOf(std::string_view lines) { return ProcessPieces(protocol::ParseSpans(lines)); }

std::vector<std::string> LinesOf(const std::vector<protocol::Span>& pieces) {
  std::vector<std::string> lines;
  lines.reserve(pieces.size());
  for (const protocol::Span& piece : pieces) lines.push_back(protocol::SpanLines({piece}));
  return lines;
}

TEST(ProcessPiecesTest, BetweenItsCollectivesAProcessComputes) {
  const auto pieces = PiecesOf(
      "execute 0 100 90\n"
      "execute 0 100 90 process=1\n"
      "collective 0 150 10 bytes=64 process=1\n"
      "collective 0 110 20 bytes=64 process=1\n");
  EXPECT_THAT(LinesOf(pieces), ElementsAre("compute 0 100 10 process=1\n", "collective 0 110 20 bytes=64 process=1\n",
                                           "compute 0 130 20 process=1\n", "collective 0 150 10 bytes=64 process=1\n",
                                           "compute 0 160 30 process=1\n"));
}

TEST(ProcessPiecesTest, ACollectiveIsAPieceOfTheExecutionInWhichItBegins) {
  const auto pieces = PiecesOf(
      "execute 0 100 20 process=1\n"
      "collective 0 105 5 process=1\n"
      "execute 0 200 10 process=1\n");
  EXPECT_THAT(LinesOf(pieces), ElementsAre("compute 0 100 5 process=1\n", "collective 0 105 5 process=1\n",
                                           "compute 0 110 10 process=1\n", "compute 0 200 10 process=1\n"));
}

TEST(ProcessPiecesTest, AnExecutionOfAllProcessesIsNoPiece) { EXPECT_THAT(PiecesOf("execute 0 100 90\n"), IsEmpty()); }

TEST(ProcessPiecesTest, ACollectiveWithoutAnExecutionIsLeftOut) {
  EXPECT_THAT(PiecesOf("collective 0 150 10 process=1\n"), IsEmpty());
}

}  // namespace
}  // namespace opbyop::chained
