// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Frames of the worker protocol: four bytes of length, little-endian, followed by that many bytes of JSON.
//
//   WriteFrame(fd, json.dump());
//   FrameReader reader;
//   reader.Append(bytes);
//   while (std::optional<std::string> frame = reader.Next()) Handle(*frame);
//   if (reader.broken()) ...
#ifndef OPBYOP_PROTOCOL_FRAME_H_
#define OPBYOP_PROTOCOL_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop::protocol {

// The largest message: tensors are passed in files. A larger prefix means that the stream is not this protocol.
inline constexpr uint32_t kMaxFrameBytes = 16u << 20;

// Returns the bytes of one frame; kInternal if the text is longer than kMaxFrameBytes.
Expected<std::string> EncodeFrame(std::string_view json);

// Writes one whole frame to a blocking descriptor.
Expected<void> WriteFrame(int fd, std::string_view json);

// Reads one whole frame from a blocking descriptor; nullopt at the end of the stream between two frames.
Expected<std::optional<std::string>> ReadFrame(int fd);

// Takes bytes as they arrive and returns each frame when it is complete.
class FrameReader {
 public:
  void Append(std::string_view bytes);

  // The next complete frame; nullopt if more bytes are needed or the stream is broken.
  std::optional<std::string> Next();

  // True once a length prefix was larger than kMaxFrameBytes; nothing can be read after it.
  bool broken() const { return broken_; }
  uint32_t broken_length() const { return broken_length_; }

  // The number of bytes of an incomplete frame.
  size_t pending() const { return buffer_.size() - position_; }

 private:
  std::string buffer_;
  size_t position_ = 0;
  bool broken_ = false;
  uint32_t broken_length_ = 0;
};

}  // namespace opbyop::protocol

#endif  // OPBYOP_PROTOCOL_FRAME_H_
