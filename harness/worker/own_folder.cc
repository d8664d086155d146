// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/own_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "support/files/file_tree.h"

namespace opbyop::harness {
namespace {

constexpr mode_t kAllBits = 07777;
constexpr const char* kDefaultAccessList = "system.posix_acl_default";

bool IsFolder(const std::filesystem::path& path, struct stat& status) {
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

bool RestoreFolder(const std::filesystem::path& folder) {
  struct stat status = {};
  if (!IsFolder(folder, status)) {
    (void)RemoveTree(folder);
    if (::mkdir(folder.c_str(), S_IRWXU) != 0 || !IsFolder(folder, status)) return false;
  }
  // Nothing here follows a link: if a program replaces the folder meanwhile, the new file is not changed.
  if (status.st_uid != ::geteuid()) (void)!::lchown(folder.c_str(), ::geteuid(), ::getegid());
  ::lremovexattr(folder.c_str(), kDefaultAccessList);
  return (status.st_mode & kAllBits) == S_IRWXU ||
         ::fchmodat(AT_FDCWD, folder.c_str(), S_IRWXU, AT_SYMLINK_NOFOLLOW) == 0;
}

void GrantOwnerAccess(const std::filesystem::path& folder) {
  struct stat status = {};
  if (!IsFolder(folder, status) || (status.st_mode & S_IRWXU) == S_IRWXU) return;
  ::fchmodat(AT_FDCWD, folder.c_str(), (status.st_mode & kAllBits) | S_IRWXU, AT_SYMLINK_NOFOLLOW);
}

}  // namespace opbyop::harness
