// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/interface/interface_suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "support/process/process.h"
#include "support/text/safe_text.h"

namespace opbyop::pjrt {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t kMostCrashes = 10;
constexpr size_t kMostTimeouts = 2;
constexpr std::string_view kNotReached = "not reached";
constexpr size_t kReasonBytes = 500;
constexpr size_t kMostReplyBytes = 1 << 20;
constexpr milliseconds kGrace(100);

void PutLine(const nlohmann::json& line) {
  const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  for (size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(kReplyFd, text.data() + at, text.size() - at);
    if (written <= 0) ::_exit(1);
    at += static_cast<size_t>(written);
  }
}

// One child, which runs the checks from a given number on. It ends by itself, or is ended if one check takes too long.
class Child {
 public:
  Child(std::vector<CheckRecord>& checks, milliseconds limit) : checks_(checks), limit_(limit) {}

  // Returns the number of the check after the last one that ended or died.
  Expected<size_t> Run(std::vector<std::string> argv, size_t first) {
    argv.push_back(std::to_string(first));
    Expected<std::unique_ptr<Process>> spawned = Process::Spawn({.argv = std::move(argv)});
    if (!spawned) return Unexpected(spawned.error());
    Process& process = **spawned;
    next_ = first;
    began_ = steady_clock::now();
    while (Read(process)) {
      if (steady_clock::now() - began_ <= limit_) continue;
      process.Kill(kGrace);
      Blame(Status::kTimeout, fmt::format("it did not end within {} s", limit_.count() / 1000.0));
      return next_;
    }
    process.DrainLog();
    const std::optional<Exit> exit = process.WaitFor(kGrace);
    const Exit end = exit ? *exit : process.Kill(kGrace);
    if (next_ < checks_.size()) {
      const std::string cause = CauseOfDeath(process.log().text());
      Blame(Status::kCrash, fmt::format("the plugin died: {}{}", end.Describe(), cause.empty() ? "" : ": " + cause));
    }
    return next_;
  }

 private:
  // Returns false once the child has closed its end of the pipe or sent something invalid.
  bool Read(Process& process) {
    constexpr milliseconds kLook(50);
    std::array<pollfd, 2> polled = {{{process.reply_fd(), POLLIN, 0}, {process.log_fd(), POLLIN, 0}}};
    ::poll(polled.data(), polled.size(), static_cast<int>(kLook.count()));
    process.DrainLog();
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(process.reply_fd(), bytes.data(), bytes.size());
    if (count == 0) return false;
    if (count > 0) text_.append(bytes.data(), static_cast<size_t>(count));
    if (text_.size() > kMostReplyBytes) return false;
    for (size_t end; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
      if (!Take(text_.substr(0, end))) return false;
    }
    return true;
  }

  // Takes a line of the child. Returns false for any other line: a plugin may write to the pipe.
  bool Take(const std::string& text) {
    const nlohmann::json line = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!line.is_object() || next_ >= checks_.size() || line.value("name", "") != checks_[next_].name) return false;
    began_ = steady_clock::now();
    if (!line.contains("status")) return true;
    const std::optional<Status> status = ParseStatus(line.value("status", ""));
    if (!status) return false;
    checks_[next_].status = *status;
    checks_[next_].reason = line.value("reason", "");
    ++next_;
    return true;
  }

  void Blame(Status status, const std::string& reason) {
    checks_[next_].status = status;
    checks_[next_].reason = SafeLine(reason, kReasonBytes);
    ++next_;
  }

  std::vector<CheckRecord>& checks_;
  milliseconds limit_;
  size_t next_ = 0;
  steady_clock::time_point began_;
  std::string text_;
};

}  // namespace

void RunInterfaceChecks(const SubjectOptions& options, size_t first) {
  Subject subject(options);
  const std::vector<Check> checks = InterfaceChecks(options);
  for (size_t i = first; i < checks.size(); ++i) {
    PutLine({{"name", checks[i].name}});
    const Verdict verdict = checks[i].run(subject);
    PutLine({{"name", checks[i].name},
             {"status", ToString(verdict.status)},
             {"reason", SafeLine(verdict.reason, kReasonBytes)}});
  }
  // The plugin's static destructors are skipped, because a crash in them no longer matters.
  ::_exit(0);
}

Expected<InterfaceReport> RunInterfaceSuite(const SuiteOptions& options) {
  InterfaceReport report = {
      .plugin = options.subject.plugin.string(), .topology = options.subject.topology, .checks = {}};
  for (const Check& check : InterfaceChecks(options.subject)) {
    report.checks.push_back({check.name, check.needed, Status::kSkipped, std::string(kNotReached)});
  }
  const auto count = [&report](Status status) { return report.Count(status); };
  for (size_t next = 0; next < report.checks.size();) {
    Child child(report.checks, options.limit);
    const Expected<size_t> reached = child.Run(options.argv, next);
    if (!reached) return Unexpected(reached.error());
    next = *reached;
    const CheckRecord& last = report.checks[next - 1];
    const bool all_need_it = last.needed || last.name == kCompileCheck;
    if (IsDeath(last.status) && all_need_it) {
      report.gave_up = fmt::format("after {}, which all further checks need", last.name);
    } else if (count(Status::kCrash) >= kMostCrashes) {
      report.gave_up = fmt::format("after {} crashes", kMostCrashes);
    } else if (count(Status::kTimeout) >= kMostTimeouts) {
      report.gave_up = fmt::format("after {} timeouts", kMostTimeouts);
    }
    if (report.gave_up.empty()) continue;
    for (size_t i = next; i < report.checks.size(); ++i) {
      report.checks[i].reason = fmt::format("{}: the checks ended {}", kNotReached, report.gave_up);
    }
    break;
  }
  return report;
}

size_t InterfaceReport::Count(Status status) const {
  return static_cast<size_t>(std::ranges::count(checks, status, &CheckRecord::status));
}

std::string InterfaceReport::fault() const {
  for (const CheckRecord& check : checks) {
    if (check.needed && check.status != Status::kPass && !check.reason.starts_with(kNotReached)) {
      return fmt::format("the plugin's interface fails in what every op needs, {}: {}", check.name, check.reason);
    }
  }
  return "";
}

std::string InterfaceReport::Summary() const {
  std::vector<std::string> parts;
  for (const Status status :
       {Status::kPass, Status::kFail, Status::kCrash, Status::kTimeout, Status::kUnsupported, Status::kSkipped}) {
    std::vector<std::string_view> names;
    for (const CheckRecord& check : checks) {
      if (check.status == status) names.push_back(check.name);
    }
    if (names.empty()) continue;
    parts.push_back(fmt::format("{} {}", names.size(), ToString(status)));
    if (IsProblem(status)) parts.back() += fmt::format(" ({})", fmt::join(names, ", "));
  }
  if (!gave_up.empty()) parts.push_back(fmt::format("the checks ended {}", gave_up));
  return fmt::format("interface: {}", fmt::join(parts, ", "));
}

std::string ToJson(const InterfaceReport& report) {
  nlohmann::ordered_json json = {{"schema", kInterfaceSchema}, {"plugin", report.plugin}};
  if (!report.topology.empty()) json["topology"] = report.topology;
  json["summary"] = report.Summary();
  if (const std::string fault = report.fault(); !fault.empty()) json["fault"] = fault;
  json["checks"] = nlohmann::ordered_json::array();
  for (const CheckRecord& check : report.checks) {
    nlohmann::ordered_json& entry =
        json["checks"].emplace_back(nlohmann::ordered_json{{"name", check.name}, {"status", ToString(check.status)}});
    if (check.needed) entry["needed"] = true;
    if (!check.reason.empty()) entry["reason"] = check.reason;
  }
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string ToTable(const InterfaceReport& report) {
  size_t width = 0;
  for (const CheckRecord& check : report.checks) width = std::max(width, check.name.size());
  std::string table;
  for (const CheckRecord& check : report.checks) {
    table += fmt::format("{:<{}}  {:<11}  {}\n", check.name, width, ToString(check.status), check.reason);
  }
  return table + report.Summary() + "\n";
}

}  // namespace opbyop::pjrt
