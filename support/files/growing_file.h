// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A document with a head, a growing body and a tail. It is complete whenever it is opened, even after a kill at any
// moment.
//
//   auto file = GrowingFile::Create("optest.json", "[", "\n]\n");
//   (*file)->Append("\n{...}");
//   (*file)->Publish("[");                          // the file now contains what was appended
//
// A kill may leave any part of a write, so nothing is written to the file that has the name: a second one, NAME.next,
// is written, and the two exchange their names. If the file system cannot exchange names, the single file is written in
// place, and a kill during a write may truncate it.
#ifndef OPBYOP_SUPPORT_FILES_GROWING_FILE_H_
#define OPBYOP_SUPPORT_FILES_GROWING_FILE_H_

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop {

class GrowingFile {
 public:
  // Replaces the file by head and tail; creates its folder if needed. Returns kNoInput with the system's reason.
  static Expected<std::unique_ptr<GrowingFile>> Create(const std::filesystem::path& path, std::string_view head,
                                                       std::string_view tail);
  // The document is kept; NAME.next is removed.
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // Collects `body` until the next Publish.
  void Append(std::string_view body) { pending_ += body; }

  // Writes the document with this head and everything appended so far. The head may be at most kSlack bytes longer than
  // the first one: it is padded with blanks and a newline. Returns kNoInput with the system's reason.
  Expected<void> Publish(std::string_view head);

  static constexpr size_t kSlack = 256;

 private:
  struct Side {
    int fd = -1;
    size_t body = 0;  // bytes of the body that it contains
  };

  GrowingFile(std::filesystem::path path, std::string_view head, std::string_view tail);
  Expected<void> Write(Side& side, std::string_view head, std::string_view body);

  std::filesystem::path path_;
  std::filesystem::path next_path_;
  size_t head_size_;
  std::string tail_;
  std::array<Side, 2> sides_;  // the file that has the name, and the next one
  std::string last_;           // the part of the body that only the first file has
  std::string pending_;
  bool in_place_ = false;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_GROWING_FILE_H_
