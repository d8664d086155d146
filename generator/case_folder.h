// The folder that a split writes: cases beside each other, put in place all at once, the manifest last.
//
//   CaseFolder folder("out/nightly");
//   folder.Store(id, text);            // for each case, into a hidden folder inside
//   folder.Publish(result);            // moves them to cases/, writes manifest.yaml
//
// Without Publish the destructor takes everything back. A case that is there already, byte by byte, is left alone.
#ifndef OPBYOP_GENERATOR_CASE_FOLDER_H_
#define OPBYOP_GENERATOR_CASE_FOLDER_H_

#include <filesystem>
#include <string>

#include "generator/splitter.h"
#include "support/expected.h"

namespace opbyop {

class CaseFolder {
 public:
  explicit CaseFolder(std::filesystem::path folder);
  ~CaseFolder();
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  // From any thread.
  Expected<void> Store(const std::string& name, const std::string& text);

  Expected<void> Publish(const SplitResult& result);

 private:
  Expected<void> Rename(const SplitResult::Renamed& renamed);
  Expected<void> MoveIntoPlace();

  std::filesystem::path folder_;
  std::filesystem::path cases_;
  std::filesystem::path staging_;
  std::filesystem::path first_created_;  // outermost folder that did not exist before; removed if nothing is published
  bool had_cases_ = false;
  bool published_ = false;
};

}  // namespace opbyop

#endif  // OPBYOP_GENERATOR_CASE_FOLDER_H_
