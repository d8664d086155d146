// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/false_positives/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "manifests/formats/json.h"

namespace opbyop {
namespace {

nlohmann::json ToJson(const std::string& id, const Progress& progress) {
  nlohmann::json json = {{"case", id}, {"seeds", progress.seeds}};
  if (progress.alike > 0) json["alike"] = progress.alike;
  if (!progress.skipped.empty()) json["skipped"] = progress.skipped;
  for (const auto& [name, t] : progress.targets) {
    nlohmann::json& of = json["targets"][name];
    of = {{"runs", t.runs}, {"refused", t.refused}, {"ratio", t.ratio}, {"status", t.status}, {"first", t.first}};
    if (t.flushed > 0) of["flushed"] = t.flushed;
    if (t.precision > 0) of["precision"] = t.precision;
  }
  return json;
}

Progress FromJson(const nlohmann::json& json) {
  Progress progress;
  progress.seeds = json.at("seeds");
  progress.alike = json.value("alike", int64_t{0});
  progress.skipped = json.value("skipped", "");
  const nlohmann::json targets = json.value("targets", nlohmann::json::object());
  for (const auto& [name, t] : targets.items()) {
    progress.targets[name] = {.runs = t.at("runs"),
                              .refused = t.at("refused"),
                              .flushed = t.value("flushed", int64_t{0}),
                              .ratio = t.at("ratio"),
                              .precision = t.value("precision", 0.0),
                              .status = t.at("status"),
                              .first = t.at("first")};
  }
  return progress;
}

// The kind of a status: targets report many cases in almost the same words.
std::string Kind(const std::string& status) { return status.substr(0, 60); }

}  // namespace

bool Progress::Done(int64_t wanted) const {
  const bool stuck =
      !targets.empty() && std::ranges::all_of(targets, [](const auto& t) { return !t.second.status.empty(); });
  return seeds >= wanted || !skipped.empty() || stuck;
}

Expected<ProgressFile> ProgressFile::Open(const std::filesystem::path& file) {
  ProgressFile progress;
  Expected<std::unique_ptr<LineLog>> log = LineLog::Open(file, [&](std::string_view line) {
    const Expected<nlohmann::json> json = ParseJson(line);
    if (!json) return;  // cut off by a kill: the case's earlier line counts
    try {
      progress.cases_[json->at("case")] = FromJson(*json);
    } catch (const nlohmann::json::exception&) {  // as above
    }
  });
  if (!log) return Unexpected(log.error());
  progress.log_ = std::move(*log);
  return progress;
}

ProgressFile::ProgressFile(ProgressFile&& other) noexcept
    : log_(std::move(other.log_)), cases_(std::move(other.cases_)) {}

Progress& ProgressFile::Of(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return cases_[id];
}

Expected<void> ProgressFile::Append(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return log_->Append(ToJson(id, cases_[id]).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

bool Summarize(ProgressFile& progress, const std::vector<std::string>& ids, int64_t seeds, const std::string& policy) {
  std::map<std::string, Tally> totals;
  std::map<std::string, std::map<std::string, int64_t>> unable;
  std::map<std::string, int64_t> skipped;
  int64_t started = 0;
  int64_t full = 0;
  int64_t done = 0;
  int64_t alike = 0;
  for (const std::string& id : ids) {
    const Progress& of = progress.Of(id);
    started += of.seeds > 0 || of.Done(seeds);
    full += of.seeds >= seeds;
    done += of.seeds;
    alike += of.alike;
    if (!of.skipped.empty()) ++skipped[Kind(of.skipped)];
    for (const auto& [name, t] : of.targets) {
      Tally& total = totals[name];
      total.runs += t.runs;
      total.refused += t.refused;
      total.flushed += t.flushed;
      total.ratio = std::max(total.ratio, t.ratio);
      total.precision = std::max(total.precision, t.precision);
      if (!t.status.empty()) ++unable[name][Kind(t.status)];
      if (t.refused > 0) {
        std::cout << fmt::format("refused: {} on {}: {} of {} runs, {}\n", id, name, t.refused, t.runs, t.first);
      }
    }
  }
  std::cout << fmt::format(
      "policy {}: {} of {} cases started, {} with all of {} seeds; {} of {} cases x seeds done, {} of "
      "them alike with an earlier seed\n",
      policy, started, ids.size(), full, seeds, done, static_cast<int64_t>(ids.size()) * seeds, alike);
  for (const auto& [why, count] : skipped) std::cout << fmt::format("  {} cases not run: {}\n", count, why);
  bool clean = true;
  for (const auto& [name, total] : totals) {
    clean = clean && total.refused == 0;
    std::cout << fmt::format("{}: {} runs, {} refused, max error {:.3f} of its bound\n", name, total.runs,
                             total.refused, total.ratio);
    if (total.precision > 0) {
      std::cout << fmt::format("  max error {:.3f} of what rounding is likely to do\n", total.precision);
    }
    if (total.flushed > 0) std::cout << fmt::format("  {} runs took subnormal numbers for zero\n", total.flushed);
    for (const auto& [why, count] : unable[name]) std::cout << fmt::format("  {} cases: {}\n", count, why);
  }
  return clean;
}

}  // namespace opbyop
