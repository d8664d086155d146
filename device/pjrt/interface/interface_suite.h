// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs all checks of a plugin's interface, even if the plugin crashes. They run in a child process. If it dies or
// hangs, it is replaced by a new one, which continues after the check that was running.
//
//   Expected<InterfaceReport> report = RunInterfaceSuite({.argv = {"opbyop-pjrt-worker", "--interface-child", ...}});
//   fmt::print("{}", ToTable(*report));
//   WriteFile(folder / "interface.json", ToJson(*report));
//   if (!report->fault().empty()) ...   // every op would fail, and none is to blame
//
// The child calls RunInterfaceChecks.
#ifndef OPBYOP_DEVICE_PJRT_INTERFACE_INTERFACE_SUITE_H_
#define OPBYOP_DEVICE_PJRT_INTERFACE_INTERFACE_SUITE_H_

#include <chrono>
#include <string>
#include <vector>

#include "device/pjrt/interface/interface_check.h"

namespace opbyop::pjrt {

inline constexpr std::string_view kInterfaceSchema = "opbyop-interface/1";

struct CheckRecord {
  std::string name;
  bool needed = false;
  Status status = Status::kSkipped;  // pass, fail, unsupported, skipped, crash, timeout
  std::string reason;
};

struct InterfaceReport {
  std::string plugin;
  std::string topology;
  std::vector<CheckRecord> checks;
  std::string gave_up = {};  // why not all checks were reached: "after 10 crashes"; empty if they were

  size_t Count(Status status) const;

  // The reason why no op can pass, as one sentence. Empty if everything that all ops need works.
  std::string fault() const;

  // "interface: 61 pass, 2 fail (buffers.i4, events.callback), 3 unsupported".
  std::string Summary() const;
};

struct SuiteOptions {
  std::vector<std::string> argv;  // command line of the child; the number of its first check is appended
  SubjectOptions subject;         // the options that this child gets
  std::chrono::milliseconds limit = std::chrono::seconds(120);  // for one check
};

Expected<InterfaceReport> RunInterfaceSuite(const SuiteOptions& options);

// Runs in the child: starts at the check with this number and writes a line to kReplyFd as each check starts and ends.
void RunInterfaceChecks(const SubjectOptions& options, size_t first);

std::string ToJson(const InterfaceReport& report);
std::string ToTable(const InterfaceReport& report);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_INTERFACE_INTERFACE_SUITE_H_
