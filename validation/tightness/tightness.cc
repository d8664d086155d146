// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/tightness/tightness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "reference/bounds/elementwise.h"
#include "reference/tensor/element_type.h"
#include "support/files/npy.h"

namespace opbyop {
namespace {

using reference::Tensor;

constexpr int kLeast = 30;

std::optional<size_t> FirstFloatOutput(const Case& c) {
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    const auto type = reference::ParseElementType(c.outputs[i].dtype);
    if (type && reference::KindOf(*type) == reference::ElementKind::kFloat) return i;
  }
  return std::nullopt;
}

// Multiplies every element, or only one, by 1 + e, rounded to the tensor's type.
Tensor Changed(const Tensor& t, std::optional<size_t> one, double e) {
  Tensor changed = t;
  const std::span<double> values = changed.Mutable<double>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!one || *one == i) values[i] *= 1 + e;
  }
  reference::RoundResult(changed);
  return changed;
}

void KeepGreater(int& kept, int found) { kept = std::max(kept, found); }

std::string Text(int k) { return k < 0 ? "none" : fmt::format("{:.0e}", std::ldexp(1, -k)); }

// The median and the worst of some cases.
struct Spread {
  int median = -1;
  int worst = -1;
};

Spread SpreadOf(std::vector<int> seen) {
  std::ranges::sort(seen);
  return {seen[seen.size() / 2], seen.front()};
}

template <typename Pick>
Spread SpreadBy(const std::vector<const Tightness*>& cases, const Pick& pick) {
  std::vector<int> seen;
  seen.reserve(cases.size());
  for (const Tightness* tightness : cases) seen.push_back(pick(*tightness));
  return SpreadOf(std::move(seen));
}

}  // namespace

int LeastDetected(const std::function<bool(double)>& seen) {
  int known = -1;
  int unseen = kLeast + 1;
  while (unseen - known > 1) {
    const int k = (known + unseen) / 2;
    (seen(std::ldexp(1, -k)) ? known : unseen) = k;
  }
  return known;
}

std::optional<size_t> MedianElement(const Tensor& t) {
  const std::span<const double> values = t.data<double>();
  std::vector<size_t> places;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i]) && values[i] != 0) places.push_back(i);
  }
  if (places.empty()) return std::nullopt;
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
  std::ranges::nth_element(places, middle, {}, [&](size_t i) { return std::pair(std::fabs(values[i]), i); });
  return *middle;
}

bool IsAllClose(const Tensor& want, const Tensor& got) {
  return std::ranges::equal(want.data<double>(), got.data<double>(), [](double w, double g) {
    if (std::isnan(w) || std::isnan(g)) return std::isnan(w) && std::isnan(g);
    if (std::isinf(w) || std::isinf(g)) return w == g;
    return std::fabs(g - w) <= 1e-3 + 1e-3 * std::fabs(w);
  });
}

double Correlation(const Tensor& want, const Tensor& got) {
  const std::span<const double> w = want.data<double>(), g = got.data<double>();
  double n = 0, mean_w = 0, mean_g = 0, ww = 0, gg = 0, wg = 0;
  for (size_t i = 0; i < w.size(); ++i) {
    if (!std::isfinite(w[i]) || !std::isfinite(g[i])) continue;
    ++n;
    const double dw = w[i] - mean_w, dg = g[i] - mean_g;
    mean_w += dw / n;
    mean_g += dg / n;
    ww += dw * (w[i] - mean_w);
    gg += dg * (g[i] - mean_g);
    wg += dw * (g[i] - mean_g);
  }
  return ww == 0 || gg == 0 ? 1 : wg / std::sqrt(ww * gg);
}

TightnessRunner::TightnessRunner(const TightnessSettings& settings, harness::Scratch& scratch)
    : settings_(settings), scratch_(scratch), bench_(settings.folder, settings.device) {}

Expected<void> TightnessRunner::Measure(const Trial& trial, size_t output, bool ordinary, Tightness& tightness) {
  const Expected<NpyFile> file = ReadNpy(trial.OutputFile(output));
  if (!file) return Unexpected(file.error());
  const std::optional<reference::ElementType> type = reference::ParseElementType(trial.c.outputs[output].dtype);
  const Expected<Tensor> right = reference::TensorFromBytes(*type, file->shape(), file->bytes());
  if (!right) return Unexpected(right.error());
  const std::optional<size_t> median = MedianElement(*right);
  if (!median) return {};
  std::optional<Error> error;
  const auto red = [&](const Tensor& changed) {
    const Expected<void> written =
        WriteNpy(trial.OutputFile(output), changed.tensor_type(), reference::TensorToBytes(changed));
    if (!written) error = written.error();
    return IsFailure(bench_.Compare(trial).status);
  };
  for (const bool all : {true, false}) {
    Seen& seen = all ? tightness.all : tightness.one;
    const std::optional<size_t> where = all ? std::nullopt : median;
    KeepGreater(seen.verdict, LeastDetected([&](double e) { return red(Changed(*right, where, e)); }));
    if (error) return Unexpected(*error);
    if (!ordinary) continue;
    seen.allclose = LeastDetected([&](double e) { return !IsAllClose(*right, Changed(*right, where, e)); });
    seen.pcc = LeastDetected([&](double e) { return Correlation(*right, Changed(*right, where, e)) < 0.999; });
  }
  return {};
}

Expected<std::optional<Tightness>> TightnessRunner::Run(const Case& c) {
  const std::optional<size_t> output = FirstFloatOutput(c);
  if (!output) return std::nullopt;
  const Expected<harness::ScratchDir> scratch =
      scratch_.Make(c.id, harness::ScratchBytes(c) * static_cast<int64_t>(settings_.policies.size()));
  if (!scratch) return Unexpected(scratch.error());
  if (const Expected<void> started = bench_.Start(); !started) return Unexpected(started.error());
  Tightness tightness{.op = c.op};
  std::set<std::vector<std::string>> drawn;
  for (const harness::RunPolicy& policy : settings_.policies) {
    Trial trial{c, policy, scratch->path() / policy.name};
    const harness::Answer inputs = bench_.Inputs(trial);
    if (inputs.status != Status::kPass) return std::nullopt;
    if (!drawn.insert(trial.input_digests).second) continue;
    const bool first = drawn.size() == 1;
    if (first && bench_.Compile(trial).status != Status::kPass) return std::nullopt;
    if (bench_.Execute(trial).status != Status::kPass || bench_.Compare(trial).status != Status::kPass) {
      if (first) return std::nullopt;
      continue;
    }
    if (const Expected<void> done = Measure(trial, *output, first, tightness); !done) return Unexpected(done.error());
  }
  return tightness;
}

std::string TightnessMarkdown(const std::map<std::string, std::vector<Tightness>>& by_target) {
  std::string text =
      "| op | device | cases | all elements: verdict, median | worst | allclose 1e-3 | PCC 0.999 | one element: "
      "verdict, "
      "median | worst | allclose 1e-3 | PCC 0.999 |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
  std::set<std::string> ops;
  for (const auto& [target, cases] : by_target) {
    for (const Tightness& tightness : cases) ops.insert(tightness.op);
  }
  for (const std::string& op : ops) {
    for (const auto& [target, cases] : by_target) {
      std::vector<const Tightness*> of_op;
      for (const Tightness& tightness : cases) {
        if (tightness.op == op) of_op.push_back(&tightness);
      }
      if (of_op.empty()) continue;
      text += fmt::format("| {} | {} | {} |", op, target, of_op.size());
      for (const auto part : {&Tightness::all, &Tightness::one}) {
        const auto seen = [&](int Seen::* by) {
          return SpreadBy(of_op, [&](const Tightness& tightness) { return tightness.*part.*by; });
        };
        const Spread verdict = seen(&Seen::verdict);
        text += fmt::format(" {} | {} | {} | {} |", Text(verdict.median), Text(verdict.worst),
                            Text(seen(&Seen::allclose).median), Text(seen(&Seen::pcc).median));
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace opbyop
