// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For tests: a folder that is removed with its owner, the programs of this build and the files of the project.
//
//   TestFolder folder;
//   std::ofstream(folder.path() / "model.mlir") << text;
//   Run({TestProgram("opbyop"), "split", TestSource("fixtures/models/ffnn.mlirbc"), ...});
#ifndef OPBYOP_SUPPORT_TEST_FOLDER_H_
#define OPBYOP_SUPPORT_TEST_FOLDER_H_

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace opbyop {

class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "opbyop-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// How long a test waits for a program that must end: much longer than it takes on a slow machine under a sanitizer. A
// test is never about how long something takes, and CTest has a limit of its own for one that hangs.
inline constexpr std::chrono::minutes kTestPatience{10};

inline std::string TestProgram(const std::string& name) {
  const char* folder = std::getenv("OPBYOP_BIN_DIR");
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  return (folder == nullptr ? self.parent_path() : std::filesystem::path(folder)) / name;
}

// The path of a file of the project, given relative to the project's folder.
inline std::string TestSource(const std::string& file) {
  const char* folder = std::getenv("OPBYOP_SOURCE_DIR");
  return std::filesystem::path(folder == nullptr ? "." : folder) / file;
}

// A folder of other projects' test data (fixtures/corpora/folder.py), which may be absent: "corpora/stablehlo/math".
inline std::filesystem::path TestCorpora(const std::string& name) {
  const char* named = std::getenv("OPBYOP_CORPORA");
  if (named != nullptr && *named != '\0') return std::filesystem::path(TestSource(named)) / name;
  const std::filesystem::path fetched = TestSource(".corpora");
  return (exists(fetched) ? fetched : std::filesystem::path(TestSource("fixtures/corpora/part"))) / name;
}

// The message for GTEST_SKIP.
inline std::string NoCorpora(const std::filesystem::path& path) {
  return path.string() + " is not there; './dev corpora' fetches it, or set OPBYOP_CORPORA";
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEST_FOLDER_H_
