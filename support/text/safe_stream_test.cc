// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/safe_stream.h"

#include <gtest/gtest.h>

#include <sstream>

namespace opbyop {
namespace {

TEST(SafeStreamTest, ControlCharactersOfTerminalsAreReplaced) {
  std::ostringstream out;
  {
    const SafeStream safe(out);
    out << "a\x1b[31mred\x1b[m\x07\x1b]0;title\x07" << '\x08' << "\n" << 42 << "\tz\n";
  }
  EXPECT_EQ(out.str().find('\x1b'), std::string::npos);
  EXPECT_EQ(out.str().find('\x07'), std::string::npos);
  EXPECT_EQ(out.str().substr(0, 4), "ared");
  EXPECT_TRUE(out.str().ends_with("\n42\tz\n"));
}

TEST(SafeStreamTest, ACharacterThatIsWrittenInPartsStaysWhole) {
  std::ostringstream out;
  {
    const SafeStream safe(out);
    for (const char byte : std::string("\xC3\xA4\x1b[1mb")) out << byte;
  }
  EXPECT_EQ(out.str(),
            "\xC3\xA4"
            "b");
}

TEST(SafeStreamTest, FlushedTextAppearsAtOnceAndTheStreamIsRestored) {
  std::ostringstream out;
  {
    const SafeStream safe(out);
    out << "waiting" << std::flush;
    EXPECT_EQ(out.str(), "waiting");
  }
  out << "\x1b";
  EXPECT_EQ(out.str(), "waiting\x1b");
}

}  // namespace
}  // namespace opbyop
