// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "harness/worker/own_folder.h"
#include "manifests/cases/case.h"
#include "support/dtype.h"
#include "support/files/file_tree.h"
#include "support/saturated.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

std::string Prefix() { return fmt::format("opbyop-{}-", ::getuid()); }

// Prefix of folders that do not have their lock yet.
std::string DraftPrefix() { return fmt::format("opbyop-new-{}-", ::getuid()); }

// Opens the lock of a folder, whatever their modes are; -1 and errno if there is none.
int OpenLock(const fs::path& folder) {
  const fs::path lock = folder / "lock";
  const int fd = ::open(lock.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0 || errno != EACCES) return fd;
  GrantOwnerAccess(folder);
  ::fchmodat(AT_FDCWD, lock.c_str(), S_IRUSR | S_IWUSR, AT_SYMLINK_NOFOLLOW);
  return ::open(lock.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
}

// Removes folders whose owner is dead: their lock is free. A folder without a lock was only partly removed, unless it
// is a draft, which may still get its lock.
void RemoveStale(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(Prefix()) || name.starts_with(DraftPrefix())) found.push_back(it->path());
  }
  for (const fs::path& folder : found) {
    const int fd = OpenLock(folder);
    const bool is_partly_removed = fd < 0 && errno == ENOENT && folder.filename().string().starts_with(Prefix());
    if (is_partly_removed || (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0)) (void)RemoveTree(folder);
    if (fd >= 0) ::close(fd);
  }
}

int64_t FreeBytes(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return error ? 0 : static_cast<int64_t>(space.available);
}

}  // namespace

Expected<Scratch::Root> Scratch::OpenRoot(const fs::path& parent) {
  const auto failure = [&] {
    return Error{ExitCode::kNoInput,
                 fmt::format("no scratch folder can be made in {}: {}", parent.string(), std::strerror(errno))};
  };
  std::string draft = (parent / (DraftPrefix() + "XXXXXX")).string();
  if (::mkdtemp(draft.data()) == nullptr) return Unexpected(failure());
  Root root;
  root.folder = parent / (Prefix() + draft.substr(draft.size() - 6));
  root.lock_fd = ::open((draft + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  // Lock the folder before it gets its name, so that a sweep never finds a folder in use without a lock.
  if (root.lock_fd < 0 || ::flock(root.lock_fd, LOCK_EX) != 0 || ::rename(draft.c_str(), root.folder.c_str()) != 0) {
    const Error error = failure();
    (void)RemoveTree(draft);
    if (root.lock_fd >= 0) ::close(root.lock_fd);
    return Unexpected(error);
  }
  root.budget = FreeBytes(parent) / 2;
  return root;
}

Expected<std::unique_ptr<Scratch>> Scratch::Open(std::vector<fs::path> roots, int64_t least) {
  if (roots.empty()) {
    const char* temporary = std::getenv("TMPDIR");
    roots = {"/dev/shm", temporary != nullptr && *temporary != '\0' ? temporary : "/tmp"};
  }
  std::unique_ptr<Scratch> scratch(new Scratch);
  Error last;
  for (const fs::path& parent : roots) {
    RemoveStale(parent);
    if (parent != roots.back() && FreeBytes(parent) < least) continue;
    Expected<Root> root = OpenRoot(parent);
    if (root) {
      scratch->roots_.push_back(std::move(*root));
    } else {
      last = root.error();
    }
  }
  if (scratch->roots_.empty()) return Unexpected(last);
  return scratch;
}

Scratch::~Scratch() {
  for (const Root& root : roots_) {
    (void)RemoveTree(root.folder);
    if (root.lock_fd >= 0) ::close(root.lock_fd);
  }
}

std::vector<fs::path> Scratch::folders() const {
  std::vector<fs::path> folders;
  folders.reserve(roots_.size());
  for (const Root& root : roots_) folders.push_back(root.folder);
  return folders;
}

std::vector<fs::path> Scratch::MakeSlot(std::string_view slot) {
  RemoveSlot(slot);
  std::vector<fs::path> folders;
  for (const Root& root : roots_) {
    if (RestoreFolder(root.folder / slot)) folders.push_back(root.folder / slot);
  }
  return folders;
}

void Scratch::RemoveSlot(std::string_view slot) {
  for (const Root& root : roots_) {
    const fs::path folder = root.folder / slot;
    (void)RemoveTree(folder);
    const std::lock_guard lock(mutex_);
    std::erase_if(kept_, [&](const fs::path& path) { return path.parent_path() == folder; });
  }
}

fs::path Scratch::MakeTemporary(std::string_view name, std::string_view slot) {
  fs::path folder = roots_.back().folder / slot / name;
  if (!RestoreFolder(folder)) return {};
  const std::lock_guard lock(mutex_);
  kept_.insert(folder);
  return folder;
}

void Scratch::RestoreSlot(std::string_view slot) {
  std::vector<fs::path> kept;
  {
    const std::lock_guard lock(mutex_);
    kept.assign(kept_.begin(), kept_.end());
  }
  for (const Root& root : roots_) {
    const fs::path folder = root.folder / slot;
    RestoreFolder(root.folder);
    RestoreFolder(folder);
    std::vector<fs::path> strange;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (!std::ranges::binary_search(kept, it->path())) strange.push_back(it->path());
    }
    for (const fs::path& path : strange) (void)RemoveTree(path);
    for (const fs::path& path : kept) {
      if (path.parent_path() == folder) RestoreFolder(path);
    }
  }
}

size_t Scratch::Choose(int64_t bytes) const {
  const size_t last = roots_.size() - 1;
  for (size_t i = 0; i < last; ++i) {
    if (roots_[i].budget >= bytes && FreeBytes(roots_[i].folder) / 2 >= bytes) return i;
  }
  return last;
}

Expected<ScratchDir> Scratch::Make(std::string_view name, int64_t bytes, std::string_view slot) {
  if (!slot.empty()) RestoreSlot(slot);
  const std::lock_guard lock(mutex_);
  const size_t chosen = Choose(bytes);
  // The name of the next folder can be guessed, and a worker may create it first.
  constexpr int kTries = 100;
  fs::path path;
  bool made = false;
  for (int i = 0; i < kTries && !made; ++i) {
    path = roots_[chosen].folder / slot / fmt::format("{}-{}", ++made_, name.substr(0, 200));
    made = ::mkdir(path.c_str(), S_IRWXU) == 0;
    if (!made && errno != EEXIST) break;
  }
  if (!made || !RestoreFolder(path)) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("the scratch folder {} cannot be made: {}", path.string(), std::strerror(errno)));
  }
  roots_[chosen].budget -= bytes;
  if (!slot.empty()) kept_.insert(path);
  return ScratchDir(this, chosen, path, bytes);
}

void Scratch::Release(const ScratchDir& dir) {
  (void)RemoveTree(dir.path_);
  const std::lock_guard lock(mutex_);
  kept_.erase(dir.path_);
  roots_[dir.root_].budget += dir.bytes_;
}

ScratchDir::ScratchDir(ScratchDir&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)),
      root_(other.root_),
      path_(std::move(other.path_)),
      bytes_(other.bytes_) {}

ScratchDir::~ScratchDir() {
  if (owner_ != nullptr) owner_->Release(*this);
}

int64_t ScratchBytes(const Case& c) {
  // More than any machine has, and small enough that the sizes of many cases can be added up.
  constexpr int64_t kMost = int64_t{1} << 50;
  int64_t bytes = 0;
  for (const TensorType& type : c.inputs) bytes = AddCapped(bytes, StoredBytes(type));
  for (const TensorType& type : c.outputs) bytes = AddCapped(bytes, MulCapped(2, StoredBytes(type)));
  return std::min(MulCapped(bytes, c.grid.processes()), kMost);
}

}  // namespace opbyop::harness
