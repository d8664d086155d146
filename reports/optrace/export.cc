// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "reports/optrace/export_perfetto.h"
#include "reports/optrace/export_text.h"
#include "reports/optrace/export_xspace.h"
#include "reports/optrace/profile_page.h"
#include "support/files/file.h"

namespace opbyop::optrace {
namespace {

using std::filesystem::path;

Expected<Files> Written(const Expected<void>& done, Files files) {
  if (!done) return Unexpected(done.error());
  return files;
}

// The name of a run in TensorBoard: "2026_01_01_00_00_00".
std::string RunFolder(const Trace& trace) {
  std::string digits;
  for (const char c : trace.header.start.substr(0, 19)) digits += std::isdigit(static_cast<unsigned char>(c)) ? c : '_';
  return digits.empty() ? "run" : digits;
}

Expected<Files> Html(const Trace& trace, const path& folder) {
  const path file = folder / "profile.html";
  return Written(WriteFile(file, ProfilePage(trace)), {file});
}

Expected<Files> XSpace(const Trace& trace, const path& folder) {
  const path file = folder / "plugins" / "profile" / RunFolder(trace) / "opbyop.xplane.pb";
  return Written(ExportXSpace(trace, file), {file});
}

Expected<Files> Perfetto(const Trace& trace, const path& folder) {
  const path file = folder / "profile.pftrace";
  return Written(ExportPerfetto(trace, file), {file});
}

Expected<Files> Chrome(const Trace& trace, const path& folder) {
  const path file = folder / "profile.trace.json";
  return Written(ExportChrome(trace, file), {file});
}

Expected<Files> Neuron(const Trace& trace, const path& folder) {
  const path run = folder / "plugins" / "neuron" / (RunFolder(trace) + "_0");
  return Written(ExportNeuron(trace, run),
                 {run / "neuron_framework_op.json", run / "neuron_hlo_op.json", run / "neuron_op_timeline.json"});
}

Expected<Files> Csv(const Trace& trace, const path& folder) {
  const path framework = folder / "operator-framework.csv", hlo = folder / "operator-hlo.csv";
  if (auto done = ExportCsv(trace, Grouping::kFramework, framework); !done) return Unexpected(done.error());
  return Written(ExportCsv(trace, Grouping::kHlo, hlo), {framework, hlo});
}

Expected<Files> Folded(const Trace& trace, const path& folder) {
  const path file = folder / "profile.folded";
  return Written(ExportFolded(trace, file), {file});
}

Expected<Files> NodeData(const Trace& trace, const path& folder) {
  const path file = folder / "node-data.json";
  return Written(ExportNodeData(trace, file), {file});
}

constexpr auto kExporters =
    std::to_array<Exporter>({{"html", "one self-contained page with all views", Html},
                             {"xspace", "for XProf and TensorBoard: --logdir the folder", XSpace},
                             {"perfetto", "for ui.perfetto.dev", Perfetto},
                             {"chrome", "Chrome trace events, for chrome://tracing and Speedscope", Chrome},
                             {"neuron-json", "shaped like the files of AWS Neuron's TensorBoard plugin", Neuron},
                             {"csv", "the operator tables", Csv},
                             {"folded", "folded stacks, for flame graphs", Folded},
                             {"node-data", "time and error by op, for graph viewers", NodeData}});

}  // namespace

std::span<const Exporter> Exporters() { return kExporters; }

const Exporter* FindExporter(std::string_view name) {
  const auto found = std::ranges::find(kExporters, name, &Exporter::name);
  return found == kExporters.end() ? nullptr : &*found;
}

}  // namespace opbyop::optrace
