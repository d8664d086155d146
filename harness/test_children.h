// For tests: what this process has started and not yet waited for.
//
//   EXPECT_THAT(TestChildren(), IsEmpty());
#ifndef OPBYOP_HARNESS_TEST_CHILDREN_H_
#define OPBYOP_HARNESS_TEST_CHILDREN_H_

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace opbyop {

// Pids, those of zombies included.
inline std::vector<pid_t> TestChildren() {
  std::vector<pid_t> children;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (pid_t pid; file >> pid;) children.push_back(pid);
  }
  return children;
}

}  // namespace opbyop

#endif  // OPBYOP_HARNESS_TEST_CHILDREN_H_
