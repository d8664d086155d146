// For tests: a folder that goes with its owner, the programs of this build, and this process's children.
#ifndef OPBYOP_HARNESS_TEST_FOLDER_H_
#define OPBYOP_HARNESS_TEST_FOLDER_H_

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

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

inline std::string TestProgram(const std::string& name) {
  const char* folder = std::getenv("OPBYOP_BIN_DIR");
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  return (folder == nullptr ? self.parent_path() : std::filesystem::path(folder)) / name;
}

inline std::string TestSource(const std::string& file) {
  const char* folder = std::getenv("OPBYOP_SOURCE_DIR");
  return std::filesystem::path(folder == nullptr ? "." : folder) / file;
}

// Pids of this process's children, zombies included.
inline std::vector<pid_t> TestChildren() {
  std::vector<pid_t> children;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (pid_t pid; file >> pid;) children.push_back(pid);
  }
  return children;
}

}  // namespace opbyop

#endif  // OPBYOP_HARNESS_TEST_FOLDER_H_
