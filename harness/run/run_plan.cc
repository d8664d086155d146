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
#include <utility>

#include "harness/inputs/made_twin.h"
#include "harness/inputs/twins.h"
#include "harness/run/case_cost.h"
#include "harness/worker/verdict.h"
#include "protocol/judging_limits.h"
#include "support/machine_memory.h"
#include "support/saturated.h"
#include "support/text/count_text.h"

namespace opbyop::harness {
namespace {

// "12.3 GB"; three digits are enough.
std::string SizeText(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"bytes", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, kUnits[unit]);
}

std::string SizeText(int64_t bytes) { return SizeText(static_cast<double>(bytes)); }

std::string TimeText(double minutes) {
  if (minutes < 1) return fmt::format("{:.0f} s", std::ceil(minutes * 60));
  return minutes < 120 ? fmt::format("{:.0f} min", minutes) : fmt::format("{:.1f} h", minutes / 60);
}

void CountTwins(const RunSetup& setup, const std::vector<const Case*>& cases, RunPlan& plan) {
  const auto shown = [](const RunPolicy& policy) { return policy.IsShownByTwin(); };
  const bool any = setup.policies.size() > 1 && std::any_of(setup.policies.begin() + 1, setup.policies.end(), shown);
  if (!any || setup.manifest.is_whole()) return;
  const Twins twins = SmallerTwins(setup.manifest, kTwinElements);
  for (const Case* c : cases) {
    if (c->is_judged_as_model()) continue;
    const bool has_twin = twins.contains(c);
    plan.on_twins += has_twin ? 1 : 0;
    plan.on_made_twins += !has_twin && MayHaveMadeTwin(*c) ? 1 : 0;
  }
}

// Says why the reference will not judge a case; empty if it will.
std::string WhyTooMuch(const Case& c, int64_t memory) {
  const double steps = StepsOf(c), held = ReferenceBytesOf(c), most = protocol::MostBytes(memory);
  if (steps > protocol::kMostSteps) {
    return fmt::format("about {:.0f} G operations, limit {:.0f} G", steps / 1e9, protocol::kMostSteps / 1e9);
  }
  if (held > most) return fmt::format("about {} alive at once, limit {}", SizeText(held), SizeText(most));
  const double all = held + static_cast<double>(c.total_bytes());
  if (all <= static_cast<double>(memory)) return "";
  return fmt::format("about {} of inputs, outputs and what the reference holds of them", SizeText(all));
}

// A loop that is too much is judged with fewer trips if it counts them, which the manifest does not tell.
std::string ReasonOf(const Case& c, const std::string& reason) {
  return c.op == "stablehlo.while" ? reason + "; with three trips instead, if it counts up by one" : reason;
}

std::string ListText(const std::vector<NotJudged>& cases) {
  std::string text;
  for (const NotJudged& c : cases) text += fmt::format("  {}: {}\n", c.id, c.reason);
  return text;
}

}  // namespace

RunPlan PlanOf(const RunSetup& setup, const Balance& balance, int64_t memory) {
  RunPlan plan;
  plan.target = setup.target.name;
  for (const RunPolicy& policy : setup.policies) plan.policies.push_back(policy.name);
  plan.fresh_draw = setup.options.fresh_seed != "none";
  plan.compiles_only = !HasDevice(setup.target) || setup.compiles_only();
  plan.memory = memory;
  plan.balance = balance.name;
  plan.rows = static_cast<int64_t>(setup.rows.size());
  std::vector<const Case*> cases;
  std::set<const Case*> seen;
  for (const Row& row : setup.rows) {
    if (seen.insert(row.c).second) cases.push_back(row.c);
  }
  plan.cases = static_cast<int64_t>(cases.size());
  std::vector<const Case*> to_time;  // what is not judged takes hardly any
  for (const Case* c : cases) {
    const int64_t bytes = c->total_bytes();
    plan.bytes = AddCapped(plan.bytes, bytes);
    if (plan.largest.empty() || bytes > plan.largest_bytes) {
      plan.largest = c->id;
      plan.largest_bytes = bytes;
    }
    if (c->devices() != Grid()) {
      ++plan.on_several_devices;
      plan.device_bytes = AddCapped(plan.device_bytes, c->device_bytes());
    }
    bool judged = true;
    if (bytes > memory) {
      judged = false;
      plan.do_not_fit.push_back({c->id, ReasonOf(*c, SizeText(bytes) + " of inputs and outputs")});
    } else if (c->is_judged_as_model()) {  // it has limits of its own
    } else if (std::string why = WhyTooMuch(*c, memory); why.empty()) {
      plan.with_bodies += c->kind == OpKind::kControlFlow && c->flops == 0 ? 1 : 0;
      if (const double held = ReferenceBytesOf(*c); plan.most_held.empty() || held > plan.held_bytes) {
        plan.most_held = c->id;
        plan.held_bytes = held;
      }
    } else if (HasChecksums(*c)) {
      ++plan.sampled;
    } else {
      judged = false;
      plan.too_much.push_back({c->id, ReasonOf(*c, why)});
    }
    const bool timed = balance.ms.contains(c->id);
    plan.timed += timed ? 1 : 0;
    if (judged || timed) to_time.push_back(c);
  }
  CountTwins(setup, cases, plan);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  plan.jobs = TargetJobs(setup.target, setup.options.jobs, cores);
  double ms = 0;
  for (const double each : ExpectedMs(to_time, balance)) ms += each;
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
  if (plan.on_several_devices > 0) {
    text += fmt::format("devices: {} on several at once, {} with each device's copy\n",
                        CountText(plan.on_several_devices, "case"), SizeText(plan.device_bytes));
  }
  if (plan.compiles_only) {
    text += "judged: nothing, cases are only compiled\n";
  } else {
    text += fmt::format("judged: {} by every element", CountText(plan.judged_by_elements(), "case"));
    if (plan.with_bodies > 0) {
      text += fmt::format(" ({} with branches or a loop, if that is not too much work)", plan.with_bodies);
    }
    if (plan.sampled > 0) text += fmt::format(", {} by a sample and checksums", CountText(plan.sampled, "product"));
    text += "\n";
  }
  if (plan.on_twins + plan.on_made_twins > 0 && !plan.compiles_only) {
    text += fmt::format(
        "twins: {} under some policies on the same program with smaller shapes, {} of the manifest and {} made\n",
        CountText(plan.on_twins + plan.on_made_twins, "case"), plan.on_twins, plan.on_made_twins);
  }
  const std::string source =
      plan.timed == 0 ? "estimated from operations and bytes at rates measured on host, without a compiler's time"
                      : fmt::format("by the durations of {} in {}", CountText(plan.timed, "case"),
                                    plan.balance.substr(0, plan.balance.find(',')));
  text += fmt::format("time: about {} with {}, {}\n", TimeText(plan.minutes), CountText(plan.jobs, "job"), source);
  text += fmt::format("memory: {}", SizeText(plan.memory));
  if (plan.do_not_fit.empty()) {
    text += ", enough for the inputs and outputs of each case\n";
  } else {
    text += fmt::format(", less than the inputs and outputs of {}, which will not be judged:\n{}",
                        CountText(plan.do_not_fit.size(), "case"), ListText(plan.do_not_fit));
  }
  if (plan.compiles_only) return text;
  if (!plan.most_held.empty()) {
    text += fmt::format("the reference: holds about {} at once of one case ({}), and what its bodies compute\n",
                        SizeText(plan.held_bytes), plan.most_held);
  }
  if (plan.too_much.empty()) return text;
  return text + fmt::format("not judged: {} beyond the reference's limits, which will probably be skipped:\n{}",
                            CountText(plan.too_much.size(), "case"), ListText(plan.too_much));
}

std::string MemoryNote(const std::vector<const Case*>& cases, int64_t memory) {
  const auto count = std::ranges::count_if(cases, [&](const Case* c) { return c->total_bytes() > memory; });
  if (count == 0) return "";
  return fmt::format(
      "the inputs and outputs of {} exceed this machine's memory of {}, so that they will not be judged; --plan "
      "names them",
      CountText(count, "case"), SizeText(memory));
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
