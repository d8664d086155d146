// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a stream print its text as SafeText() returns it. Output contains names, reasons and diagnostics from untrusted
// files, and terminals obey control characters. Threads may share the stream, as they share std::cout.
//
//   const SafeStream out(std::cout), err(std::cerr);   // in main(); applies during their lifetime
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
  // Called with the mutex held. Passes on the pending text; with `all`, also an incomplete character or escape sequence
  // at its end.
  bool PassOn(bool all);

  std::ostream& stream_;
  std::streambuf* behind_;
  std::mutex mutex_;
  std::string pending_;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_SAFE_STREAM_H_
