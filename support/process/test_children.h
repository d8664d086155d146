// For tests: what this process has started and not yet waited for.
//
//   EXPECT_THAT(TestChildren(), IsEmpty());
#ifndef OPBYOP_SUPPORT_PROCESS_TEST_CHILDREN_H_
#define OPBYOP_SUPPORT_PROCESS_TEST_CHILDREN_H_

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace opbyop {

// Pids, those of zombies included; none where there is no such process.
inline std::vector<pid_t> ChildrenOf(const std::string& process) {
  std::vector<pid_t> children;
  std::error_code gone;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + process + "/task", gone)) {
    std::ifstream file(task.path() / "children");
    for (pid_t pid; file >> pid;) children.push_back(pid);
  }
  return children;
}

// The workers of a run: each is the child of a supervisor.
inline std::vector<pid_t> WorkersOf(const std::string& process) {
  std::vector<pid_t> workers;
  for (const pid_t supervisor : ChildrenOf(process)) {
    for (const pid_t worker : ChildrenOf(std::to_string(supervisor))) workers.push_back(worker);
  }
  return workers;
}

inline std::vector<pid_t> TestChildren() { return ChildrenOf("self"); }

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_PROCESS_TEST_CHILDREN_H_
