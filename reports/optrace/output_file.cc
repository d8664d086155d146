#include "reports/optrace/output_file.h"

#include <fmt/format.h>

namespace opbyop::optrace {
namespace {

Error NotWritten(const std::filesystem::path& path) {
  return {ExitCode::kNoInput,
          fmt::format("{}: cannot be written; is the disk full, or the folder missing?", path.string())};
}

}  // namespace

Expected<std::unique_ptr<OutputFile>> OutputFile::Create(const std::filesystem::path& path) {
  std::unique_ptr<OutputFile> file(new OutputFile(path));
  if (!file->stream_) return Unexpected(NotWritten(path));
  return file;
}

Expected<void> OutputFile::Close() {
  stream_.close();
  if (!stream_) return Unexpected(NotWritten(path_));
  return {};
}

}  // namespace opbyop::optrace
