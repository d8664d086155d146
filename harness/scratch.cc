// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "manifests/case.h"
#include "support/dtype.h"
#include "support/saturated.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

std::string Prefix() { return fmt::format("opbyop-{}-", ::getuid()); }

// Removes folders whose owner is dead: nobody holds their lock.
void RemoveStale(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    if (!entry.path().filename().string().starts_with(Prefix())) continue;
    const int fd = ::open((entry.path() / "lock").c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), error);
    ::close(fd);
  }
}

}  // namespace

Expected<Scratch::Root> Scratch::OpenRoot(const fs::path& parent) {
  std::string folder = (parent / (Prefix() + "XXXXXX")).string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("no scratch folder can be made in {}: {}", parent.string(), std::strerror(errno)));
  }
  Root root;
  root.folder = folder;
  // Locked before it has its name: a sweep never sees a lock of the living that is still open.
  const std::string draft = root.folder / "lock.new";
  root.lock_fd = ::open(draft.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (root.lock_fd >= 0 && ::flock(root.lock_fd, LOCK_EX) == 0) ::rename(draft.c_str(), (root.folder / "lock").c_str());
  std::error_code error;
  const fs::space_info space = fs::space(parent, error);
  root.budget = error ? 0 : static_cast<int64_t>(space.available / 2);
  return root;
}

Expected<std::unique_ptr<Scratch>> Scratch::Open(std::vector<fs::path> roots) {
  if (roots.empty()) {
    const char* temporary = std::getenv("TMPDIR");
    roots = {"/dev/shm", temporary != nullptr && *temporary != '\0' ? temporary : "/tmp"};
  }
  std::unique_ptr<Scratch> scratch(new Scratch);
  Error last;
  for (const fs::path& parent : roots) {
    RemoveStale(parent);
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
  std::error_code error;
  for (const Root& root : roots_) {
    fs::remove_all(root.folder, error);
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
  std::error_code error;
  for (const Root& root : roots_) {
    if (fs::create_directory(root.folder / slot, error)) folders.push_back(root.folder / slot);
  }
  return folders;
}

void Scratch::RemoveSlot(std::string_view slot) {
  std::error_code error;
  for (const Root& root : roots_) fs::remove_all(root.folder / slot, error);
}

Expected<ScratchDir> Scratch::Make(std::string_view name, int64_t bytes, std::string_view slot) {
  fs::path path;
  size_t chosen = roots_.size() - 1;  // where nothing fits, the last one tries and its disk tells
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = chosen; i-- > 0;) {
      if (roots_[i].budget >= bytes) chosen = i;
    }
    roots_[chosen].budget -= bytes;
    path = roots_[chosen].folder / slot / fmt::format("{}-{}", ++made_, name.substr(0, 200));
  }
  ScratchDir dir(this, chosen, path, bytes);
  std::error_code error;
  if (!fs::create_directory(path, error)) {
    return MakeError(ExitCode::kNoInput,
                     fmt::format("the scratch folder {} cannot be made: {}", path.string(), error.message()));
  }
  return dir;
}

void Scratch::Release(const ScratchDir& dir) {
  std::error_code error;
  fs::remove_all(dir.path_, error);
  const std::lock_guard lock(mutex_);
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
  // More than any machine has, and little enough that those of many cases can be added up.
  constexpr int64_t kMost = int64_t{1} << 50;
  int64_t bytes = 0;
  for (const TensorType& type : c.inputs) bytes = AddCapped(bytes, StoredBytes(type));
  for (const TensorType& type : c.outputs) bytes = AddCapped(bytes, MulCapped(2, StoredBytes(type)));
  return std::min(bytes, kMost);
}

}  // namespace opbyop::harness
