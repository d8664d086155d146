// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a trace in Perfetto's own format (.pftrace), for ui.perfetto.dev and trace_processor.
//
//   ExportPerfetto(trace, "out/profile.pftrace");
//
// There is a track per device, under it a track per section, and under that the rows of the timeline in their order.
// Slices of one op have the same correlation id, so that Perfetto highlights the op on every row. Times are
// nanoseconds, as the format requires; the arguments have the exact picoseconds.
#ifndef OPBYOP_REPORTS_OPTRACE_EXPORT_PERFETTO_H_
#define OPBYOP_REPORTS_OPTRACE_EXPORT_PERFETTO_H_

#include <filesystem>

#include "manifests/optrace/optrace.h"
#include "support/expected.h"

namespace opbyop::optrace {

Expected<void> ExportPerfetto(const Trace& trace, const std::filesystem::path& path);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_EXPORT_PERFETTO_H_
