// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exports of a trace as text: Chrome's trace event JSON, CSV, folded stacks, and JSON in the form of AWS Neuron's
// TensorBoard plugin.
//
//   ExportChrome(trace, "out/profile.json");          // chrome://tracing, Perfetto, Speedscope
//   ExportCsv(trace, Grouping::kHlo, "out/hlo.csv");
//   ExportFolded(trace, "out/profile.folded");        // flamegraph.pl, speedscope
//   ExportNeuron(trace, "out/plugins/neuron/run");    // three files in a folder
//   ExportNodeData(trace, "out/nodes.json");          // overlay of a graph viewer
#ifndef OPBYOP_REPORTS_OPTRACE_EXPORT_TEXT_H_
#define OPBYOP_REPORTS_OPTRACE_EXPORT_TEXT_H_

#include <filesystem>

#include "manifests/optrace/optrace.h"
#include "reports/optrace/operator_table.h"
#include "support/expected.h"

namespace opbyop::optrace {

// Timestamps in microseconds since the run's start, with six decimals: exact picoseconds.
Expected<void> ExportChrome(const Trace& trace, const std::filesystem::path& path);

// The operator table: "Op Name","Occurrences","Device","Core","Time (ns)","Time %", ...
Expected<void> ExportCsv(const Trace& trace, Grouping grouping, const std::filesystem::path& path);

// "NN[model];Linear[layer1];aten__addmm;dot_general.3 279000": execution time in picoseconds per stack.
Expected<void> ExportFolded(const Trace& trace, const std::filesystem::path& path);

// neuron_framework_op.json, neuron_hlo_op.json and neuron_op_timeline.json. Only their outer structure is documented;
// the keys of an op are our own.
Expected<void> ExportNeuron(const Trace& trace, const std::filesystem::path& folder);

// {"nodes": {"<case id>": {"time_ns", "percent", "status", "max_ulp", "pcc"}}}
Expected<void> ExportNodeData(const Trace& trace, const std::filesystem::path& path);

}  // namespace opbyop::optrace

#endif  // OPBYOP_REPORTS_OPTRACE_EXPORT_TEXT_H_
