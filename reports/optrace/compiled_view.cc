// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/compiled_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "reports/optrace/operator_table.h"
#include "support/text/count_text.h"

namespace opbyop::optrace {
namespace {

using nlohmann::json;

constexpr int64_t kRegions = 8;
constexpr size_t kNamed = 3;  // instructions that an advice names

// Shares of a region's time from which on something is said.
constexpr double kManyIdle = 0.2;
constexpr double kManyExposed = 0.1;
constexpr double kManyOfOne = 0.5;
constexpr double kSome = 0.05;

constexpr auto kCopies = std::to_array<std::string_view>({"copy", "infeed", "outfeed"});
constexpr auto kCollectives =
    std::to_array<std::string_view>({"all-reduce", "all-gather", "all-to-all", "reduce-scatter", "collective-permute",
                                     "collective-broadcast", "ragged-all-to-all", "send", "recv", kCollectiveName});

// Whether the HLO op is one of these, or the start or the end of one.
bool IsOneOf(const auto& names, std::string_view category) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    if (!category.starts_with(name)) return false;
    const std::string_view rest = category.substr(name.size());
    return rest.empty() || rest == "-start" || rest == "-done";
  });
}

// The place of an instruction: of its device, and of the engine, stream or thread.
using Track = std::pair<int64_t, std::string>;
Track TrackOf(const Instruction& instruction) { return {instruction.device, instruction.track}; }

int64_t EndOf(const Instruction& instruction) { return instruction.start_ps + instruction.dur_ps; }

const TraceDevice* DeviceOf(const Trace& trace) {
  return trace.header.devices.empty() ? nullptr : &trace.header.devices.front();
}

// Accumulates how long each region is idle and how long its transfers are exposed, on one device.
void Sweep(const std::vector<const Instruction*>& leaves, std::vector<Region>& regions, double devices) {
  struct Change {
    int64_t at;
    int computes, moves;
  };
  std::vector<Change> changes;
  changes.reserve(2 * leaves.size() + regions.size() + 1);
  for (const Instruction* leaf : leaves) {
    const bool moves = IsTransfer(leaf->category);
    changes.push_back({leaf->start_ps, moves ? 0 : 1, moves ? 1 : 0});
    changes.push_back({EndOf(*leaf), moves ? 0 : -1, moves ? -1 : 0});
  }
  for (const Region& region : regions) changes.push_back({region.start_ps, 0, 0});
  changes.push_back({regions.back().end_ps, 0, 0});
  std::ranges::sort(changes, {}, &Change::at);
  int computes = 0, moves = 0;
  size_t region = 0;
  for (size_t i = 0; i + 1 < changes.size(); ++i) {
    computes += changes[i].computes;
    moves += changes[i].moves;
    const int64_t begin = changes[i].at, end = changes[i + 1].at;
    if (begin == end) continue;
    while (region + 1 < regions.size() && regions[region].end_ps <= begin) ++region;
    Region& here = regions[region];
    const double share = static_cast<double>(end - begin) / static_cast<double>(here.end_ps - here.start_ps) / devices;
    if (computes == 0) (moves > 0 ? here.exposed : here.idle) += share;
  }
}

// An instruction that runs in a region, by the time that it spends there.
struct Part {
  const Instruction* instruction;
  double share;  // of the region's time
};

std::string NamesOf(const std::vector<Part>& parts) {
  std::vector<std::string> names;
  for (const Part& part : parts) {
    if (std::ranges::find(names, part.instruction->name) == names.end()) names.push_back(part.instruction->name);
  }
  const size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string ModuleOf(const std::vector<Part>& parts, const std::vector<Op>& ops) {
  std::map<std::string, double> shares;
  for (const Part& part : parts) {
    if (part.instruction->ops.empty()) continue;
    const Op& op = ops[static_cast<size_t>(part.instruction->ops.front())];
    if (!op.path.empty()) shares[fmt::format("{}", fmt::join(op.path, "/"))] += part.share;
  }
  const auto most = std::ranges::max_element(shares, {}, [](const auto& entry) { return entry.second; });
  return most == shares.end() ? "" : most->first;
}

// By device, and of one device in the order in which they are used first.
std::map<Track, size_t> NumbersOfTracks(const std::vector<Instruction>& instructions) {
  std::map<Track, size_t> first;
  for (size_t i = 0; i < instructions.size(); ++i) first.emplace(TrackOf(instructions[i]), i);
  std::map<std::pair<int64_t, size_t>, Track> ordered;
  for (const auto& [track, index] : first) ordered.emplace(std::pair(track.first, index), track);
  std::map<Track, size_t> numbers;
  for (const auto& [_, track] : ordered) numbers.emplace(track, numbers.size());
  return numbers;
}

std::string Percent(double share) {
  constexpr double kPercent = 100;
  return fmt::format("{:.0f} %", kPercent * share);
}

std::vector<std::string> AdviceOn(const Region& region, const std::vector<Part>& parts, const Trace& trace) {
  std::vector<std::string> advice;
  if (region.idle >= kManyIdle) {
    advice.push_back(fmt::format("idle {}: no instruction runs; the device waits for its host or for another device",
                                 Percent(region.idle)));
  }
  if (region.exposed >= kManyExposed) {
    std::vector<Part> transfers;
    std::ranges::copy_if(parts, std::back_inserter(transfers),
                         [](const Part& part) { return IsTransfer(part.instruction->category); });
    advice.push_back(
        fmt::format("transfers exposed: {} ({}); let them run beside the instructions that do not need them",
                    Percent(region.exposed), NamesOf(transfers)));
  }
  const TraceDevice* device = DeviceOf(trace);
  if (device == nullptr || device->peak_gflops <= 0 || device->peak_gb_per_s <= 0) {
    advice.emplace_back(
        "what bounds its instructions is unknown: the device's peaks are not known (--peak-gflops, "
        "--peak-gb-per-s)");
  } else {
    std::vector<Part> bound;
    std::ranges::copy_if(parts, std::back_inserter(bound), [&](const Part& part) {
      const auto [flops, bytes] = WorkOf(*part.instruction, trace.ops);
      return part.share >= kSome && flops > 0 &&
             BoundBy(flops, bytes, part.instruction->dur_ps, 0, *device) == "memory";
    });
    if (!bound.empty()) {
      advice.push_back(
          fmt::format("{} of this region {} bound by memory ({}): fuse {} with what makes or uses the values",
                      CountText(bound.size(), "instruction"), bound.size() == 1 ? "is" : "are", NamesOf(bound),
                      bound.size() == 1 ? "it" : "them"));
    }
  }
  if (!parts.empty() && parts.front().share >= kManyOfOne) {
    const Instruction& most = *parts.front().instruction;
    const std::string op =
        most.ops.empty() ? "" : fmt::format(" ({})", HloName(trace.ops[static_cast<size_t>(most.ops.front())]));
    advice.push_back(fmt::format("{}{} takes {} of the time", most.name, op, Percent(parts.front().share)));
  }
  return advice;
}

}  // namespace

std::vector<int64_t> SelfTimes(const std::vector<Instruction>& instructions) {
  std::vector<int64_t> times;
  times.reserve(instructions.size());
  std::map<Track, std::vector<size_t>> open;  // those that contain the current one, outermost first
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& each = instructions[i];
    std::vector<size_t>& outer = open[TrackOf(each)];
    while (!outer.empty() && EndOf(instructions[outer.back()]) <= each.start_ps) outer.pop_back();
    if (!outer.empty()) {
      const int64_t inside = std::min(EndOf(each), EndOf(instructions[outer.back()])) - each.start_ps;
      times[outer.back()] = std::max<int64_t>(0, times[outer.back()] - inside);
    }
    times.push_back(each.dur_ps);
    outer.push_back(i);
  }
  return times;
}

Work WorkOf(const Instruction& instruction, const std::vector<Op>& ops) {
  Work work;
  for (const int64_t op : instruction.ops) {
    work.flops += ops[static_cast<size_t>(op)].flops;
    work.bytes += ops[static_cast<size_t>(op)].bytes;
  }
  if (instruction.bytes > 0) work.bytes = work.bytes > 0 ? std::min(work.bytes, instruction.bytes) : instruction.bytes;
  return work;
}

bool IsCollective(const std::string& category) { return IsOneOf(kCollectives, category); }

bool IsTransfer(const std::string& category) { return IsOneOf(kCopies, category) || IsCollective(category); }

std::vector<Region> Regions(const Trace& trace) {
  const std::vector<Instruction>& all = trace.instructions;
  int64_t end = 0;
  for (const Instruction& each : all) end = std::max(end, EndOf(each));
  if (end < kRegions) return {};
  const std::vector<int64_t> self = SelfTimes(all);
  std::vector<Region> regions;
  regions.reserve(kRegions);
  for (int64_t i = 0; i < kRegions; ++i)
    regions.push_back({.start_ps = end / kRegions * i, .end_ps = i + 1 < kRegions ? end / kRegions * (i + 1) : end});

  // An instruction that contains others runs in them.
  std::map<int64_t, std::vector<const Instruction*>> leaves;
  std::vector<std::vector<Part>> parts(regions.size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (self[i] < all[i].dur_ps) continue;
    leaves[all[i].device].push_back(&all[i]);
    for (size_t r = 0; r < regions.size(); ++r) {
      const int64_t inside =
          std::min(EndOf(all[i]), regions[r].end_ps) - std::max(all[i].start_ps, regions[r].start_ps);
      if (inside <= 0) continue;
      parts[r].push_back(
          {&all[i], static_cast<double>(inside) / static_cast<double>(regions[r].end_ps - regions[r].start_ps)});
    }
  }
  for (const auto& [_, of_device] : leaves) Sweep(of_device, regions, static_cast<double>(leaves.size()));
  for (size_t r = 0; r < regions.size(); ++r) {
    std::ranges::sort(parts[r], {},
                      [](const Part& part) { return std::pair(-part.share, part.instruction->start_ps); });
    regions[r].module = ModuleOf(parts[r], trace.ops);
    regions[r].advice = AdviceOn(regions[r], parts[r], trace);
  }
  return regions;
}

json CompiledData(const Trace& trace) {
  if (trace.instructions.empty()) return nullptr;
  const std::vector<int64_t> self = SelfTimes(trace.instructions);
  const std::map<Track, size_t> numbers = NumbersOfTracks(trace.instructions);
  std::vector<json> tracks(numbers.size());
  for (const auto& [track, number] : numbers) tracks[number] = {{"device", track.first}, {"name", track.second}};
  const TraceDevice* device = DeviceOf(trace);
  json instructions = json::array();
  for (size_t i = 0; i < trace.instructions.size(); ++i) {
    const Instruction& each = trace.instructions[i];
    const auto [flops, bytes] = WorkOf(each, trace.ops);
    instructions.push_back({{"track", numbers.at(TrackOf(each))},
                            {"name", each.name},
                            {"category", each.category},
                            {"ops", each.ops},
                            {"start", each.start_ps},
                            {"time", each.dur_ps},
                            {"self", self[i]},
                            {"flops", flops},
                            {"bytes", bytes},
                            {"bound", device == nullptr ? "" : BoundBy(flops, bytes, self[i], 0, *device)},
                            {"live", each.live_bytes},
                            {"wire", each.wire_bytes},
                            {"collective", IsCollective(each.category)}});
  }
  json regions = json::array();
  for (const Region& region : Regions(trace)) {
    regions.push_back({{"start", region.start_ps},
                       {"end", region.end_ps},
                       {"module", region.module},
                       {"idle", region.idle},
                       {"exposed", region.exposed},
                       {"advice", region.advice}});
  }
  return {{"tracks", tracks}, {"instructions", instructions}, {"regions", regions}};
}

}  // namespace opbyop::optrace
