// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/run_header.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "support/machine_memory.h"
#include "support/process/process.h"
#include "support/text/timestamp.h"

namespace opbyop::harness {
namespace {

// Returns the value of the first line "key<blanks>: value" or "key=value" in a file.
std::string ValueIn(const char* file, std::string_view key, char separator) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(" \t\"", at + 1);
    const size_t end = line.find_last_not_of(" \t\"");
    return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
  }
  return "";
}

std::string GitSha() {
  if (const char* given = std::getenv("OPBYOP_GIT_SHA")) return given;
  const Expected<std::string> output = RunCommand({"git", "rev-parse", "HEAD"}, std::chrono::milliseconds(2000));
  return output ? output->substr(0, output->find('\n')) : "";
}

}  // namespace

std::string ProcessorName() {
  std::string name = ValueIn("/proc/cpuinfo", "model name", ':');
  if (!name.empty()) return name;
  struct utsname system = {};
  ::uname(&system);
  return system.machine;
}

RunHeader MachineHeader() {
  RunHeader header;
  header.run_id = fmt::format("{}-{:04x}", FormatCompactTimestamp(NowMicroseconds()), std::random_device()() & 0xffff);
  header.start = FormatTimestamp(NowMicroseconds());
  struct utsname system = {};
  ::uname(&system);
  std::string os = ValueIn("/etc/os-release", "PRETTY_NAME", '=');
  header.host["cpu"] = ProcessorName();
  header.host["cores"] = std::to_string(std::thread::hardware_concurrency());
  header.host["memory_mb"] = std::to_string(MachineMemory() / (1 << 20));
  header.host["os"] = os.empty() ? system.sysname : os;
  const Expected<std::string> isolation = RunCommand({SupervisorProgram(), "isolation"}, std::chrono::seconds(5));
  if (isolation) header.host["isolation"] = isolation->substr(0, isolation->find('\n'));
  header.git_sha = GitSha();
  return header;
}

}  // namespace opbyop::harness
