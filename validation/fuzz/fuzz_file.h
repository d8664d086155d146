// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stores the input of a fuzz target as a file, for readers that take a path.
//
//   LoadTarget(FuzzFile("target.yaml", data, size));
//
// The file is in a separate folder, which is removed when the program ends, and is overwritten with each input.
#ifndef OPBYOP_VALIDATION_FUZZ_FUZZ_FILE_H_
#define OPBYOP_VALIDATION_FUZZ_FUZZ_FILE_H_

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop {

class FuzzFolder {
 public:
  FuzzFolder() : path_((std::filesystem::temp_directory_path() / "opbyop-fuzz-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) __builtin_trap();
  }
  ~FuzzFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;
  std::filesystem::path path() const { return path_; }

 private:
  std::string path_;
};

inline const std::filesystem::path& FuzzFolderPath() {
  static const FuzzFolder folder;
  static const std::filesystem::path path = folder.path();
  return path;
}

inline std::filesystem::path FuzzFile(std::string_view name, const uint8_t* data, size_t size) {
  const std::filesystem::path path = FuzzFolderPath() / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return path;
}

// Checks that a refusal of a file names the place: "FILE:LINE: what".
inline void CheckRefusal(const Error& error, const std::filesystem::path& path) {
  const std::string place = path.string() + ":";
  if (!error.message.starts_with(place)) __builtin_trap();
  const size_t digits = error.message.find_first_not_of("0123456789", place.size());
  if (digits == place.size() || digits == std::string::npos || error.message[digits] != ':') __builtin_trap();
  if (error.message[place.size()] == '0') __builtin_trap();
}

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_FUZZ_FUZZ_FILE_H_
