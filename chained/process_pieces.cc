// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "chained/process_pieces.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "manifests/optrace/optrace.h"

namespace opbyop::chained {

std::vector<protocol::Span> ProcessPieces(const std::vector<protocol::Span>& spans) {
  struct Process {
    std::vector<protocol::Span> runs, collectives;
  };
  std::map<int64_t, Process> processes;
  for (const protocol::Span& span : spans) {
    if (span.process < 0) continue;
    if (span.kind == kExecutePiece) processes[span.process].runs.push_back(span);
    if (span.kind == optrace::kCollectiveName) processes[span.process].collectives.push_back(span);
  }
  std::vector<protocol::Span> pieces;
  for (auto& [_, process] : processes) {
    std::ranges::sort(process.collectives, {}, &protocol::Span::start_ns);
    for (const protocol::Span& run : process.runs) {
      protocol::Span compute = run;
      compute.kind = optrace::kComputeName;
      const auto end_compute = [&](int64_t at_ns) {
        compute.dur_ns = at_ns - compute.start_ns;
        if (compute.dur_ns > 0) pieces.push_back(compute);
      };
      for (const protocol::Span& collective : process.collectives) {
        if (collective.start_ns < run.start_ns || collective.start_ns >= run.end_ns()) continue;  // of another run
        end_compute(collective.start_ns);
        compute.start_ns = collective.end_ns();
        pieces.push_back(collective);
      }
      end_compute(run.end_ns());
    }
  }
  return pieces;
}

}  // namespace opbyop::chained
