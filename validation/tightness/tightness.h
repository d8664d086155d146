// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How small an error of a real device the verdict still sees, per op.
//
//   TightnessRunner runner(settings, scratch);
//   Expected<std::optional<Tightness>> found = runner.Run(c);      // nullopt: nothing to find out on this case
//   TightnessTable table(...); table.Markdown();
//
// The device's own results, which pass, are changed by a factor of 1 + e: all elements of the first float output, or
// the one of median magnitude. The least e = 2^-k that is red under any policy is what the verdict sees; beside it what
// allclose and the correlation see of the same change under `domain`.
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

// Least e that a criterion sees, as k of e = 2^-k; -1: none of them, not even a factor of 2.
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

  // nullopt where the case has no float output, its inputs cannot be generated, or the device does not pass it.
  Expected<std::optional<Tightness>> Run(const Case& c);

 private:
  Expected<void> Measure(const Trial& trial, size_t output, bool ordinary, Tightness& tightness);

  const TightnessSettings& settings_;
  harness::Scratch& scratch_;
  TrialBench bench_;
};

// The greatest k of 0 to 30 for which `seen(2^-k)`; -1 where it is false of all. What is seen of an error is seen of
// greater ones.
int LeastSeen(const std::function<bool(double)>& seen);

// The element of median magnitude among those that are finite and not zero; nullopt where there is none.
std::optional<size_t> MedianElement(const reference::Tensor& t);

bool IsAllClose(const reference::Tensor& want, const reference::Tensor& got);
double Correlation(const reference::Tensor& want, const reference::Tensor& got);

// A row for each op: for how many cases, and of both changes the median e, the worst e, and those of the other
// criteria.
std::string TightnessMarkdown(const std::map<std::string, std::vector<Tightness>>& by_target);

}  // namespace opbyop

#endif  // OPBYOP_VALIDATION_TIGHTNESS_TIGHTNESS_H_
