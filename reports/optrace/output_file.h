// A large file written piece by piece; the first failure is kept and told by Close.
//
//   auto file = OutputFile::Create(path);
//   (*file)->Write(bytes);
//   return (*file)->Close();
#ifndef OPBYOP_REPORTS_OPTRACE_OUTPUT_FILE_H_
#define OPBYOP_REPORTS_OPTRACE_OUTPUT_FILE_H_

#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "support/expected.h"

namespace opbyop::optrace {

class OutputFile {
 public:
  static Expected<std::unique_ptr<OutputFile>> Create(const std::filesystem::path& path);

  void Write(std::string_view bytes) { stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); }

  // kNoInput where anything could not be written.
  Expected<void> Close();

 private:
  explicit OutputFile(const std::filesystem::path& path) : path_(path), stream_(path, std::ios::binary) {}

  std::filesystem::path path_;
  std::ofstream stream_;
};

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_OUTPUT_FILE_H_
