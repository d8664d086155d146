// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the output folder of a split: the cases are moved into place all at once, and the manifest last.
//
//   Expected<std::unique_ptr<CaseFolder>> folder = CaseFolder::Open("out/nightly");
//   (*folder)->Store(id, text);            // for each case, into a hidden folder inside
//   (*folder)->Publish(result);            // moves the cases to cases/, writes manifest.yaml
//
// Another process may fill a part of the folder, which is then merged:
//   part.Store(id, text);                  // after `CasePart part = (*folder)->Part(3)`, in any process
//   (*folder)->Merge(part, {{id, id}});    // merges the new cases, each with its new id
//
// Without Publish, the destructor removes what this object wrote and nothing else: folders that others have filled in
// the meantime stay. A case that exists with the same bytes is not written again.
#ifndef OPBYOP_GENERATOR_SPLIT_CASE_FOLDER_H_
#define OPBYOP_GENERATOR_SPLIT_CASE_FOLDER_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/split/splitter.h"
#include "support/expected.h"
#include "support/files/file_lock.h"

namespace opbyop::generator {

// The name of the manifest in the folder.
inline constexpr std::string_view kManifest = "manifest.yaml";

// The cases of one model and their manifest, in a hidden folder.
class CasePart {
 public:
  // A case that `published`, the folder of an earlier split, holds with the same bytes is not written again.
  CasePart(std::filesystem::path folder, std::filesystem::path published)
      : folder_(std::move(folder)), published_(std::move(published)) {}

  Expected<void> Store(const std::string& name, const std::string& text) const;
  Expected<void> StoreManifest(const Manifest& manifest) const;
  Expected<Manifest> LoadManifest() const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::filesystem::path published_;  // empty: there is none
};

class CaseFolder {
 public:
  // Creates the folder. Returns kUsage if another split writes it or its cases are being run, kNoInput if it cannot be
  // written.
  static Expected<std::unique_ptr<CaseFolder>> Open(std::filesystem::path folder);
  ~CaseFolder();
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  // May be called from any thread.
  Expected<void> Store(const std::string& name, const std::string& text);

  CasePart Part(size_t number) const;

  // Moves the texts of these cases here and removes the rest of the part.
  Expected<void> Merge(const CasePart& part, const std::vector<Splitter::Entered>& cases);

  Expected<void> Publish(const SplitResult& result);

 private:
  explicit CaseFolder(std::filesystem::path folder);
  Expected<void> Rename(const SplitResult::Renamed& renamed);
  CasePart Staged() const { return {staging_, had_cases_ ? cases_ : std::filesystem::path()}; }
  Expected<void> MoveIntoPlace();

  std::filesystem::path folder_;
  std::filesystem::path cases_;
  std::filesystem::path staging_;
  std::vector<std::filesystem::path> created_;  // folders that did not exist before, innermost first
  std::optional<FileLock> lock_;
  bool had_cases_ = false;
  bool published_ = false;
};

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SPLIT_CASE_FOLDER_H_
