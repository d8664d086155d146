// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/process/landlock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace opbyop {
namespace {

namespace fs = std::filesystem;

// Newer than the headers of the oldest systems that this is built on.
constexpr uint64_t kTruncate = 1ull << 14;
constexpr uint64_t kBindTcp = 1ull << 0, kConnectTcp = 1ull << 1;
constexpr uint64_t kScopeSignal = 1ull << 1;
constexpr int kTruncateAbi = 3, kNetworkAbi = 4;

struct RulesetAttributes {
  uint64_t filesystem;
  uint64_t network;
  uint64_t scoped;
};

constexpr uint64_t kChangeFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr uint64_t kChangeFolder =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

Expected<void> Refused(std::string_view what) {
  return MakeError(ExitCode::kInternal, fmt::format("Landlock: {}: {}", what, std::strerror(errno)));
}

// Grants `rights` below `path`, or on the file itself, for which only the rights that apply to files are granted.
Expected<void> Allow(int ruleset, const fs::path& path, uint64_t rights) {
  const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return {};
  struct stat status = {};
  ::fstat(fd, &status);
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = S_ISDIR(status.st_mode) ? rights : rights & (kChangeFile | kTruncate);
  rule.parent_fd = fd;
  const long added = ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  const int error = errno;
  ::close(fd);
  errno = error;
  if (added != 0) return Refused(path.string());
  return {};
}

// Devices stay usable, whatever their names. /dev/shm is an ordinary folder, and contains the tensors of other cases.
std::vector<fs::path> Devices() {
  std::vector<fs::path> devices;
  std::error_code error;
  for (fs::directory_iterator it("/dev", error), end; !error && it != end; it.increment(error)) {
    const fs::path name = it->path().filename();
    if (name != "shm" && !it->is_symlink(error)) devices.push_back(it->path());
  }
  return devices;
}

}  // namespace

int LandlockAbi() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

Expected<void> Restrict(const Restriction& restriction) {
  const int abi = LandlockAbi();
  RulesetAttributes attributes = {};
  attributes.filesystem = kChangeFile | kChangeFolder;
  // Moving and linking files between folders is possible only if the kernel knows this right and it is granted.
  if (abi >= 2) attributes.filesystem |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= kTruncateAbi) attributes.filesystem |= kTruncate;
  if (abi >= kNetworkAbi && !restriction.network) attributes.network = kBindTcp | kConnectTcp;
  if (abi >= kLandlockSignalAbi) attributes.scoped = kScopeSignal;
  // An older kernel knows only the first fields.
  const size_t size = abi >= kLandlockSignalAbi ? 24 : (abi >= kNetworkAbi ? 16 : 8);
  const int ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
  if (ruleset < 0) return Refused("no rules can be made");
  Expected<void> done;
  // If the worker is root, a device that it creates could be any disk of the machine.
  const uint64_t folder_rights =
      attributes.filesystem & ~(LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK);
  for (const fs::path& folder : restriction.writable) {
    if (done) done = Allow(ruleset, folder, folder_rights);
  }
  const uint64_t device_rights = attributes.filesystem & (kChangeFile | kTruncate);
  for (const fs::path& device : Devices()) {
    if (done) done = Allow(ruleset, device, device_rights);
  }
  // The worker may only change itself among the processes in /proc, because the kernel kills the process with the
  // largest oom_score_adj.
  if (done) done = Allow(ruleset, "/proc/self", device_rights);
  if (done && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) done = Refused("no_new_privs");
  if (done && ::syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) done = Refused("the rules cannot be applied");
  ::close(ruleset);
  return done;
}

}  // namespace opbyop
