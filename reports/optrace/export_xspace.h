// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a trace as an XSpace, the file format of XProf and TensorBoard.
//
//   ExportXSpace(trace, "logs/plugins/profile/2026_11_21_10_00_00/host.xplane.pb");
//
// XProf makes its operator tables only from planes named /device:TPU:<n>. Every device is therefore written as such a
// plane, with its real name in device_type_string. The plane has the lines Steps, XLA Modules, XLA Ops (the ops, one
// after the other) and Async XLA Ops (transfers). /host:CPU has one event per framework op and run. The rows of our
// timeline follow as /device:CUSTOM planes.
#ifndef OPBYOP_REPORTS_OPTRACE_EXPORT_XSPACE_H_
#define OPBYOP_REPORTS_OPTRACE_EXPORT_XSPACE_H_

#include <filesystem>

#include "manifests/optrace/optrace.h"
#include "support/expected.h"

namespace opbyop::optrace {

Expected<void> ExportXSpace(const Trace& trace, const std::filesystem::path& path);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_EXPORT_XSPACE_H_
