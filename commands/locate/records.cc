// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/locate/records.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "manifests/formats/json.h"

namespace opbyop::locate {
namespace {

using nlohmann::json;

namespace fs = std::filesystem;

constexpr const char* kSchema = "opbyop-locate/1";

std::string Line(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::optional<std::pair<std::string, Verdict>> VerdictIn(const json& line) {
  try {
    const std::optional<Status> status = ParseStatus(line.at("status").get<std::string>());
    if (!status) return std::nullopt;
    return std::pair{line.at("program").get<std::string>(),
                     Verdict{*status, line.at("stage").get<std::string>(), line.at("diagnostic").get<std::string>(),
                             line.at("weak").get<bool>()}};
  } catch (const json::exception&) {
    return std::nullopt;  // a line that was cut off or damaged: its program is judged again
  }
}

std::optional<std::pair<std::string, ThreeWays>> WaysIn(const json& line) {
  try {
    const json& ways = line.at("three_ways");
    if (ways.contains("unmeasured")) {
      return std::pair{line.at("program").get<std::string>(),
                       ThreeWays{.unmeasured = ways.at("unmeasured").get<std::string>()}};
    }
    return std::pair{line.at("program").get<std::string>(),
                     ThreeWays{ways.at("promised").get<double>(), ways.at("device").get<double>(), ""}};
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Expected<std::unique_ptr<Records>> Records::Open(const fs::path& path, const std::map<std::string, std::string>& facts,
                                                 bool fresh) {
  auto records = std::make_unique<Records>();
  std::error_code ignored;
  if (fresh) fs::remove(path, ignored);
  const json header = {{"schema", kSchema}, {"facts", facts}};
  std::optional<json> found;
  Expected<std::unique_ptr<LineLog>> log = LineLog::Open(path, [&](std::string_view line) {
    Expected<json> parsed = ParseJson(line);
    if (!found) {
      found = parsed ? std::move(*parsed) : json();
    } else if (parsed) {
      if (auto verdict = VerdictIn(*parsed)) records->verdicts_.insert(std::move(*verdict));
      if (auto ways = WaysIn(*parsed)) records->ways_.insert(std::move(*ways));
    }
  });
  if (!log) return Unexpected(log.error());
  records->log_ = std::move(*log);
  if (!found) {
    if (const Expected<void> added = records->log_->Append(Line(header)); !added) return Unexpected(added.error());
    return records;
  }
  if (*found == header) return records;
  std::string differing;
  for (const auto& [name, value] : facts) {
    const json* there = found->is_object() ? FindMember(*found, "facts") : nullptr;
    const json* fact = there != nullptr && there->is_object() ? FindMember(*there, name.c_str()) : nullptr;
    if (fact == nullptr || *fact != value) differing += (differing.empty() ? "" : ", ") + name;
  }
  return MakeError(ExitCode::kUsage,
                   fmt::format("{}: has the steps of another search ({} differ): name another folder, or --fresh to "
                               "start again",
                               path.string(), differing.empty() ? "its facts" : differing));
}

const Verdict* Records::Find(const std::string& digest) const {
  const auto found = verdicts_.find(digest);
  return found == verdicts_.end() ? nullptr : &found->second;
}

Expected<void> Records::Add(const std::string& digest, const std::string& where, const Verdict& verdict, int64_t ops,
                            double ms) {
  const json line = {{"program", digest},
                     {"where", where},
                     {"ops", ops},
                     {"status", ToString(verdict.status)},
                     {"stage", verdict.stage},
                     {"diagnostic", verdict.diagnostic},
                     {"weak", verdict.weak},
                     {"ms", ms}};
  if (const Expected<void> added = log_->Append(Line(line)); !added) return added;
  verdicts_[digest] = verdict;
  return {};
}

const ThreeWays* Records::FindWays(const std::string& digest) const {
  const auto found = ways_.find(digest);
  return found == ways_.end() ? nullptr : &found->second;
}

Expected<void> Records::AddWays(const std::string& digest, const std::string& where, const ThreeWays& ways, double ms) {
  const json line = {{"program", digest}, {"where", where}, {"three_ways", ToJson(ways)}, {"ms", ms}};
  if (const Expected<void> added = log_->Append(Line(line)); !added) return added;
  ways_[digest] = ways;
  return {};
}

}  // namespace opbyop::locate
