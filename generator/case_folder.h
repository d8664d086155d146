// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The folder that a split writes: cases beside each other, put in place all at once, the manifest last.
//
//   Expected<std::unique_ptr<CaseFolder>> folder = CaseFolder::Open("out/nightly");
//   (*folder)->Store(id, text);            // for each case, into a hidden folder inside
//   (*folder)->Publish(result);            // moves them to cases/, writes manifest.yaml
//
// Without Publish the destructor takes back what this object made, and nothing else: folders that others have filled
// meanwhile stay. A case that is there already, byte by byte, is left alone.
#ifndef OPBYOP_GENERATOR_CASE_FOLDER_H_
#define OPBYOP_GENERATOR_CASE_FOLDER_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generator/splitter.h"
#include "support/expected.h"
#include "support/file_lock.h"

namespace opbyop::generator {

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

  Expected<void> Publish(const SplitResult& result);

 private:
  explicit CaseFolder(std::filesystem::path folder);
  Expected<void> Rename(const SplitResult::Renamed& renamed);
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

#endif  // OPBYOP_GENERATOR_CASE_FOLDER_H_
