// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The data beside a page of a history: files that it loads when they are looked at. They are scripts, because a page
// that was opened from a disk may load nothing else. reports/web/src/history/load.ts reads them.
//
//   Expected<PageFiles> files = PageFiles::Make("out/history");
//   files->Write("rows-0", json.dump());   // out/history/data/rows-0.js
//
// Each file names the version of its page, so that one that is left open while it is made again says so.
#ifndef OPBYOP_HISTORY_PAGE_PAGE_FILES_H_
#define OPBYOP_HISTORY_PAGE_PAGE_FILES_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop::history {

class PageFiles {
 public:
  // Empties `out`/data of what an earlier page left. kUsage where that holds anything else.
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
