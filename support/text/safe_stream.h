// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A stream whose text comes out as SafeText() has it, whoever writes to it: what programs print holds names, reasons
// and diagnostics of files that others wrote, and a terminal obeys control characters. Threads may share it, as they
// share std::cout.
//
//   const SafeStream out(std::cout), err(std::cerr);   // for main(); until the end of their lives
#ifndef OPBYOP_SUPPORT_TEXT_SAFE_STREAM_H_
#define OPBYOP_SUPPORT_TEXT_SAFE_STREAM_H_

#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>

namespace opbyop {

class SafeStream : private std::streambuf {
 public:
  explicit SafeStream(std::ostream& stream);
  SafeStream(const SafeStream&) = delete;
  SafeStream& operator=(const SafeStream&) = delete;
  ~SafeStream() override;

 private:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;
  // With the mutex held. Hands on what is pending; `all`: also what may be the beginning of a character or of an escape
  // sequence.
  bool HandOn(bool all);

  std::ostream& stream_;
  std::streambuf* behind_;
  std::mutex mutex_;
  std::string pending_;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_SAFE_STREAM_H_
