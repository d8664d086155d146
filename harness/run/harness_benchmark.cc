// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the cost of the harness itself, with a worker that does almost nothing. Prints the figures next to their
// budgets.
//
//   harness_benchmark [CASES]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fixtures/mock/behaviour.h"
#include "harness/run/scheduler.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "support/files/file.h"
#include "support/process/process.h"
#include "support/test_folder.h"

namespace opbyop::harness {
namespace {

using Clock = std::chrono::steady_clock;
using mock::Behaviour;

double Milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

void Print(const char* what, const std::string& figure, const char* budget) {
  std::printf("%-58s %14s   budget %s\n", what, figure.c_str(), budget);
  std::fflush(stdout);
}

double Ms(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

// Returns the CPU time of this process, which does not depend on what else the machine does.
double CpuMilliseconds() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return Ms(usage.ru_utime) + Ms(usage.ru_stime);
}

struct Measured {
  double wall_ms = 0;   // from Go to the last record
  double cpu_ms = 0;    // of the parent
  double stage_ms = 0;  // sum of the stage times that the workers report
};

// Runs the cases on `jobs` slots.
Measured Run(const std::filesystem::path& folder, const std::vector<Behaviour>& behaviours, int jobs,
             double timeout_s) {
  Target target = LoadTarget(TestSource("fixtures/mock/mock.yaml")).value();
  const Manifest manifest = LoadManifest(mock::WriteMockManifest(folder, behaviours).value()).value();
  std::vector<const Case*> cases;
  cases.reserve(manifest.cases.size());
  for (const Case& c : manifest.cases) cases.push_back(&c);
  const auto scratch = Scratch::Open().value();
  SlotSettings settings;
  SharedState shared;
  settings.target = &target;
  settings.manifest_folder = folder;
  shared.scratch = scratch.get();
  settings.retries = 0;
  for (WorkerSpec* spec : {&settings.target_worker, &settings.reference_worker}) {
    spec->role = spec == &settings.target_worker ? "target" : "reference";
    spec->argv = {TestProgram("mock_worker"), "--" + spec->role};
    spec->fallback.timeout_s = timeout_s;
    if (spec->role == "target") {
      for (const Stage& stage : target.stages) spec->limits[stage.name] = spec->fallback;
    }
  }
  Scheduler scheduler(settings, shared, {.jobs = jobs});
  if (!scheduler.Start()) return {};
  const Clock::time_point begin = Clock::now();
  const double cpu_begin = CpuMilliseconds();
  scheduler.Go(cases, nullptr);
  Measured measured;
  for (const Case* c : cases) {
    std::shared_ptr<const CaseRecord> record;
    while (record == nullptr) record = scheduler.Await(*c, std::chrono::seconds(1));
    for (const StageRecord& stage : record->stages) measured.stage_ms += stage.ms;
  }
  measured.wall_ms = Milliseconds(begin);
  measured.cpu_ms = CpuMilliseconds() - cpu_begin;
  return measured;
}

// Runs cases of which half behave like this and half are good. Returns the extra cost of one misbehaving case.
double CostOf(const std::filesystem::path& folder, const Behaviour& behaviour, int count, double timeout_s) {
  std::vector<Behaviour> mixed;
  for (int i = 0; i < count; ++i) {
    mixed.push_back(behaviour);
    mixed.push_back({});
  }
  const double good = Run(folder / "good", std::vector<Behaviour>(mixed.size()), 1, timeout_s).wall_ms;
  return (Run(folder / "mixed", mixed, 1, timeout_s).wall_ms - good) / count;
}

struct ProgramCost {
  double wall_s = 0;
  double cpu_s = 0;
  int64_t peak_mb = 0;  // of its largest process
};

// The resources that a program has used at one moment.
struct Sample {
  double cpu_ms = 0;
  double written = 0;  // bytes
};

std::optional<Sample> Look(pid_t pid, const std::filesystem::path& file) {
  // Skip the name, which may hold any character. The 12th and 13th fields after it are user and system ticks.
  const std::string stat = ReadFile(fmt::format("/proc/{}/stat", pid)).value_or("");
  std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (!(fields >> user >> system) || error) return std::nullopt;
  return Sample{1e3 * (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK)), static_cast<double>(size)};
}

// Runs a program whose output is not shown and returns what the kernel says of its cost. nullopt if it failed.
// `while_it_runs` is called every now and then.
std::optional<ProgramCost> CostOfProgram(const std::vector<std::string>& argv,
                                         const std::function<void(pid_t)>& while_it_runs = nullptr) {
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const Clock::time_point begin = Clock::now();
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  struct rusage usage = {};
  pid_t ended = 0;
  while (while_it_runs && (ended = ::wait4(pid, &status, WNOHANG, &usage)) == 0) {
    while_it_runs(pid);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (ended == 0) ended = ::wait4(pid, &status, 0, &usage);
  if (ended != pid || status != 0) return std::nullopt;
  return ProgramCost{
      .wall_s = Milliseconds(begin) / 1000, .cpu_s = Ms(usage.ru_utime) / 1e3, .peak_mb = usage.ru_maxrss / 1024};
}

// Returns the cases per second in the first and in the last fifth of a run.
std::pair<double, double> RatesOf(const std::filesystem::path& results) {
  std::vector<int64_t> starts;
  const auto run = ScanRun(results, [&](const CaseRecord& record, RecordPlace) {
    // "2026-11-21T10:15:00.123456+00:00": no run of this length passes midnight twice.
    const std::string& start = record.start;
    const auto number = [&](size_t at, size_t digits) { return std::atoll(start.substr(at, digits).c_str()); };
    starts.push_back(((number(11, 2) * 60 + number(14, 2)) * 60 + number(17, 2)) * 1'000'000 + number(20, 6));
  });
  if (!run || starts.size() < 10) return {0, 0};
  std::ranges::sort(starts);
  const size_t fifth = starts.size() / 5;
  const auto rate = [&](size_t begin, size_t end) {
    return 1e6 * static_cast<double>(end - begin) / static_cast<double>(starts[end] - starts[begin]);
  };
  return {rate(0, fifth), rate(starts.size() - 1 - fifth, starts.size() - 1)};
}

// Returns the CPU time per byte of results near the end of the run, divided by that near its start. It does not depend
// on what else the machine does. The header and the end of the run are left out.
double CostOfTheLast(const std::vector<Sample>& samples) {
  if (samples.empty()) return 0;
  const double all = samples.back().written;
  const auto at = [&](double share) {
    return *std::ranges::find_if(samples, [&](const Sample& sample) { return sample.written >= share * all; });
  };
  const auto cost = [&](double begin, double end) {
    const Sample first = at(begin), last = at(end);
    return (last.cpu_ms - first.cpu_ms) / (last.written - first.written);
  };
  return cost(0.78, 0.98) / cost(0.02, 0.22);
}

void MeasureLargeRun(const std::filesystem::path& folder) {
  // Write in a child process: the kernel counts the memory of a program's parent at its start as the program's own.
  const pid_t writer = ::fork();
  if (writer == 0) {
    (void)mock::WriteMockManifest(folder, std::vector<Behaviour>(100000), {"alpha"});
    ::_exit(0);
  }
  ::waitpid(writer, nullptr, 0);
  const std::vector<std::string> conformance = {TestProgram("conformance"),
                                                "--manifest=" + (folder / "manifest.yaml").string(), "--baseline=none",
                                                "--target=" + TestSource("fixtures/mock/compiler.yaml")};
  const auto with = [&](std::vector<std::string> more, const std::function<void(pid_t)>& while_it_runs = nullptr) {
    more.insert(more.begin(), conformance.begin(), conformance.end());
    return CostOfProgram(more, while_it_runs);
  };
  if (const auto cost = with({"--gtest_list_tests"})) {
    Print("100,000 rows listed", fmt::format("{:.2f} s", cost->wall_s), "2 s");
    Print("CPU time of that", fmt::format("{:.2f} s", cost->cpu_s), "2 s");
    Print("peak memory of that", fmt::format("{} MB", cost->peak_mb), "300 MB");
  }
  const std::filesystem::path results = folder / "out/results.jsonl";
  std::vector<Sample> samples;
  const auto look = [&](pid_t pid) {
    if (const std::optional<Sample> sample = Look(pid, results)) samples.push_back(*sample);
  };
  if (const auto cost = with({"--out=" + (folder / "out").string(), "--reference-worker=" + TestProgram("mock_worker"),
                              "--reports=off", "--progress=quiet"},
                             look)) {
    Print("100,000 rows of a compiler run: peak memory", fmt::format("{} MB", cost->peak_mb), "150 MB");
    const auto [first, last] = RatesOf(results);
    Print("cases/s in the last fifth, of those in the first", fmt::format("{:.0f} %", 100 * last / first), "90 %");
    Print("the parent's CPU time per case there, of that at first",
          fmt::format("{:.0f} %", 100 * CostOfTheLast(samples)), "110 %");
  }
  if (const auto cost =
          CostOfProgram({TestProgram("conformance"), "--report=" + results.string(), "--progress=quiet"})) {
    Print("their reports", fmt::format("{:.1f} s", cost->wall_s), "(no budget)");
    Print("peak memory of those", fmt::format("{} MB", cost->peak_mb), "300 MB");
  }
}

int Main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 2000;
  const TestFolder folder;
  AdoptOrphans();
  for (const int jobs : {1, 2}) {
    const Measured run = Run(folder.path() / "good", std::vector<Behaviour>(static_cast<size_t>(cases)), jobs, 20);
    const double own = (run.wall_ms * jobs - run.stage_ms) / cases;
    Print(fmt::format("overhead per case beyond the workers' stages, {} slot(s)", jobs).c_str(),
          fmt::format("{:.3f} ms", own), "1 ms");
    Print(fmt::format("CPU time of the parent per case, {} slot(s)", jobs).c_str(),
          fmt::format("{:.3f} ms", run.cpu_ms / cases), "(part of the 1 ms)");
    Print(fmt::format("whole mock cases, {} slot(s)", jobs).c_str(),
          fmt::format("{:.0f} /s", 1000.0 * cases / run.wall_ms), "100 /s per core, with a real worker");
  }
  Print("crash: detect, record, replace the worker",
        fmt::format("{:.1f} ms", CostOf(folder.path(), {"segfault", "lower"}, 20, 20)), "50 ms");
  Print("hang: beyond the stage's limit of 200 ms",
        fmt::format("{:.1f} ms", CostOf(folder.path(), {"hang", "lower"}, 5, 0.2) - 200), "50 ms");
  Print("hang that ignores SIGTERM: beyond the same limit",
        fmt::format("{:.1f} ms", CostOf(folder.path(), {"hang_deaf", "lower"}, 5, 0.2) - 200), "150 ms (grace 100)");
  MeasureLargeRun(folder.path() / "large");
  return 0;
}

}  // namespace
}  // namespace opbyop::harness

int main(int argc, char** argv) { return opbyop::harness::Main(argc, argv); }
