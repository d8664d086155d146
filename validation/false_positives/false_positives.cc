// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs right compilers on every case of a manifest with many seeds, and counts what the bounds refuse.
//
//   false_positives out/nightly --target manifests/targets/host.yaml --target manifests/targets/xla.yaml
//
// --jobs cases run at a time, each with its own workers. First every case gets --seconds, cheap ones first; then cases
// with seeds left get all the time that they need. The progress is kept in a file, from which the next call resumes. A
// refusal has case, seed and worst element, and can be reproduced by `conformance --seed=N --gtest_filter=*<case>`:
// either a bound is too narrow (docs/numerics.md says how it was derived) or the compiler is wrong after all.
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "harness/inputs/input_set.h"
#include "harness/inputs/twins.h"
#include "harness/run/case_loop.h"
#include "manifests/cases/case_order.h"
#include "manifests/cases/manifest.h"
#include "validation/false_positives/progress.h"
#include "validation/false_positives/seeded_case_runner.h"

namespace opbyop {
namespace {

using harness::Scratch;

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  SeededCaseRunnerSettings runs;
  std::vector<fs::path> targets;
  fs::path out;
  std::string policy = "domain";
  std::vector<std::string> only;
  double seconds = 2;
  double total_seconds = 1e9;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool summary = false;
};

// Keeps freed memory in the process, because the next seed needs buffers of the same sizes.
void KeepMemory() {
  ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

std::vector<const Case*> InOrder(const Manifest& manifest, const Options& options) {
  std::vector<const Case*> order;
  for (const Case& c : manifest.cases) {
    const auto named = [&](const std::string& part) { return c.id.find(part) != std::string::npos; };
    if (options.only.empty() || std::ranges::any_of(options.only, named)) order.push_back(&c);
  }
  std::ranges::sort(order, CheapestFirst());
  return order;
}

// Gives every case `limit_s`; each thread takes the next case when it is ready.
Expected<void> RunAll(const Options& options, const std::vector<const Case*>& cases, double limit_s,
                      Clock::time_point end, Scratch& scratch, ProgressFile& progress) {
  return harness::ForEachCase(cases, options.jobs, end, [&] {
    return [&, runner = std::make_unique<SeededCaseRunner>(options.runs, scratch)](const Case& c) -> Expected<void> {
      Progress& of = progress.Of(c.id);
      if (of.Done(options.runs.seeds)) return {};
      const double left = std::chrono::duration<double>(end - Clock::now()).count();
      return runner->Run(c, of, std::min(limit_s, left), [&] { return progress.Append(c.id); });
    };
  });
}

// Leaves out the cases of several processes, because the targets run one, and those that the nightly leaves out: cases
// whose inputs a policy before this one draws in the same way, and the larger of two cases if the policy says that the
// smaller is enough. The first policy, and one that the nightly lacks, use every case of one process.
Expected<void> LeaveOut(const Manifest& manifest, Options& options, ProgressFile& progress) {
  for (const Case& c : manifest.cases) {
    if (c.grid.processes() > 1) progress.Of(c.id).skipped = fmt::format("between {} processes", c.grid.processes());
  }
  const Expected<std::vector<harness::RunPolicy>> nightly = harness::FindPolicies(harness::kDefaultPolicies);
  if (!nightly) return Unexpected(nightly.error());
  const auto policy = std::ranges::find(*nightly, options.runs.inputs, &harness::RunPolicy::inputs);
  if (policy == nightly->begin() || policy == nightly->end()) return {};
  for (auto earlier = nightly->begin(); earlier != policy; ++earlier) options.runs.earlier.push_back(earlier->inputs);
  if (!policy->IsShownByTwin()) return {};
  for (const auto& [c, twin] : harness::SmallerTwins(manifest, harness::kTwinElements)) {
    progress.Of(c->id).skipped = "judged on the same program with smaller shapes";
  }
  return {};
}

Expected<bool> Run(Options options) {
  const Expected<Manifest> manifest = LoadManifest(options.runs.folder / "manifest.yaml");
  if (!manifest) return Unexpected(manifest.error());
  const Expected<InputKind> kind = ParseInputKind(options.policy);
  if (!kind) return Unexpected(kind.error());
  options.runs.inputs = *kind;
  for (const fs::path& file : options.targets) {
    Expected<Target> target = LoadTarget(file);
    if (!target) return Unexpected(target.error());
    options.runs.targets.push_back(std::move(*target));
  }
  if (options.out.empty()) options.out = options.runs.folder / fmt::format("false_positives-{}.jsonl", options.policy);
  Expected<ProgressFile> progress = ProgressFile::Open(options.out);
  if (!progress) return Unexpected(progress.error());
  if (const Expected<void> done = LeaveOut(*manifest, options, *progress); !done) return Unexpected(done.error());
  const std::vector<const Case*> cases = InOrder(*manifest, options);
  if (!options.summary) {
    const Expected<std::unique_ptr<Scratch>> scratch = Scratch::Open();
    if (!scratch) return Unexpected(scratch.error());
    KeepMemory();
    const Clock::time_point end = harness::EndAfter(options.total_seconds);
    for (const double limit_s : {options.seconds, std::numeric_limits<double>::infinity()}) {
      const Expected<void> done = RunAll(options, cases, limit_s, end, **scratch, *progress);
      if (!done) return Unexpected(done.error());
    }
  }
  std::vector<std::string> ids;
  ids.reserve(cases.size());
  for (const Case* c : cases) ids.push_back(c->id);
  return Summarize(*progress, ids, options.runs.seeds, options.policy);
}

int Main(int argc, char** argv) {
  CLI::App app("Counts what the bounds refuse of right compilers.", "false_positives");
  Options options;
  app.add_option("DIR", options.runs.folder, "Folder with manifest.yaml")->required();
  app.add_option("--target", options.targets, "Target files")->required();
  app.add_option("--out", options.out, "Progress, a line per case; default DIR/false_positives-POLICY.jsonl");
  app.add_option("--policy", options.policy, "How inputs are generated")->capture_default_str();
  app.add_option("--seeds", options.runs.seeds, "Per case")->capture_default_str();
  app.add_option("--fewest", options.runs.fewest, "Per case, however long they take")->capture_default_str();
  app.add_option("--only", options.only, "Cases whose id contains this");
  app.add_option("--seconds", options.seconds, "Per case, before every case has been started")->capture_default_str();
  app.add_option("--total-seconds", options.total_seconds, "Of this call")->capture_default_str();
  app.add_option("--jobs", options.jobs, "Cases at a time")->capture_default_str();
  app.add_flag("--summary", options.summary, "Only sum up what is there");
  CLI11_PARSE(app, argc, argv);
  const Expected<bool> clean = Run(std::move(options));
  if (!clean) {
    std::cerr << "false_positives: " << clean.error().message << '\n';
    return static_cast<int>(clean.error().code);
  }
  return static_cast<int>(*clean ? ExitCode::kOk : ExitCode::kUnexpectedResult);
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) { return opbyop::Main(argc, argv); }
