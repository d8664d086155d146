// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/case_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "support/files/file.h"
#include "support/text/replace_all.h"

namespace opbyop::generator {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCases = "cases";
constexpr std::string_view kStaging = ".split";
constexpr std::string_view kParts = ".split-parts";
constexpr std::string_view kStagedManifest = ".manifest.yaml";

tl::unexpected<Error> CannotWrite(const fs::path& path, const std::error_code& reason) {
  return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot write: {}; is the disk full or the folder protected?",
                                                   path.string(), reason.message()));
}

std::string FileName(const std::string& id) { return id + ".mlir"; }

// Unlike WriteFile, this need not be atomic: a file in the staging folder is moved once all are there.
Expected<void> WriteStaged(const fs::path& path, std::string_view text) {
  auto create = [&] { return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644); };
  int file = create();
  if (file < 0 && errno == ENOENT) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) return CannotWrite(path.parent_path(), error);
    file = create();
  }
  bool good = file >= 0;
  while (good && !text.empty()) {
    ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    good = written > 0;
    if (good) text.remove_prefix(static_cast<size_t>(written));
  }
  int problem = errno;
  if (file >= 0) close(file);
  if (!good) return CannotWrite(path, std::error_code(problem, std::generic_category()));
  return {};
}

}  // namespace

CaseFolder::CaseFolder(fs::path folder)
    : folder_(std::move(folder)), cases_(folder_ / kCases), staging_(folder_ / kStaging) {}

Expected<std::unique_ptr<CaseFolder>> CaseFolder::Open(fs::path path) {
  std::unique_ptr<CaseFolder> folder(new CaseFolder(std::move(path)));
  std::error_code error;
  for (fs::path at = fs::absolute(folder->folder_, error).lexically_normal(); !at.empty() && !fs::exists(at, error);
       at = at.parent_path()) {
    if (at.has_filename()) folder->created_.push_back(at);
  }
  fs::create_directories(folder->folder_, error);
  if (error) return CannotWrite(folder->folder_, error);
  Expected<FileLock> lock = FileLock::Take(folder->folder_ / kSplitLock, FileLock::Mode::kExclusive);
  if (!lock && lock.error().code == ExitCode::kUsage) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("{} is in use: another split writes it, or a run of its cases goes on; wait for its "
                                 "end or name another folder",
                                 folder->folder_.string()));
  }
  if (!lock) return Unexpected(lock.error());
  folder->lock_.emplace(std::move(*lock));
  for (const std::string_view left : {kStaging, kParts}) {
    fs::remove_all(folder->folder_ / left, error);  // left by a split that was killed
  }
  folder->had_cases_ = fs::exists(folder->cases_, error);
  return folder;
}

CaseFolder::~CaseFolder() {
  std::error_code ignored;
  if (lock_) {
    fs::remove_all(staging_, ignored);
    fs::remove_all(folder_ / kParts, ignored);
    fs::remove(folder_ / kStagedManifest, ignored);
  }
  lock_.reset();
  if (published_) return;
  for (const fs::path& folder : created_) {
    if (::rmdir(folder.c_str()) != 0) break;  // another split has filled it
  }
}

Expected<void> CasePart::Store(const std::string& name, const std::string& text) const {
  if (!published_.empty()) {
    std::error_code ignored;
    fs::path present = published_ / FileName(name);
    if (fs::file_size(present, ignored) == text.size()) {
      if (Expected<std::string> old = ReadFile(present); old && *old == text) return {};
    }
  }
  return WriteStaged(folder_ / FileName(name), text);
}

Expected<void> CasePart::StoreManifest(const Manifest& manifest) const {
  return WriteStaged(folder_ / kManifest, WriteManifest(manifest));
}

Expected<Manifest> CasePart::LoadManifest() const {
  return opbyop::LoadManifest(folder_ / kManifest, CaseFiles::kElsewhere);
}

Expected<void> CaseFolder::Store(const std::string& name, const std::string& text) {
  return Staged().Store(name, text);
}

CasePart CaseFolder::Part(size_t number) const {
  return {folder_ / fmt::format("{}/part-{}", kParts, number), had_cases_ ? cases_ : fs::path()};
}

Expected<void> CaseFolder::Merge(const CasePart& part, const std::vector<Splitter::Entered>& cases) {
  std::error_code error;
  fs::create_directories(staging_, error);
  for (const Splitter::Entered& c : cases) {
    const fs::path file = part.folder() / FileName(c.described);
    if (c.described == c.id) {
      fs::rename(file, staging_ / FileName(c.id), error);
      // If it is not there, it has been published already.
      if (error && error != std::errc::no_such_file_or_directory) return CannotWrite(staging_, error);
      continue;
    }
    Expected<std::string> text = ReadFile(file);
    if (!text) text = ReadFile(cases_ / FileName(c.described));
    if (!text) return Unexpected(text.error());
    const Expected<void> done = Store(c.id, ReplaceAll(std::move(*text), c.described, c.id));
    if (!done) return done;
  }
  fs::remove_all(part.folder(), error);
  return {};
}

Expected<void> CaseFolder::Publish(const SplitResult& result) {
  if (Expected<void> good = CheckManifest(result.manifest); !good) return good;
  for (const SplitResult::Renamed& renamed : result.renamed) {
    if (Expected<void> done = Rename(renamed); !done) return done;
  }
  // Everything that needs disk space is written before the first file becomes visible.
  const fs::path staged = folder_ / kStagedManifest;
  if (Expected<void> done = WriteFile(staged, WriteManifest(result.manifest)); !done) return done;
  if (Expected<void> done = MoveIntoPlace(); !done) return done;
  published_ = true;
  std::error_code failure;
  fs::rename(staged, folder_ / kManifest, failure);
  if (failure) return CannotWrite(folder_ / kManifest, failure);
  if (!had_cases_) return {};
  std::set<std::string> present;
  for (const Case& c : result.manifest.cases) {
    present.insert(FileName(c.id));
    if (c.breach) present.insert(fs::path(c.breach->valid).filename().string());
  }
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(cases_, error)) {
    if (entry.path().extension() == ".mlir" && !present.contains(entry.path().filename().string())) {
      fs::remove(entry.path(), error);
    }
  }
  return {};
}

Expected<void> CaseFolder::Rename(const SplitResult::Renamed& renamed) {
  fs::path old = staging_ / FileName(renamed.from);
  Expected<std::string> text = ReadFile(old);
  if (!text) text = ReadFile(cases_ / FileName(renamed.from));
  if (!text) return Unexpected(text.error());
  *text = ReplaceAll(std::move(*text), renamed.from, renamed.to);
  if (Expected<void> done = Store(renamed.to, *text); !done) return done;
  std::error_code ignored;
  fs::remove(old, ignored);
  return {};
}

Expected<void> CaseFolder::MoveIntoPlace() {
  std::error_code error;
  if (!fs::exists(staging_, error)) return {};
  if (!had_cases_) {
    fs::rename(staging_, cases_, error);
    if (error) return CannotWrite(cases_, error);
    return {};
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(staging_, error)) {
    fs::path target = cases_ / entry.path().filename();
    fs::rename(entry.path(), target, error);
    if (error) return CannotWrite(target, error);
  }
  return {};
}

}  // namespace opbyop::generator
