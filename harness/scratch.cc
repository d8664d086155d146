#include "harness/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace opbyop {
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

Expected<ScratchDir> Scratch::Make(std::string_view name, int64_t bytes) {
  fs::path path;
  {
    const std::lock_guard lock(mutex_);
    Root* chosen = &roots_.back();  // where nothing fits, the last one tries and its disk tells
    for (Root& root : roots_) {
      if (root.budget >= bytes) {
        chosen = &root;
        break;
      }
    }
    chosen->budget -= bytes;
    path = chosen->folder / fmt::format("{}-{}", ++made_, name.substr(0, 200));
  }
  ScratchDir dir(this, path, bytes);
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
  for (Root& root : roots_) {
    if (dir.path_.parent_path() == root.folder) root.budget += dir.bytes_;
  }
}

ScratchDir::ScratchDir(ScratchDir&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), path_(std::move(other.path_)), bytes_(other.bytes_) {}

ScratchDir::~ScratchDir() {
  if (owner_ != nullptr) owner_->Release(*this);
}

}  // namespace opbyop
