// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the data files of a history's page, which it loads on demand. They are scripts, because a page that was opened
// from a disk may load nothing else. reports/web/src/history/load.ts reads them.
//
//   Expected<PageFiles> files = PageFiles::Make("out/history");
//   files->Write("rows-0", json.dump());   // out/history/data/rows-0.js
//
// Each file has the version of its page, so that a page that is still open when it is written again can say so.
#ifndef OPBYOP_HISTORY_PAGE_PAGE_FILES_H_
#define OPBYOP_HISTORY_PAGE_PAGE_FILES_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop::history {

class PageFiles {
 public:
  // Removes the files of an earlier page from `out`/data. Returns kUsage if the folder has any other file.
  static Expected<PageFiles> Make(const std::filesystem::path& out);

  Expected<void> Write(const std::string& name, std::string_view json);

  const std::string& version() const { return version_; }
  int64_t bytes() const { return bytes_; }
  int64_t count() const { return count_; }

 private:
  PageFiles(std::filesystem::path folder, std::string version)
      : folder_(std::move(folder)), version_(std::move(version)) {}

  std::filesystem::path folder_;
  std::string version_;
  int64_t bytes_ = 0, count_ = 0;
};

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_PAGE_PAGE_FILES_H_
