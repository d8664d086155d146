// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Right values that do not reach the caller: stale, constant, shuffled, partly written buffers.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/eval/movement.h"
#include "validation/fault_injection/fault.h"

namespace opbyop::fault_injection {
namespace {

using reference::Shape;
using reference::Tensor;
using reference::Values;

// Applies f(value, index, size) to every element of every result.
using ElementFn = double (*)(double v, int64_t i, int64_t n);

std::function<Expected<void>(ProgramResults)> Each(ElementFn f) {
  return [f](ProgramResults program) -> Expected<void> {
    for (Tensor& t : program.tensors) {
      EachIndexed(t, [&](double v, int64_t i) { return f(v, i, t.size()); });
    }
    return {};
  };
}

// Another number, different by 1 % or by one.
double Off(double v) { return std::isfinite(v) ? v + std::max(1.0, std::fabs(v) * 0.01) : 0; }

// Replaces the results by those of other arguments, if the program has results for these.
Expected<void> ReplaceByRerun(ProgramResults program, Values arguments) {
  Expected<Values> results = program.rerun(std::move(arguments));
  if (!results) return {};
  for (size_t i = 0; i < program.tensors.size(); ++i) program.tensors[i] = (*results)[i].tensor();
  return {};
}

// The results of other arguments, as in the buffer of an earlier run.
Expected<void> Stale(ProgramResults program) {
  Values others = program.arguments;
  for (reference::Value& value : others) value.tensor() = Rotated(value.tensor());
  return ReplaceByRerun(program, std::move(others));
}

// The last argument of an earlier run: weights that were not loaded again.
Expected<void> LastArgumentStale(ProgramResults program) {
  if (program.arguments.size() < 2) return {};
  Values others = program.arguments;
  others.back().tensor() = Rotated(others.back().tensor());
  return ReplaceByRerun(program, std::move(others));
}

Expected<void> ArgumentsExchanged(ProgramResults program) {
  Values others = program.arguments;
  for (size_t i = 0; i + 1 < others.size(); ++i) {
    const Tensor& a = others[i].tensor();
    const Tensor& b = others[i + 1].tensor();
    if (a.type() != b.type() || a.shape() != b.shape()) continue;
    std::swap(others[i], others[i + 1]);
    return ReplaceByRerun(program, std::move(others));
  }
  return {};
}

Expected<void> Echoed(ProgramResults program) {
  for (Tensor& t : program.tensors) {
    for (const reference::Value& value : program.arguments) {
      const Tensor& argument = value.tensor();
      if (argument.type() != t.type() || argument.shape() != t.shape()) continue;
      t = argument;
      break;
    }
  }
  return {};
}

Expected<void> InColumnMajor(ProgramResults program) {
  for (Tensor& t : program.tensors) {
    if (t.rank() < 2) continue;
    std::vector<int64_t> permutation(static_cast<size_t>(t.rank()));
    std::iota(permutation.rbegin(), permutation.rend(), 0);
    t = reference::Transpose(t, permutation).Reshaped(t.shape());
  }
  return {};
}

Expected<void> ResultsExchanged(ProgramResults program) {
  std::vector<Tensor>& t = program.tensors;
  for (size_t i = 0; i + 1 < t.size(); ++i) {
    if (t[i].type() != t[i + 1].type() || t[i].shape() != t[i + 1].shape()) continue;
    std::swap(t[i], t[i + 1]);
    break;
  }
  return {};
}

Expected<void> LanesExchanged(ProgramResults program) {
  for (Tensor& t : program.tensors) {
    std::vector<int64_t> places(static_cast<size_t>(t.size()));
    std::iota(places.begin(), places.end(), 0);
    for (size_t i = 0; i + 1 < places.size(); i += 2) std::swap(places[i], places[i + 1]);
    t = Permuted(t, places);
  }
  return {};
}

Expected<void> Constant(ProgramResults program) {
  for (Tensor& t : program.tensors) {
    if (t.size() > 0) t = Permuted(t, std::vector<int64_t>(static_cast<size_t>(t.size()), 0));
  }
  return {};
}

// Makes element i of every result that of `from(i, its shape)`.
std::function<Expected<void>(ProgramResults)> Taken(int64_t (*from)(int64_t i, const Shape& shape)) {
  return [from](ProgramResults program) -> Expected<void> {
    for (Tensor& t : program.tensors) {
      std::vector<int64_t> places(static_cast<size_t>(t.size()));
      for (int64_t i = 0; i < t.size(); ++i) places[static_cast<size_t>(i)] = from(i, t.shape());
      t = Permuted(t, places);
    }
    return {};
  };
}

// The first part of the first dimension that has several is repeated for all of them; vectors are left alone.
int64_t FirstPart(int64_t i, const Shape& shape) {
  size_t d = 0;
  while (d < shape.size() && shape[d] == 1) ++d;
  return d + 1 < shape.size() ? i % reference::StridesOf(shape)[d] : i;
}

int64_t IndexOf16Bits(int64_t i, const Shape&) { return i & 0xFFFF; }

// Rows are written with a stride of a multiple of 32 elements, and read without a gap.
Expected<void> PitchMistaken(ProgramResults program) {
  for (Tensor& t : program.tensors) {
    if (t.rank() == 0 || t.size() == t.shape().back()) continue;
    Shape pitched = t.shape();
    pitched.back() = (pitched.back() + 31) / 32 * 32;
    const Tensor rows = FitTo(t, pitched);
    t = FitTo(rows.Reshaped({rows.size()}), {t.size()}).Reshaped(t.shape());
  }
  return {};
}

}  // namespace

void AddResultFaults(std::vector<Fault>& faults) {
  const auto all = [&](std::string name, std::string what, std::function<Expected<void>(ProgramResults)> results) {
    faults.push_back({.name = std::move(name), .what = std::move(what), .results = std::move(results)});
  };
  all("stale_buffer", "the results of an earlier run", &Stale);
  all("last_argument_stale", "the last argument is that of an earlier run", &LastArgumentStale);
  all("arguments_exchanged", "two arguments of one type exchanged", &ArgumentsExchanged);
  all("constant_result", "every element is the first one", &Constant);
  all("zero_result", "every element is zero", Each([](double, int64_t, int64_t) { return 0.0; }));
  all("input_echoed", "an argument comes back", &Echoed);
  all("wrong_layout", "right values in column-major order", &InColumnMajor);
  all("row_pitch_mistaken", "rows written 32 elements apart are read without a gap", &PitchMistaken);
  all("first_part_repeated", "the first part along the outermost dimension stands for all", Taken(&FirstPart));
  all("index_of_16_bits", "elements beyond 65,536 are those from the first one on", Taken(&IndexOf16Bits));
  all("lanes_exchanged", "neighbouring elements exchanged", &LanesExchanged);
  all("results_exchanged", "two results of one type exchanged", &ResultsExchanged);
  all("one_lane_in_10000", "every 10,000th element is off by 1 % or by 1", Each([](double v, int64_t i, int64_t n) {
        return i == std::min<int64_t>(n, 7777) - 1 || i % 10000 == 7776 ? Off(v) : v;
      }));
  all("first_element_wrong", "the first element is off",
      Each([](double v, int64_t i, int64_t) { return i == 0 ? Off(v) : v; }));
  all("last_element_wrong", "the last element is off",
      Each([](double v, int64_t i, int64_t n) { return i == n - 1 ? Off(v) : v; }));
  all("tail_of_vector_garbage", "elements beyond the last full vector of 8 hold garbage",
      Each([](double v, int64_t i, int64_t n) { return i >= n / 8 * 8 ? static_cast<double>(i % 5) : v; }));
  all("last_row_unwritten", "the last eighth of the buffer is not written",
      Each([](double v, int64_t i, int64_t n) { return i >= n - (n + 7) / 8 ? 0.0 : v; }));
  all("grid_rounded_down", "elements beyond the last full block of 256 are not written",
      Each([](double v, int64_t i, int64_t n) { return n >= 256 && i >= n / 256 * 256 ? 0.0 : v; }));
  all("error_grows_with_index", "a relative error of 1e-7 times the index",
      Each([](double v, int64_t i, int64_t) { return v * (1 + 1e-7 * static_cast<double>(i)); }));
}

}  // namespace opbyop::fault_injection
