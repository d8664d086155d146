// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A large file that is written in pieces. Close returns the first failure. The file appears under its name, complete,
// when it is closed; its folder is created if needed.
//
//   auto file = OutputFile::Create(path);
//   (*file)->Write(bytes);
//   return (*file)->Close();
#ifndef OPBYOP_SUPPORT_FILES_OUTPUT_FILE_H_
#define OPBYOP_SUPPORT_FILES_OUTPUT_FILE_H_

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop {

class OutputFile {
 public:
  static Expected<std::unique_ptr<OutputFile>> Create(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(std::string_view bytes);

  // Returns kNoInput if anything could not be written.
  Expected<void> Close();

 private:
  OutputFile(std::filesystem::path path, std::filesystem::path part);
  void Flush();

  std::filesystem::path path_;
  std::filesystem::path part_;  // the file that is written until Close; empty afterwards
  std::ofstream stream_;
  std::string pending_;  // collects pieces, because the stream would write each kilobyte separately
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_OUTPUT_FILE_H_
