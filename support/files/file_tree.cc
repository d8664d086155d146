// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/files/file_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// The number of folders below the top that are open at a time while a tree is removed.
constexpr int kOpenFolders = 8;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// Opens `name` in `parent`, unless it is a link or a mount point.
int OpenBelow(int parent, const char* name) {
  open_how how = {};
  how.flags = kFolderFlags;
  how.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS;
  const auto fd = static_cast<int>(::syscall(SYS_openat2, parent, name, &how, sizeof how));
  // Kernels before 5.6 lack the call, and some containers forbid it.
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) return ::openat(parent, name, kFolderFlags);
  return fd;
}

// Takes ownership of `fd`, which may be -1.
Folder FolderOf(int fd) {
  Folder folder(fd < 0 ? nullptr : ::fdopendir(fd));
  if (folder == nullptr && fd >= 0) ::close(fd);
  return folder;
}

bool IsSelfOrParent(std::string_view name) { return name == "." || name == ".."; }

bool IsFolder(int parent, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status = {};
  return ::fstatat(parent, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

// Removes everything below one folder. It descends a few levels. Folders below those are moved up into the top folder,
// which is read again until nothing is left. Memory and descriptors therefore do not grow with the depth.
class Remover {
 public:
  // Opens a folder with `open()`, after making it accessible to its owner if needed.
  template <typename Open>
  static int OpenForRemoval(int parent, const char* name, Open open) {
    int fd = open();
    if (fd < 0 && errno == EACCES && ::fchmodat(parent, name, S_IRWXU, AT_SYMLINK_NOFOLLOW) == 0) fd = open();
    struct stat status = {};
    if (fd >= 0 && ::fstat(fd, &status) == 0 && (status.st_mode & S_IRWXU) != S_IRWXU) ::fchmod(fd, S_IRWXU);
    return fd;
  }

  explicit Remover(DIR* top) : top_(top) {}

  void Empty() { EmptyFolder(top_, 0); }

  // The first file that could not be removed, with the system's reason.
  const std::string& failure() const { return failure_; }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): no deeper than kOpenFolders
  void EmptyFolder(DIR* folder, int depth) {
    uint64_t seen = 0;
    uint64_t gone = 0;
    uint64_t moved = 0;
    // Some file systems skip entries while others are removed, so the folder is read until it is empty.
    do {
      seen = gone = 0;
      moved = moved_;
      ::rewinddir(folder);
      while (const dirent* entry = ::readdir(folder)) {
        if (IsSelfOrParent(entry->d_name)) continue;
        ++seen;
        const bool is_folder = IsFolder(::dirfd(folder), *entry);
        if (is_folder ? RemoveFolder(folder, entry->d_name, depth) : Unlink(folder, entry->d_name, 0)) ++gone;
      }
    } while (seen > 0 && (gone > 0 || moved != moved_));
  }

  bool Unlink(DIR* folder, const char* name, int flags) {
    return ::unlinkat(::dirfd(folder), name, flags) == 0 || errno == ENOENT || Fail(name);
  }

  // NOLINTNEXTLINE(misc-no-recursion): no deeper than kOpenFolders
  bool RemoveFolder(DIR* folder, const char* name, int depth) {
    const int parent = ::dirfd(folder);
    if (::unlinkat(parent, name, AT_REMOVEDIR) == 0) return true;
    Folder below = FolderOf(OpenForRemoval(parent, name, [&] { return OpenBelow(parent, name); }));
    const bool too_many_open = below == nullptr && (errno == EMFILE || errno == ENFILE);
    if (depth > 0 && (depth == kOpenFolders || too_many_open)) return MoveUp(parent, name);
    if (below == nullptr) return Fail(name);
    EmptyFolder(below.get(), depth + 1);
    return Unlink(folder, name, AT_REMOVEDIR);
  }

  bool MoveUp(int parent, const char* name) {
    // renameat refuses a name that exists, except that of an empty folder, which it replaces.
    do {
      if (::renameat(parent, name, ::dirfd(top_), fmt::format("{}", moved_++).c_str()) == 0) return true;
    } while (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR);
    return Fail(name);
  }

  bool Fail(std::string_view name) {
    if (failure_.empty()) failure_ = fmt::format("`{}` in it cannot be removed: {}", name, std::strerror(errno));
    return false;
  }

  DIR* top_;
  uint64_t moved_ = 0;
  std::string failure_;
};

}  // namespace

Expected<void> RemoveTree(const std::filesystem::path& top) {
  if (::unlinkat(AT_FDCWD, top.c_str(), 0) == 0 || errno == ENOENT) return {};
  const auto fail = [&](std::string_view why) {
    return MakeError(ExitCode::kNoInput, fmt::format("{}: {}", top.string(), why));
  };
  const int fd = Remover::OpenForRemoval(AT_FDCWD, top.c_str(), [&] { return ::open(top.c_str(), kFolderFlags); });
  const Folder folder = FolderOf(fd);
  if (folder == nullptr) return fail(fmt::format("cannot be removed: {}", std::strerror(errno)));
  Remover remover(folder.get());
  remover.Empty();
  if (::unlinkat(AT_FDCWD, top.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
  if (!remover.failure().empty()) return fail(remover.failure());
  return fail(fmt::format("cannot be removed: {}", std::strerror(errno)));
}

bool VisitTree(const std::filesystem::path& top, const std::function<bool(const struct stat&)>& visit) {
  struct Level {
    dev_t device;
    ino_t inode;
    long position;
  };
  std::vector<Level> above;
  const auto open = [&] { return ::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); };
  Folder folder = FolderOf(open());
  if (folder == nullptr && ::fchmodat(AT_FDCWD, top.c_str(), S_IRWXU, AT_SYMLINK_NOFOLLOW) == 0) {
    folder = FolderOf(open());
  }
  if (folder == nullptr) return true;
  struct stat status = {};
  while (true) {
    const dirent* entry = ::readdir(folder.get());
    const int fd = ::dirfd(folder.get());
    if (entry == nullptr) {
      if (above.empty()) return true;
      const Level level = above.back();
      above.pop_back();
      Folder parent = FolderOf(::openat(fd, "..", kFolderFlags));
      if (parent == nullptr || ::fstat(::dirfd(parent.get()), &status) != 0 || status.st_dev != level.device ||
          status.st_ino != level.inode) {
        return false;
      }
      folder = std::move(parent);
      ::seekdir(folder.get(), level.position);
      continue;
    }
    if (IsSelfOrParent(entry->d_name)) continue;
    if (::fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISDIR(status.st_mode)) {
      if (!visit(status)) return false;
      continue;
    }
    // A folder that still cannot be searched has nothing to show, and could not be left again.
    if (::faccessat(fd, entry->d_name, R_OK | X_OK, AT_EACCESS) != 0 &&
        ::fchmodat(fd, entry->d_name, S_IRWXU, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    Folder below = FolderOf(OpenBelow(fd, entry->d_name));
    if (below == nullptr || ::fstat(fd, &status) != 0) continue;
    above.push_back({status.st_dev, status.st_ino, ::telldir(folder.get())});
    folder = std::move(below);
  }
}

}  // namespace opbyop
