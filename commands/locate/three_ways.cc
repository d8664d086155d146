// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/three_ways.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "reduction/edit.h"
#include "reference/eval/estimate.h"
#include "reference/eval/evaluator.h"
#include "reference/tensor/tensor.h"

namespace opbyop::locate {
namespace {

using reduction::Program;
using reference::ElementKind;
using reference::InputData;
using reference::Tensor;

// Sums that round after every step take a hundred nanoseconds for each product.
constexpr reference::WorkLimits kLimits = {.operations = 2e8, .bytes = 4e9};

// The results of a program whose inputs are fixed. Results that are no tensors are absent from what is returned.
Expected<std::vector<Tensor>> Evaluate(const Program& program, bool every_step) {
  reference::Values arguments;
  for (const InputData& input : *program.inputs) {
    Expected<Tensor> tensor = reference::TensorFromBytes(input.type, input.shape, input.bytes);
    if (!tensor) return Unexpected(tensor.error());
    arguments.emplace_back(std::move(*tensor));
  }
  reference::Evaluator evaluator(program.module.get(), {.round_every_step = every_step});
  const Expected<reference::Values> values = evaluator.Call("main", std::move(arguments));
  if (!values) return Unexpected(values.error());
  std::vector<Tensor> results;
  for (const reference::Value& value : *values) {
    if (!value.is_tensor()) return MakeError(ExitCode::kUnsupported, "a result is no tensor");
    results.push_back(value.tensor());
  }
  return results;
}

// Squares of errors and of what they are errors of.
struct Errors {
  double promised = 0, device = 0, exact = 0;

  void Add(double exactly, double as_promised, double as_computed) {
    if (!std::isfinite(exactly) || !std::isfinite(as_promised) || !std::isfinite(as_computed)) return;
    promised += (as_promised - exactly) * (as_promised - exactly);
    device += (as_computed - exactly) * (as_computed - exactly);
    exact += exactly * exactly;
  }
  double PromisedShare() const { return exact > 0 ? std::sqrt(promised / exact) : std::sqrt(promised); }
  double DeviceShare() const { return exact > 0 ? std::sqrt(device / exact) : std::sqrt(device); }
};

double Times(const ThreeWays& ways) {
  if (ways.promised > 0) return ways.device / ways.promised;
  return ways.device > 0 ? std::numeric_limits<double>::infinity() : 0;
}

}  // namespace

std::string ThreeWays::Text() const {
  if (!measured()) return "not compared with the exact results: " + unmeasured;
  const std::string numbers =
      fmt::format("from the exact results the promised precision is off by {:.1e} of their size, the device by {:.1e}",
                  promised, device);
  if (device <= promised) return numbers + ": the device is no further off than its promise";
  return promised > 0 ? fmt::format("{}: {:.1f} times as far", numbers, Times(*this)) : numbers;
}

std::optional<std::string> TooLargeToMeasure(const Program& program) {
  return TooLarge(reference::EstimateWork(program.module.get()), kLimits);
}

ThreeWays MeasureThreeWays(const Program& program, const std::vector<InputData>& outputs) {
  ThreeWays worst;
  const auto unmeasured = [&](std::string why) {
    worst.unmeasured = std::move(why);
    return worst;
  };
  if (auto why = TooLargeToMeasure(program)) return unmeasured(std::move(*why));
  Program wide = program.Clone();
  if (!reduction::WidenFloats(wide)) return unmeasured("the program cannot be written with floats of 64 bits");
  const Expected<std::vector<Tensor>> exact = Evaluate(wide, false);
  if (!exact) return unmeasured(exact.error().message);
  const Expected<std::vector<Tensor>> promised = Evaluate(program, true);
  if (!promised) return unmeasured(promised.error().message);
  if (outputs.size() != exact->size() || promised->size() != exact->size()) {
    return unmeasured("the device returned another number of results");
  }
  bool found = false;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Tensor& want = (*exact)[k];
    const Expected<Tensor> got = reference::TensorFromBytes(outputs[k].type, outputs[k].shape, outputs[k].bytes);
    if (!got) return unmeasured(got.error().message);
    if (want.kind() != ElementKind::kFloat || got->kind() != ElementKind::kFloat || got->size() != want.size()) {
      continue;
    }
    Errors errors;
    const std::span<const double> exactly = want.data<double>();
    const std::span<const double> as_promised = (*promised)[k].data<double>();
    const std::span<const double> computed = got->data<double>();
    for (size_t i = 0; i < exactly.size(); ++i) errors.Add(exactly[i], as_promised[i], computed[i]);
    const ThreeWays ways{errors.PromisedShare(), errors.DeviceShare(), ""};
    if (!found || Times(ways) > Times(worst)) worst = ways;
    found = true;
  }
  return found ? worst : unmeasured("no result is a float");
}

}  // namespace opbyop::locate
