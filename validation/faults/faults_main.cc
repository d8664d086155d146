// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs every fault of validation/fault_injection on every case of a manifest, with the nightly's policies and verdict.
//
//   faults out/nightly --out out/faults/faults.jsonl --page docs/numerics/faults.md
//
// --jobs cases run at a time, cheap ones first, each with its own workers. Findings are appended to a file, from which
// the next call resumes: a case that was run before is run only with new faults. Exits with 1 if a fault escapes
// without a proof or a right device is refused.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "harness/run/case_loop.h"
#include "manifests/cases/case_order.h"
#include "manifests/cases/manifest.h"
#include "manifests/formats/glob.h"
#include "support/files/file.h"
#include "support/files/project_folder.h"
#include "support/text/marked_block.h"
#include "validation/faults/fault_runner.h"
#include "validation/faults/fault_table.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

struct Options {
  FaultSettings runs;
  std::vector<const fault_injection::Fault*> chosen;
  std::string policies = std::string(harness::kDefaultPolicies);
  std::string faults = "*";
  std::string cases = "*";
  fs::path out;
  fs::path page;
  double total_seconds = 1e9;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  int64_t most_flops = std::numeric_limits<int64_t>::max();
  bool summary = false;
  bool pairs = false;
  bool mesh = false;
};

// Whether the call is about this case: with --pairs the single ops of the manifest are not run, with --mesh the programs
// of one process.
bool IsIn(const Options& options, const Case& c) {
  if (options.mesh) return c.devices().processes() > 1;
  return !options.pairs || !c.members.empty();
}

std::string_view PromiseFile(const Options& options) {
  if (options.mesh) return "promise_of_meshes.yaml";
  return options.pairs ? "promise_of_pairs.yaml" : "promise.yaml";
}

const std::vector<fault_injection::Fault>& FaultsOf(const Options& options) {
  if (options.mesh) return fault_injection::MeshFaults();
  return options.pairs ? fault_injection::FaultsOfPairs() : fault_injection::Faults();
}

std::vector<const Case*> InOrder(const Manifest& manifest, const Options& options) {
  std::vector<const Case*> order;
  for (const Case& c : manifest.cases) {
    if (!IsIn(options, c) || !GlobMatches(options.cases, c.id) || c.flops > options.most_flops) continue;
    order.push_back(&c);
  }
  std::ranges::sort(order, CheapestFirst());
  return order;
}

Expected<void> RunAll(const Options& options, const std::vector<const Case*>& cases, FaultLedger& ledger) {
  const Expected<std::unique_ptr<harness::Scratch>> scratch = harness::Scratch::Open();
  if (!scratch) return Unexpected(scratch.error());
  return harness::ForEachCase(cases, options.jobs, harness::EndAfter(options.total_seconds), [&] {
    return [&, runner = std::make_unique<FaultRunner>(options.runs, **scratch)](const Case& c) -> Expected<void> {
      const std::vector<const fault_injection::Fault*> left = ledger.Left(c.id, options.chosen);
      if (left.empty()) return {};
      const Expected<CaseFindings> findings = runner->Run(c, left);
      return findings ? ledger.Append(*findings) : Unexpected(findings.error());
    };
  });
}

Expected<bool> Run(Options options) {
  const Expected<Manifest> manifest = LoadManifest(options.runs.folder / "manifest.yaml");
  if (!manifest) return Unexpected(manifest.error());
  const fs::path home = ProjectFolder() / "validation/faults";
  Expected<Target> device = LoadTarget(home / "faulty.yaml");
  if (!device) return Unexpected(device.error());
  options.runs.device = std::move(*device);
  const fs::path promises = home / PromiseFile(options);
  const Expected<Promise> promise = Promise::Load(promises);
  if (!promise) return Unexpected(promise.error());
  Expected<std::vector<harness::RunPolicy>> policies = harness::FindPolicies(options.policies);
  if (!policies) return Unexpected(policies.error());
  options.runs.policies = std::move(*policies);
  for (const fault_injection::Fault& fault : FaultsOf(options)) {
    if (GlobMatches(options.faults, fault.name)) options.chosen.push_back(&fault);
  }
  if (options.chosen.empty()) {
    return MakeError(ExitCode::kUsage, fmt::format("no fault '{}': faulty_worker --list names them", options.faults));
  }
  if (options.out.empty()) options.out = options.runs.folder / "faults.jsonl";
  std::vector<std::string> names;
  names.reserve(options.runs.policies.size());
  for (const harness::RunPolicy& policy : options.runs.policies) names.push_back(policy.name);
  auto ledger = FaultLedger::Open(options.out, fmt::format("{}", fmt::join(names, ",")));
  if (!ledger) return Unexpected(ledger.error());
  const std::vector<const Case*> cases = InOrder(*manifest, options);
  if (!options.summary) {
    if (const Expected<void> done = RunAll(options, cases, **ledger); !done) return Unexpected(done.error());
  }
  std::map<std::string, CaseFindings> found;
  for (const Case* c : cases) {
    if ((*ledger)->Left(c->id, options.chosen).empty()) found[c->id] = (*ledger)->All().at(c->id);
  }
  const bool whole = found.size() == cases.size() && options.cases == "*" && options.faults == "*";
  std::vector<std::string> left_out;
  for (const Case& c : manifest->cases) {
    if (!found.contains(c.id) && IsIn(options, c)) left_out.push_back(c.id);
  }
  const FaultTable table(found, options.chosen, names, *promise, whole ? left_out : std::vector<std::string>());
  std::cout << table.Markdown();
  std::vector<std::string> complaints = table.Complaints();
  for (const Promise::Entry* entry : promise->Unused()) {
    if (!whole) break;
    complaints.push_back(fmt::format("{}:{}: {} on {}: matches nothing that escapes", promises.string(), entry->line,
                                     fmt::join(entry->faults, ", "), fmt::join(entry->cases, ", ")));
  }
  for (const std::string& complaint : complaints) std::cout << complaint << '\n';
  if (found.size() < cases.size()) {
    std::cout << fmt::format("{} of {} cases are left: call again\n", cases.size() - found.size(), cases.size());
    return false;
  }
  if (whole && !options.page.empty()) {
    const Expected<std::string> page = ReadFile(options.page);
    if (!page) return Unexpected(page.error());
    const Expected<std::string> now = ReplaceMarkedBlock(*page, kFaultsBegin, kFaultsEnd, table.Markdown());
    if (!now) return MakeError(now.error().code, options.page.string() + ": " + now.error().message);
    if (const Expected<void> written = WriteFile(options.page, *now); !written) return Unexpected(written.error());
  }
  return complaints.empty();
}

int Main(int argc, char** argv) {
  CLI::App app("Counts which faults of a device are found on which cases.", "faults");
  Options options;
  app.add_option("DIR", options.runs.folder, "Folder with manifest.yaml")->required();
  app.add_option("--policy", options.policies, "Policies, separated by commas")->capture_default_str();
  app.add_option("--fault", options.faults, "Glob over faults")->capture_default_str();
  app.add_option("--case", options.cases, "Glob over ids of cases")->capture_default_str();
  app.add_option("--most-flops", options.most_flops, "Of a case: those beyond it are named in the table as not run");
  app.add_option("--out", options.out, "What is found, a line per case; default DIR/faults.jsonl");
  app.add_option("--page", options.page,
                 "Page with the table, rewritten where all faults are done on all cases of --most-flops");
  app.add_option("--total-seconds", options.total_seconds, "Of this call")->capture_default_str();
  app.add_option("--jobs", options.jobs, "Cases at a time")->capture_default_str();
  CLI::Option* const pairs =
      app.add_flag("--pairs", options.pairs, "Only programs of two ops, with each fault in one of the two alone");
  app.add_flag("--mesh", options.mesh,
               "Only programs of several processes, with the faults of collectives and of divided programs")
      ->excludes(pairs);
  app.add_flag("--summary", options.summary, "Only sum up what is there");
  CLI11_PARSE(app, argc, argv);
  const Expected<bool> clean = Run(std::move(options));
  if (!clean) {
    std::cerr << "faults: " << clean.error().message << '\n';
    return static_cast<int>(clean.error().code);
  }
  return static_cast<int>(*clean ? ExitCode::kOk : ExitCode::kUnexpectedResult);
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) { return opbyop::Main(argc, argv); }
