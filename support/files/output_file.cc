// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "support/files/special_file.h"

namespace opbyop {
namespace {

constexpr size_t kPendingBytes = 64 << 10;

Error NotWritten(const std::filesystem::path& path) {
  return {ExitCode::kNoInput,
          fmt::format("{}: cannot be written; is the disk full, or the folder not yours to write?", path.string())};
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path, std::filesystem::path part)
    : path_(std::move(path)), part_(std::move(part)), stream_(part_.empty() ? path_ : part_, std::ios::binary) {}

OutputFile::~OutputFile() {
  std::error_code error;
  if (!part_.empty()) std::filesystem::remove(part_, error);
}

Expected<std::unique_ptr<OutputFile>> OutputFile::Create(const std::filesystem::path& path) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  // A device or a pipe is written in place.
  const std::string part =
      IsSpecialFile(path) ? "" : fmt::format("{}.part{}", path.string(), static_cast<long>(::getpid()));
  if (!part.empty()) ::unlink(part.c_str());  // another program's draft, or a link to another file
  std::unique_ptr<OutputFile> file(new OutputFile(path, part));
  if (!file->stream_) return Unexpected(NotWritten(path));
  return file;
}

void OutputFile::Write(std::string_view bytes) {
  pending_ += bytes;
  if (pending_.size() >= kPendingBytes) Flush();
}

void OutputFile::Flush() {
  stream_.write(pending_.data(), static_cast<std::streamsize>(pending_.size()));
  pending_.clear();
}

Expected<void> OutputFile::Close() {
  Flush();
  stream_.close();
  if (!stream_) return Unexpected(NotWritten(path_));
  if (part_.empty()) return {};
  std::error_code error;
  std::filesystem::rename(part_, path_, error);
  if (error) return Unexpected(NotWritten(path_));
  part_.clear();
  return {};
}

}  // namespace opbyop
