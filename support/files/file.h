// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whole files in and out. A written file appears complete or not at all.
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

// More is not read into memory at once: no manifest, program or results file comes near.
inline constexpr uintmax_t kMostFileBytes = uintmax_t{4} << 30;

// The most bytes of a line in files that are read line by line. No record of any format comes near.
inline constexpr size_t kLongestLine = size_t{64} << 20;

// The bytes of `path`, a regular file or a link to one. kNoInput where it is absent, unreadable, longer than `most`, or
// something else: a pipe may never end, and a device has no end. What is named as /dev/stdin, /dev/fd/N or
// /proc/self/fd/N the caller has opened, as the shell does for <(command), and is read to its end.
Expected<std::string> ReadFile(const std::filesystem::path& path, uintmax_t most = kMostFileBytes);

// The same, opened to be read bit by bit. What is no file is not waited for.
Expected<std::ifstream> OpenFile(const std::filesystem::path& path);

// The next line without its end, as std::getline reads it; of a longer one than kLongestLine the beginning, with more
// bytes than that. False at the end.
bool ReadLine(std::istream& in, std::string& line);

// Writes beside `path`, then renames over it; makes missing folders. kNoInput with the system's reason.
Expected<void> WriteFile(const std::filesystem::path& path, std::string_view bytes);

// The same, and both the bytes and the name are on the disk when it returns: what a power failure must not take back.
Expected<void> WriteFileDurably(const std::filesystem::path& path, std::string_view bytes);

// All of `bytes` to an open file, in one call of the system where it takes them: of a line appended so, other programs
// and a kill see the whole, but for the last. The system's error, or none.
std::error_code WriteAll(int fd, std::string_view bytes);

// From here on a write past the limit on a file's size (ulimit -f) fails with EFBIG, as one to a full disk does with
// ENOSPC, instead of ending the process with SIGXFSZ. For main(), before threads are started.
void ReportFullFilesAsErrors();

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_FILE_H_
