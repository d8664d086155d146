// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>

#include "support/files/file_tree.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

// The most processes that are examined, so that a worker that forks without end cannot make this take for ever.
constexpr size_t kMostProcesses = 20000;

fs::path FolderOf(pid_t pid) { return pid == 0 ? fs::path("/proc/self") : fs::path(fmt::format("/proc/{}", pid)); }

// Adds the numbers that follow these words in a file of /proc. Returns false if no line starts with the first word.
bool Add(const fs::path& file, std::string_view resident, std::string_view shared, MemoryUse& use) {
  std::ifstream lines(file);
  bool found = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(resident)) {
      use.resident_kb += std::stoll(line.substr(resident.size()));
      found = true;
    }
    if (line.starts_with(shared)) use.shared_kb += std::stoll(line.substr(shared.size()));
  }
  return found;
}

}  // namespace

std::string ReadProcFile(const std::string& path) {
  std::string text;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  std::array<char, 4096> buffer;
  for (ssize_t count; (count = ::read(fd, buffer.data(), buffer.size())) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  ::close(fd);
  return text;
}

// This is called before and after each request of a worker (support/process/strays.h), so it avoids the buffers of
// streams and of readdir.
std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  const std::string tasks = pid == 0 ? "/proc/self/task/" : fmt::format("/proc/{}/task/", pid);
  const int folder = ::open(tasks.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return children;
  alignas(dirent64) std::array<char, 2048> entries;
  for (ssize_t size; (size = ::getdents64(folder, entries.data(), entries.size())) > 0;) {
    for (ssize_t at = 0; at < size;) {
      const auto* const task = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += task->d_reclen;
      if (task->d_name[0] == '.') continue;
      const std::string text = ReadProcFile(fmt::format("{}{}/children", tasks, task->d_name));
      for (const char *next = text.data(), *end = next + text.size(); next < end; ++next) {
        pid_t child = 0;
        const auto [rest, failure] = std::from_chars(next, end, child);
        if (failure == std::errc()) children.push_back(child);
        next = rest;
      }
    }
  }
  ::close(folder);
  return children;
}

std::vector<pid_t> DescendantsOf(pid_t pid) {
  std::vector<pid_t> found = ChildrenOf(pid);
  for (size_t i = 0; i < found.size() && found.size() < kMostProcesses; ++i) {
    const std::vector<pid_t> children = ChildrenOf(found[i]);
    found.insert(found.end(), children.begin(), children.end());
  }
  return found;
}

std::optional<pid_t> NewestProcess(pid_t known) {
  static constexpr const char* kFile = "/proc/loadavg";  // 0.20 0.18 0.12 1/80 11206
  // A container may have a file of its own there, which is updated every few seconds.
  static const bool is_of_kernel = [] {
    struct statfs system = {};
    return ::statfs(kFile, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
  }();
  if (!is_of_kernel) return std::nullopt;
  const std::string text = ReadProcFile(kFile);
  const size_t before = text.rfind(' ');
  pid_t newest = 0;
  if (before != std::string::npos) std::from_chars(text.data() + before + 1, text.data() + text.size(), newest);
  return newest > 0 && newest >= known ? std::optional(newest) : std::nullopt;
}

const std::vector<pid_t>& Descendants::Of(pid_t pid) {
  const std::optional<pid_t> newest = NewestProcess(pid);
  if (pid == pid_ && newest && newest == newest_) return found_;
  found_ = DescendantsOf(pid);
  pid_ = pid;
  newest_ = newest;
  return found_;
}

MemoryUse MemoryOf(std::span<const pid_t> processes) {
  MemoryUse use;
  for (const pid_t pid : processes) Add(FolderOf(pid) / "status", "VmRSS:", "RssShmem:", use);
  return use;
}

double CpuMsOf(std::span<const pid_t> processes) {
  double ms = 0;
  for (const pid_t pid : processes) {
    clockid_t clock = 0;
    timespec time = {};
    if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) continue;
    ms += static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  }
  return ms;
}

MemoryUse ProportionalMemoryOf(std::span<const pid_t> processes) {
  MemoryUse use;
  for (const pid_t pid : processes) {
    // A process whose file may not be read (it changed its user, say) counts in full.
    if (!Add(FolderOf(pid) / "smaps_rollup", "Pss:", "Pss_Shmem:", use)) use += MemoryOf({&pid, 1});
  }
  return use;
}

int64_t MemoryOfFolderKb(const fs::path& folder) {
  struct statfs system = {};
  if (folder.empty() || ::statfs(folder.c_str(), &system) != 0) return 0;
  if (system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC) return 0;
  constexpr int64_t kBlockBytes = 512;  // the unit of st_blocks on every file system
  int64_t blocks = 0;
  VisitTree(folder, [&](const struct stat& file) {
    if (S_ISREG(file.st_mode)) blocks += file.st_blocks;
    return true;
  });
  return blocks * kBlockBytes / 1024;
}

}  // namespace opbyop
