// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a program op by op on a fake device, and returns all that was recorded.
//
//   FakeDevice device;
//   device.changes["stablehlo.negate"] = [](DeviceRun& run) { run.timing.n = 4; };
//   const Recorded recorded = RunText(kTwoOps, {F32({0, 1})}, device);
//   EXPECT_EQ(recorded.RunOf("negate").n, 4);
#ifndef OPBYOP_CHAINED_CHAIN_FIXTURE_H_
#define OPBYOP_CHAINED_CHAIN_FIXTURE_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "chained/chain.h"

namespace opbyop::chained {

// A device that does what the reference does, unless a test changes that for an op.
class FakeDevice : public ChainDevice {
 public:
  using Change = std::function<void(DeviceRun&)>;

  DeviceRun Run(const Case& c, const std::function<std::string()>& text,
                const std::vector<reference::InputData>& inputs, const std::function<void()>& meanwhile) override;

  bool UsesAnnouncements() const override { return true; }
  void Announce(const Case& next, std::vector<std::optional<reference::InputData>> inputs) override {
    std::string known;
    for (const auto& input : inputs) known += input ? "+" : "-";
    announced.push_back(next.op + " " + known);
  }

  std::vector<std::string> announced;              // each op, and which of its inputs were known
  std::map<std::string, Change> changes;           // by op
  std::function<void(reference::Tensor&)> before;  // applied to its operands before it runs
  std::vector<std::string> ran;
  int64_t clock = 0;
};

struct Recorded {
  Expected<std::vector<reference::InputData>> outputs;
  std::vector<optrace::Op> ops;
  std::vector<optrace::Span> spans;
  std::map<int64_t, optrace::OpRun> runs;
  std::vector<optrace::OutputCompare> compares;
  std::vector<std::string> warnings;
  std::vector<std::string> ran;

  const optrace::OpRun& RunOf(const std::string& hlo) const;
  std::vector<double> Output(size_t i = 0) const;
};

reference::InputData F32(const std::vector<double>& values);

Recorded RunText(const std::string& text, const std::vector<reference::InputData>& inputs, FakeDevice& device,
                 ChainOptions options = {});

inline constexpr const char* kTwoOps = R"(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %a : tensor<2xf32>
  %1 = stablehlo.negate %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
})";

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_CHAIN_FIXTURE_H_
