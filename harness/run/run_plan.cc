// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/run_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <thread>

#include "support/machine_memory.h"
#include "support/saturated.h"
#include "support/text/count_text.h"

namespace opbyop::harness {
namespace {

// "12.3 GB"; three digits are enough.
std::string SizeText(int64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"bytes", "KB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.{}f} {}", size, unit == 0 || size >= 100 ? 0 : 1, kUnits[unit]);
}

std::string TimeText(double minutes) {
  if (minutes < 1) return fmt::format("{:.0f} s", std::ceil(minutes * 60));
  return minutes < 120 ? fmt::format("{:.0f} min", minutes) : fmt::format("{:.1f} h", minutes / 60);
}

}  // namespace

RunPlan PlanOf(const RunSetup& setup, const Balance& balance, int64_t memory) {
  RunPlan plan;
  plan.target = setup.target.name;
  for (const RunPolicy& policy : setup.policies) plan.policies.push_back(policy.name);
  plan.fresh_draw = setup.options.fresh_seed != "none";
  plan.memory = memory;
  plan.balance = balance.name;
  plan.rows = static_cast<int64_t>(setup.rows.size());
  std::vector<const Case*> cases;
  std::set<const Case*> seen;
  for (const Row& row : setup.rows) {
    if (seen.insert(row.c).second) cases.push_back(row.c);
  }
  plan.cases = static_cast<int64_t>(cases.size());
  for (const Case* c : cases) {
    const int64_t bytes = c->total_bytes();
    plan.bytes = AddCapped(plan.bytes, bytes);
    if (plan.largest.empty() || bytes > plan.largest_bytes) {
      plan.largest = c->id;
      plan.largest_bytes = bytes;
    }
    if (bytes > memory) plan.do_not_fit.push_back(c->id);
    plan.timed += balance.ms.contains(c->id) ? 1 : 0;
  }
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  plan.jobs = TargetJobs(setup.target, setup.options.jobs, cores);
  double ms = 0;
  for (const double each : ExpectedMs(cases, balance)) ms += each;
  plan.minutes = ms / 60'000 / plan.jobs;
  return plan;
}

std::string ToText(const RunPlan& plan) {
  std::string text = fmt::format("{}: {} for {}, judged under {}{}\n", plan.target, CountText(plan.cases, "case"),
                                 CountText(plan.rows, "row"), fmt::join(plan.policies, ", "),
                                 plan.fresh_draw ? " and one further draw of edge" : "");
  if (plan.cases == 0) return text;
  text += fmt::format("data: {} of inputs and outputs for one set of inputs, at most {} for one case ({})\n",
                      SizeText(plan.bytes), SizeText(plan.largest_bytes), plan.largest);
  const std::string source = plan.timed == 0
                                 ? "estimated from operations and bytes, which says little about a compiler"
                                 : fmt::format("by the durations of {} in {}", CountText(plan.timed, "case"),
                                               plan.balance.substr(0, plan.balance.find(',')));
  text += fmt::format("time: about {} with {}, {}\n", TimeText(plan.minutes), CountText(plan.jobs, "job"), source);
  text += fmt::format("memory: {}", SizeText(plan.memory));
  if (plan.do_not_fit.empty()) return text + ", enough for the inputs and outputs of each case\n";
  text += fmt::format(", less than the inputs and outputs of {}, which will not be judged:\n",
                      CountText(plan.do_not_fit.size(), "case"));
  for (const std::string& id : plan.do_not_fit) text += fmt::format("  {}\n", id);
  return text;
}

Expected<std::string> PlanText(Options options) {
  std::string balance_name = options.balance;
  const Expected<RunSetup> setup = RunSetup::Load(std::move(options));
  if (!setup) return Unexpected(setup.error());
  std::error_code error;
  if (balance_name.empty() && std::filesystem::exists(setup->results_path, error)) {
    balance_name = setup->results_path.string();
  }
  const Expected<Balance> balance = FindBalance(balance_name);
  if (!balance) return Unexpected(balance.error());
  return ToText(PlanOf(*setup, *balance, MachineMemory()));
}

}  // namespace opbyop::harness
