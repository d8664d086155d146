// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "protocol/frame.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "support/files/file.h"

namespace opbyop::protocol {
namespace {

constexpr size_t kPrefixBytes = 4;
constexpr size_t kKeptBytes = 1 << 20;

uint32_t DecodeLength(const char* bytes) {
  uint32_t length = 0;
  for (size_t i = 0; i < kPrefixBytes; ++i)
    length |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return length;
}

// Fills `size` bytes. Returns how many were read before the end of the stream, or -1 after an error.
ssize_t ReadFully(int fd, char* bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(fd, bytes + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

Expected<std::string> EncodeFrame(std::string_view json) {
  if (json.size() > kMaxFrameBytes) {
    return MakeError(ExitCode::kInternal, fmt::format("a message of {} bytes is longer than the protocol's limit of {}",
                                                      json.size(), kMaxFrameBytes));
  }
  std::string bytes;
  bytes.reserve(kPrefixBytes + json.size());
  for (size_t i = 0; i < kPrefixBytes; ++i) bytes.push_back(static_cast<char>((json.size() >> (8 * i)) & 0xff));
  bytes.append(json);
  return bytes;
}

Expected<void> WriteFrame(int fd, std::string_view json) {
  const Expected<std::string> bytes = EncodeFrame(json);
  if (!bytes) return Unexpected(bytes.error());
  if (const std::error_code error = WriteAll(fd, *bytes)) {
    return MakeError(ExitCode::kInternal,
                     fmt::format("a message could not be written to its pipe: {}", error.message()));
  }
  return {};
}

Expected<std::optional<std::string>> ReadFrame(int fd) {
  std::array<char, kPrefixBytes> prefix;
  const ssize_t got = ReadFully(fd, prefix.data(), prefix.size());
  if (got == 0) return std::nullopt;
  if (got < 0) return MakeError(ExitCode::kInternal, fmt::format("reading a message failed: {}", std::strerror(errno)));
  if (got < static_cast<ssize_t>(kPrefixBytes)) {
    return MakeError(ExitCode::kBadInput,
                     "the stream of messages ends within a length prefix; the writer probably died");
  }
  const uint32_t length = DecodeLength(prefix.data());
  if (length > kMaxFrameBytes) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("a message announces {} bytes, the protocol allows {}; the stream is probably not "
                                 "length-prefixed JSON",
                                 length, kMaxFrameBytes));
  }
  std::string json(length, '\0');
  if (ReadFully(fd, json.data(), length) != static_cast<ssize_t>(length)) {
    return MakeError(ExitCode::kBadInput, "the stream of messages ends within a message; the writer probably died");
  }
  return json;
}

void FrameReader::Append(std::string_view bytes) {
  if (broken_) return;
  // Drop the frames that have been taken, and free the room that a large one needed.
  buffer_.erase(0, position_);
  position_ = 0;
  if (buffer_.empty() && buffer_.capacity() > kKeptBytes) buffer_.shrink_to_fit();
  buffer_.append(bytes);
}

std::optional<std::string> FrameReader::Next() {
  if (broken_ || pending() < kPrefixBytes) return std::nullopt;
  const uint32_t length = DecodeLength(buffer_.data() + position_);
  if (length > kMaxFrameBytes) {
    broken_ = true;
    broken_length_ = length;
    return std::nullopt;
  }
  if (pending() < kPrefixBytes + length) return std::nullopt;
  std::string frame = buffer_.substr(position_ + kPrefixBytes, length);
  position_ += kPrefixBytes + length;
  return frame;
}

}  // namespace opbyop::protocol
