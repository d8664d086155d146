// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A document with a head, a body that grows and a tail, whole whenever it is opened and after a kill at any moment.
//
//   auto file = GrowingFile::Create("optest.json", "[", "\n]\n");
//   (*file)->Append("\n{...}");
//   (*file)->Publish("[");                          // the name now has the document with what was appended
//
// A kill may leave any part of a write, so no write goes to the file that has the name: it goes to a second one,
// NAME.next, and the two change names. Where the file system cannot exchange names, the one file is written in place,
// and a kill within that single write may cut it.
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
  // Replaces the file by head and tail; its folder is made where it is missing. kNoInput with the system's reason.
  static Expected<std::unique_ptr<GrowingFile>> Create(const std::filesystem::path& path, std::string_view head,
                                                       std::string_view tail);
  // The document stays, NAME.next goes.
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // Kept until the next Publish.
  void Append(std::string_view body) { pending_ += body; }

  // The document with this head and all that was appended. A head may exceed the first one by at most kSlack bytes: it
  // is followed by so many blanks and a newline. kNoInput with the system's reason.
  Expected<void> Publish(std::string_view head);

  static constexpr size_t kSlack = 256;

 private:
  struct Side {
    int fd = -1;
    size_t body = 0;  // bytes of the body that it has
  };

  GrowingFile(std::filesystem::path path, std::string_view head, std::string_view tail);
  Expected<void> Write(Side& side, std::string_view head, std::string_view body);

  std::filesystem::path path_;
  std::filesystem::path next_path_;
  size_t head_size_;
  std::string tail_;
  std::array<Side, 2> sides_;  // the one that has the name, and the next
  std::string last_;           // the part of the body that only the first one has
  std::string pending_;
  bool in_place_ = false;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_GROWING_FILE_H_
