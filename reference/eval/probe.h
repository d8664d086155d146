// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values inside a program as .npy files, with an index of what each one is.
//
//   ProbeWriter probe("out", ProbeKind::kAll);
//   Evaluator evaluator(module, {.observe = [&](const OpContext& c, const Values& v) { return probe.Observe(c, v); }});
//   ... probe.Finish();    // out/probe_0_stablehlo.add.npy, ..., out/index.csv
//
// kMarked writes what `interpreter.probe` marks, by its probe_id; kAll the results of every op, by the op's name. In a
// loop a value is written once per iteration. Regions that run over all elements at once (the bodies of reductions,
// comparators of sorts) have no values of their own and are left out.
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

// "marked" and "all".
Expected<ProbeKind> ParseProbeKind(std::string_view text);

class ProbeWriter {
 public:
  // Files go into `dir`, which is there.
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
