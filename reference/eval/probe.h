// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes values inside a program to .npy files, with an index that describes each file.
//
//   ProbeWriter probe("out", ProbeKind::kAll);
//   Evaluator evaluator(module, {.observe = [&](const OpContext& c, const Values& v) { return probe.Observe(c, v); }});
//   ... probe.Finish();    // out/probe_0_stablehlo.add.npy, ..., out/index.csv
//
// kMarked writes the values that `interpreter.probe` marks, named by probe_id. kAll writes the results of every op,
// named by the op. In a loop a value is written once per iteration. Values inside regions that run over all elements at
// once (the bodies of reductions, the comparators of sorts) are not written.
#ifndef OPBYOP_REFERENCE_EVAL_PROBE_H_
#define OPBYOP_REFERENCE_EVAL_PROBE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "llvm/ADT/DenseMap.h"
#include "reference/eval/evaluator.h"
#include "support/expected.h"

namespace opbyop::reference {

enum class ProbeKind : uint8_t { kNone, kMarked, kAll };

// Accepts "marked" and "all".
Expected<ProbeKind> ParseProbeKind(std::string_view text);

class ProbeWriter {
 public:
  // Files are written to `dir`, which must exist.
  ProbeWriter(std::filesystem::path dir, ProbeKind kind);

  Expected<void> Observe(const OpContext& context, const Values& results);
  // Writes index.csv: file, name, iteration, result, dtype, shape, location.
  Expected<void> Finish() const;

 private:
  std::filesystem::path dir_;
  ProbeKind kind_;
  int64_t written_ = 0;
  std::string index_;
  llvm::DenseMap<mlir::Operation*, int64_t> iterations_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_PROBE_H_
