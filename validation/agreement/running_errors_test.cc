// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bounds of every op of the suite on inexact numbers: the reference's own results for numbers within the errors must
// be within them. A bound that is too narrow accuses a right device wherever the op is one of several.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "generator/suite/suite_command.h"
#include "ir/read_module.h"
#include "reference/eval/test/inexact_arguments.h"
#include "reference/inputs/inputs.h"
#include "support/test_folder.h"

namespace opbyop {
namespace {

using reference::InputData;
using reference::Tensor;

constexpr int64_t kMostElements = 5000;

// Numbers keep their signs: that of a zero is open only if an op says so.
Tensor WithRelativeErrors(Tensor t) {
  const reference::FloatFormat& format = FormatOf(t.type());
  std::vector<double> errors;
  for (const double v : std::as_const(t).data<double>()) {
    const double error = std::max(std::fabs(v) * 0x1p-10, 1.5 * format.Ulp(v));
    errors.push_back(std::isfinite(v) ? std::min(error, 0.75 * std::fabs(v)) : 0);
  }
  return reference::WithErrors(std::move(t), errors);
}

// A program's arguments, of which the floats have errors. They are not usable if they are complex, or many numbers.
struct Arguments {
  std::vector<Tensor> all;
  bool usable = true;
};

Arguments ArgumentsOf(const std::string& id, const std::string& text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = ReadModuleFromBytes(text, id, context);
  if (!module) return {{}, false};
  const auto inputs = reference::MakeInputs(**module, InputKind::kDomain, reference::SeedOf(id, 1));
  if (!inputs) return {{}, false};
  Arguments arguments;
  for (const InputData& input : *inputs) {
    Tensor t = *reference::TensorFromBytes(input.type, input.shape, input.bytes);
    arguments.usable =
        arguments.usable && KindOf(t.type()) != reference::ElementKind::kComplex && t.size() <= kMostElements;
    if (!arguments.usable) break;
    if (t.kind() == reference::ElementKind::kFloat) t = WithRelativeErrors(std::move(t));
    arguments.all.push_back(std::move(t));
  }
  return arguments;
}

TEST(RunningErrorsTest, CoverWhatDevicesMayHaveForEachOpOfTheSuite) {
  const auto suite = generator::LoadSuite(TestSource("generator/suite/stablehlo"));
  ASSERT_TRUE(suite) << suite.error().message;
  reference::Devices devices;
  int programs = 0;
  const auto judge = [&](const std::string& id, const std::string& text) -> Expected<void> {
    const Arguments arguments = ArgumentsOf(id, text);
    const reference::Values values(arguments.all.begin(), arguments.all.end());
    const bool usable = arguments.usable && !values.empty() && reference::EvaluateText(text, values).has_value();
    if (!usable) return {};
    SCOPED_TRACE(id);
    devices.ExpectCovered(text, arguments.all, {}, /*count=*/2);
    ++programs;
    return {};
  };
  const auto made = generator::MakeCases(*suite, generator::Level::kSmoke, "*", judge);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_GT(programs, 500);
}

}  // namespace
}  // namespace opbyop
