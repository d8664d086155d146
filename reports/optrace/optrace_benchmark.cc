// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// optrace_benchmark [SPANS]: writes, reads and exports a trace of that many spans (by default a million), each export
// in its own process. Prints wall time and CPU time in seconds and the peak of resident memory, with the budgets.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "manifests/optrace/trace_file.h"
#include "reports/optrace/export.h"
#include "reports/optrace/sample_trace.h"

namespace opbyop::optrace {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// Runs the step in a child process, so that its memory does not count for the next step.
bool Measure(const std::string& name, const std::function<bool()>& step) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) _exit(step() ? 0 : 1);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{:<12} {:>7.2f} s wall {:>7.2f} s CPU {:>6} MB\n", name, wall,
             Seconds(usage.ru_utime) + Seconds(usage.ru_stime), usage.ru_maxrss / 1024);
  std::fflush(stdout);
  return status == 0;
}

int Main(int64_t spans) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("optrace_benchmark_{}", getpid());
  std::filesystem::create_directories(folder);
  const auto file = folder / "optrace.ndjson";
  fmt::print("{} spans; each export reads the file too; budget 20 s, 500 MB\n", spans);
  std::fflush(stdout);
  bool done = Measure("write", [&] { return WriteTrace(LargeTrace(spans), file).has_value(); });
  done &= Measure("read", [&] { return ReadTrace(file).has_value(); });
  for (const Exporter& exporter : Exporters()) {
    done &= Measure(std::string(exporter.name), [&] {
      const auto trace = ReadTrace(file);
      return trace && exporter.write(*trace, folder).has_value();
    });
  }
  std::filesystem::remove_all(folder);
  return done ? 0 : 1;
}

}  // namespace
}  // namespace opbyop::optrace

int main(int argc, char** argv) {
  return opbyop::optrace::Main(argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 1'000'000);
}
