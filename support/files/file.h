// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads and writes whole files. A written file appears complete or not at all.
//
//   Expected<std::string> text = ReadFile("manifest.yaml");
//   Expected<std::ifstream> lines = OpenFile("results.jsonl");
//   for (std::string line; ReadLine(*lines, line);) ...
//   Expected<void> done = WriteFile("out/index.html", html);
#ifndef OPBYOP_SUPPORT_FILES_FILE_H_
#define OPBYOP_SUPPORT_FILES_FILE_H_

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <string>
#include <string_view>
#include <system_error>

#include "support/expected.h"

namespace opbyop {

// Larger files are not read into memory at once. No manifest, program or results file is nearly as large.
inline constexpr uintmax_t kMostFileBytes = uintmax_t{4} << 30;

// The longest line, in bytes, in files that are read line by line. No record of any format is nearly as long.
inline constexpr size_t kLongestLine = size_t{64} << 20;

// Returns the bytes of `path`, which must be a regular file or a link to one. Returns kNoInput if it is absent,
// unreadable, longer than `most`, or another kind of file: a pipe or a device may never end. Names such as /dev/stdin,
// /dev/fd/N or /proc/self/fd/N are files that the caller has opened, as the shell does for <(command), and are read to
// their end.
Expected<std::string> ReadFile(const std::filesystem::path& path, uintmax_t most = kMostFileBytes);

// Opens the file to be read piece by piece, with the same errors. It never waits for a pipe to be opened.
Expected<std::ifstream> OpenFile(const std::filesystem::path& path);

// Reads the next line without its end, as std::getline does. If a line is longer than kLongestLine, `line` is its
// beginning, which is also longer than that. Returns false at the end.
bool ReadLine(std::istream& in, std::string& line);

// Writes a file next to `path`, then renames it to `path`; creates missing folders. Returns kNoInput with the system's
// reason.
Expected<void> WriteFile(const std::filesystem::path& path, std::string_view bytes);

// The same, for files that must survive a power failure: both the bytes and the name are on the disk when it returns.
Expected<void> WriteFileDurably(const std::filesystem::path& path, std::string_view bytes);

// Writes all of `bytes` to an open file, in one system call if the kernel accepts them. If a line is appended this way,
// other programs and a kill see only whole lines, except for the last one. Returns the system's error, or none.
std::error_code WriteAll(int fd, std::string_view bytes);

// From now on, a write beyond the limit on a file's size (ulimit -f) fails with EFBIG, as a write to a full disk fails
// with ENOSPC, instead of ending the process with SIGXFSZ. Call it in main(), before threads are started.
void ReportFullFilesAsErrors();

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_FILE_H_
