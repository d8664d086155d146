// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures how small an error of a real device the verdict still detects, per op.
//
//   TightnessRunner runner(settings, scratch);
//   Expected<std::optional<Tightness>> found = runner.Run(c);      // nullopt: this case cannot be measured
//   TightnessTable table(...); table.Markdown();
//
// The device's own results, which pass, are changed by a factor of 1 + e: all elements of the first float output, or
// the one of median magnitude. The verdict detects an e if it is red under any policy; the least such e = 2^-k is
// measured. So is the least e that allclose and the correlation detect in the same change, under `domain`.
#ifndef OPBYOP_VALIDATION_TIGHTNESS_TIGHTNESS_H_
#define OPBYOP_VALIDATION_TIGHTNESS_TIGHTNESS_H_

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/worker/scratch.h"
#include "manifests/cases/case.h"
#include "manifests/targets/target.h"
#include "reference/tensor/tensor.h"
#include "validation/trial_bench.h"

namespace opbyop {

// The least e that a criterion detects, as k of e = 2^-k; -1: it detects not even a factor of 2.
struct Seen {
  int verdict = -1;
  int allclose = -1;  // |got - want| <= 1e-3 + 1e-3 |want|
  int pcc = -1;       // correlation >= 0.999
};

struct Tightness {
  std::string op;
  Seen all;  // every element by 1 + e
  Seen one;  // one element by 1 + e
};

struct TightnessSettings {
  std::filesystem::path folder;  // of the manifest
  Target device;
  std::vector<harness::RunPolicy> policies;  // `domain` first
};

class TightnessRunner {
 public:
  TightnessRunner(const TightnessSettings& settings, harness::Scratch& scratch);

  // Returns nullopt if the case has no float output, its inputs cannot be generated, or the device does not pass it.
  Expected<std::optional<Tightness>> Run(const Case& c);

 private:
  Expected<void> Measure(const Trial& trial, size_t output, bool ordinary, Tightness& tightness);

  const TightnessSettings& settings_;
  harness::Scratch& scratch_;
  TrialBench bench_;
};

// The greatest k of 0 to 30 for which `seen(2^-k)`; -1 if it is false for all. A criterion that detects an error
// detects greater ones too.
int LeastDetected(const std::function<bool(double)>& seen);

// The element of median magnitude among those that are finite and not zero; nullopt if there is none.
std::optional<size_t> MedianElement(const reference::Tensor& t);

bool IsAllClose(const reference::Tensor& want, const reference::Tensor& got);
double Correlation(const reference::Tensor& want, const reference::Tensor& got);

// A row for each op: the number of cases, and for both changes the median e, the worst e, and those of the other
// criteria.
std::string TightnessMarkdown(const std::map<std::string, std::vector<Tightness>>& by_target);

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_TIGHTNESS_TIGHTNESS_H_
