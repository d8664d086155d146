// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The activities of each process of a grid in an execution: its collectives, and computation between them.
//
//   for (const protocol::Span& piece : ProcessPieces(run.pieces)) Draw(piece.process, piece.kind, piece.dur_ns);
#ifndef OPBYOP_CHAINED_PROCESS_PIECES_H_
#define OPBYOP_CHAINED_PROCESS_PIECES_H_

#include <string_view>
#include <vector>

#include "protocol/span.h"

namespace opbyop::chained {

inline constexpr std::string_view kExecutePiece = "execute";

// Selects from the spans that a worker reports those of single processes, of the kinds optrace::kComputeName and
// optrace::kCollectiveName, in the order of the processes and of time. Empty if the worker reports none.
std::vector<protocol::Span> ProcessPieces(const std::vector<protocol::Span>& spans);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_PROCESS_PIECES_H_
