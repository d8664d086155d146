// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/growing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "support/files/special_file.h"

namespace opbyop {
namespace {

tl::unexpected<Error> NotWritable(const std::filesystem::path& path) {
  return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace

GrowingFile::GrowingFile(std::filesystem::path path, std::string_view head, std::string_view tail)
    : path_(std::move(path)), next_path_(path_.string() + ".next"), head_size_(head.size() + kSlack), tail_(tail) {}

Expected<std::unique_ptr<GrowingFile>> GrowingFile::Create(const std::filesystem::path& path, std::string_view head,
                                                           std::string_view tail) {
  if (IsSpecialFile(path)) {
    return MakeError(
        ExitCode::kNoInput,
        fmt::format("{}: is a device or a pipe, expected a file: what is written there grows in the middle",
                    path.string()));
  }
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  std::unique_ptr<GrowingFile> file(new GrowingFile(path, head, tail));
  for (Side& side : file->sides_) {
    // The first file is also created under the other name and then renamed, so that it is never seen empty. A file that
    // an earlier program left there is removed, and a link is not followed.
    ::unlink(file->next_path_.c_str());
    side.fd = ::open(file->next_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (side.fd < 0) return NotWritable(path);
    if (const Expected<void> written = file->Write(side, head, ""); !written) return Unexpected(written.error());
    if (&side == &file->sides_[0] && ::rename(file->next_path_.c_str(), path.c_str()) != 0) return NotWritable(path);
  }
  return file;
}

GrowingFile::~GrowingFile() {
  for (const Side& side : sides_) {
    if (side.fd >= 0) ::close(side.fd);
  }
  ::unlink(next_path_.c_str());
}

Expected<void> GrowingFile::Publish(std::string_view head) {
  if (!in_place_) {
    if (const Expected<void> written = Write(sides_[1], head, last_ + pending_); !written) return written;
    if (::renameat2(AT_FDCWD, next_path_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0) {
      std::swap(sides_[0], sides_[1]);
      last_ = std::exchange(pending_, "");
      return {};
    }
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return NotWritable(path_);
    in_place_ = true;
  }
  return Write(sides_[0], head, std::exchange(pending_, ""));
}

Expected<void> GrowingFile::Write(Side& side, std::string_view head, std::string_view body) {
  if (head.size() >= head_size_) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: its head grew by more than {} bytes", path_.string(), kSlack));
  }
  std::string padded(head);
  padded.resize(head_size_ - 1, ' ');
  padded += '\n';
  // The body and the tail are written first: even with the old head, the document is then complete.
  const std::string rest = std::string(body) + tail_;
  for (const auto& [text, at] : {std::pair(std::string_view(rest), head_size_ + side.body), {padded, 0}}) {
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = ::pwrite(side.fd, text.data() + done, text.size() - done, static_cast<off_t>(at + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return NotWritable(path_);
      done += static_cast<size_t>(count);
    }
  }
  side.body += body.size();
  return {};
}

}  // namespace opbyop
