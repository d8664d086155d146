// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All checks of a plugin's interface, whatever the plugin does meanwhile: they run in a child process, which is
// replaced where it dies or hangs, and goes on behind the check that it did so in.
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

  size_t Count(Status status) const;

  // Why no op can pass, as one sentence; empty where all that every op needs is there.
  std::string fault() const;

  // "interface: 61 pass, 2 fail (buffers.i4, events.callback), 3 unsupported".
  std::string Summary() const;
};

struct SuiteOptions {
  std::vector<std::string> argv;  // of the child; the number of its first check is appended
  SubjectOptions subject;         // what that child is told
  std::chrono::milliseconds limit = std::chrono::seconds(120);  // of one check
};

Expected<InterfaceReport> RunInterfaceSuite(const SuiteOptions& options);

// In the child: from the check with this number on, each with a line to kReplyFd as it begins and as it ends.
void RunInterfaceChecks(const SubjectOptions& options, size_t first);

std::string ToJson(const InterfaceReport& report);
std::string ToTable(const InterfaceReport& report);

}  // namespace opbyop::pjrt

#endif  // OPBYOP_DEVICE_PJRT_INTERFACE_INTERFACE_SUITE_H_
