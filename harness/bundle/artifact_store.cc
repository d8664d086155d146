// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/bundle/artifact_store.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "manifests/runs/bundle.h"
#include "support/files/file.h"
#include "support/files/sha256.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;

// Refuses links: a link may lead to a file that was not compiled.
Expected<std::string> ReadUnlinked(const fs::path& file) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(file, error))) {
    return MakeError(ExitCode::kBadInput, file.string() + " is a symbolic link, not a file");
  }
  return ReadFile(file);
}

}  // namespace

std::string ArtifactSuffix(const Target& target) {
  std::string suffix;
  for (const Stage& stage : target.stages) {
    if (stage.is_compile_stage()) suffix = fs::path(stage.produces).extension().string();
  }
  return suffix;
}

ArtifactStore::ArtifactStore(fs::path bundle, std::string suffix)
    : folder_(std::move(bundle) / kArtifactFolder), suffix_(std::move(suffix)) {}

fs::path ArtifactStore::PathOf(const std::string& case_id) const { return folder_ / (case_id + suffix_); }

Expected<void> ArtifactStore::Store(const fs::path& dir, CaseRecord& record) const {
  const Expected<std::string> bytes = ReadUnlinked(PathIn(dir));
  if (!bytes) {
    return MakeError(ExitCode::kBadInput, fmt::format("the worker says that it saved the artifact, but left no "
                                                      "regular file: {}",
                                                      bytes.error().message));
  }
  if (bytes->empty()) return MakeError(ExitCode::kBadInput, "the worker saved an empty artifact");
  if (const Expected<void> written = WriteFile(PathOf(record.id), *bytes); !written) return written;
  record.artifact_sha256 = Sha256Hex(*bytes);
  return {};
}

Expected<std::string> ArtifactStore::Read(const CaseRecord& record) const {
  const fs::path file = PathOf(record.id);
  Expected<std::string> bytes = ReadUnlinked(file);
  if (!bytes) return MakeError(ExitCode::kBadInput, bytes.error().message + "; copy the bundle again");
  if (const std::string found = Sha256Hex(*bytes); found != record.artifact_sha256) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{} is not what was compiled: its sha256 is {}, {} is recorded; copy the bundle again",
                                 file.string(), found, record.artifact_sha256));
  }
  return bytes;
}

Expected<void> ArtifactStore::Check(const CaseRecord& record) const {
  const Expected<std::string> bytes = Read(record);
  return bytes ? Expected<void>() : Unexpected(bytes.error());
}

Expected<void> ArtifactStore::CopyTo(const CaseRecord& record, const fs::path& dir) const {
  const Expected<std::string> bytes = Read(record);
  return bytes ? WriteFile(PathIn(dir), *bytes) : Unexpected(bytes.error());
}

void ArtifactStore::KeepOnly(const std::vector<CaseRecord>& records) const {
  std::set<fs::path> kept;
  for (const CaseRecord& record : records) kept.insert(PathOf(record.id));
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    std::error_code gone;
    if (!kept.contains(entry.path())) fs::remove(entry.path(), gone);
  }
}

}  // namespace opbyop::harness
