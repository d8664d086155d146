// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The folder that a split writes: cases beside each other, put in place all at once, the manifest last.
//
//   Expected<std::unique_ptr<CaseFolder>> folder = CaseFolder::Open("out/nightly");
//   (*folder)->Store(id, text);            // for each case, into a hidden folder inside
//   (*folder)->Publish(result);            // moves them to cases/, writes manifest.yaml
//
// Another process may fill a part of it, which is then taken in:
//   part.Store(id, text);                  // of CasePart part = (*folder)->Part(3), in any process
//   (*folder)->TakeIn(part, {{id, id}});   // the cases that are new, each with the id that it has from now on
//
// Without Publish the destructor takes back what this object made, and nothing else: folders that others have filled
// meanwhile stay. A case that is there already, byte by byte, is left alone.
#ifndef OPBYOP_GENERATOR_SPLIT_CASE_FOLDER_H_
#define OPBYOP_GENERATOR_SPLIT_CASE_FOLDER_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generator/split/splitter.h"
#include "support/expected.h"
#include "support/files/file_lock.h"

namespace opbyop::generator {

// The cases of one model and their manifest, in a hidden folder.
class CasePart {
 public:
  // A case that `published`, the folder of an earlier split, holds byte by byte is not written again.
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
  // Makes the folder. kUsage where another split writes it, or a run of its cases goes on; kNoInput where it cannot be
  // written.
  static Expected<std::unique_ptr<CaseFolder>> Open(std::filesystem::path folder);
  ~CaseFolder();
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  // From any thread.
  Expected<void> Store(const std::string& name, const std::string& text);

  CasePart Part(size_t number) const;

  // Takes over the texts of these cases, and drops the rest of the part.
  Expected<void> TakeIn(const CasePart& part, const std::vector<Splitter::Entered>& cases);

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
