// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lists all exports of a trace by name.
//
//   const Exporter* exporter = FindExporter("xspace");
//   exporter->write(trace, "out");       // out/plugins/profile/<run>/<host>.xplane.pb
//
// An export writes one or more files into the given folder; equal traces give equal bytes.
#ifndef OPBYOP_REPORTS_OPTRACE_EXPORT_H_
#define OPBYOP_REPORTS_OPTRACE_EXPORT_H_

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "manifests/optrace/optrace.h"
#include "support/expected.h"

namespace opbyop::optrace {

using Files = std::vector<std::filesystem::path>;

struct Exporter {
  std::string_view name;
  std::string_view help;
  Expected<Files> (*write)(const Trace& trace, const std::filesystem::path& folder);
};

std::span<const Exporter> Exporters();

// nullptr if there is none with this name.
const Exporter* FindExporter(std::string_view name);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_EXPORT_H_
