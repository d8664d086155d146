// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/safe_stream.h"

#include "support/text/safe_text.h"

namespace opbyop {
namespace {

// The start of the unfinished line: neither characters nor escape sequences extend across line ends.
size_t EndOfLines(const std::string& text) {
  const size_t newline = text.rfind('\n');
  return newline == std::string::npos ? 0 : newline + 1;
}

}  // namespace

SafeStream::SafeStream(std::ostream& stream) : stream_(stream), behind_(stream.rdbuf(this)) {}

SafeStream::~SafeStream() {
  PassOn(true);
  behind_->pubsync();
  stream_.rdbuf(behind_);
}

SafeStream::int_type SafeStream::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char one = traits_type::to_char_type(character);
  return xsputn(&one, 1) == 1 ? character : traits_type::eof();
}

std::streamsize SafeStream::xsputn(const char* text, std::streamsize size) {
  const std::lock_guard lock(mutex_);
  pending_.append(text, static_cast<size_t>(size));
  return PassOn(false) ? size : 0;
}

int SafeStream::sync() {
  const std::lock_guard lock(mutex_);
  return PassOn(true) && behind_->pubsync() == 0 ? 0 : -1;
}

bool SafeStream::PassOn(bool all) {
  const size_t size = all ? pending_.size() : EndOfLines(pending_);
  if (size == 0) return true;
  const std::string safe = SafeText(std::string_view(pending_).substr(0, size));
  pending_.erase(0, size);
  return behind_->sputn(safe.data(), static_cast<std::streamsize>(safe.size())) ==
         static_cast<std::streamsize>(safe.size());
}

}  // namespace opbyop
