// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A large file written piece by piece; the first failure is kept and told by Close. It appears under its name, whole,
// when it is closed; its folder is made where it is missing.
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

  // kNoInput where anything could not be written.
  Expected<void> Close();

 private:
  OutputFile(std::filesystem::path path, std::filesystem::path part);
  void Flush();

  std::filesystem::path path_;
  std::filesystem::path part_;  // what is written until Close; empty behind it
  std::ofstream stream_;
  std::string pending_;  // the stream would write each piece of a kilobyte by itself
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_OUTPUT_FILE_H_
