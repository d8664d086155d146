// The folder that a split writes: cases beside each other, put in place all at once, the manifest last.
//
//   CaseFolder folder("out/nightly");
//   folder.Store(hash, text);          // for each case, into a hidden folder inside
//   folder.Publish(result);            // moves them to their names, writes manifest.yaml
//
// Without Publish the destructor takes everything back.
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

  Expected<void> Store(const std::string& hash, const std::string& text);
  Expected<void> Publish(const SplitResult& result);

 private:
  std::filesystem::path folder_;
  std::filesystem::path staging_;
  std::filesystem::path first_created_;  // outermost folder that did not exist before; removed if nothing is published
  bool published_ = false;
};

}  // namespace opbyop

#endif  // OPBYOP_GENERATOR_CASE_FOLDER_H_
