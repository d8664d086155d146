// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures how small an error of right devices the verdict still detects: the table of docs/numerics/tightness.md.
//
//   tightness out/nightly --target manifests/targets/host.yaml --target manifests/targets/xla.yaml --page
//   docs/numerics/tightness.md
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "harness/run/case_loop.h"
#include "manifests/cases/case_order.h"
#include "manifests/cases/manifest.h"
#include "support/files/file.h"
#include "support/text/marked_block.h"
#include "validation/tightness/tightness.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "<!-- tightness: begin, written by ./dev tightness -->\n";
constexpr std::string_view kEnd = "<!-- tightness: end -->";

struct Options {
  fs::path folder;
  std::vector<fs::path> targets;
  std::string policies = std::string(harness::kDefaultPolicies);
  fs::path page;
  size_t per_op = 25;
  int64_t most_flops = 200'000'000;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
};

// Chooses as many cases of each op as were asked for, evenly from the cheapest to the most expensive.
std::vector<const Case*> Chosen(const Manifest& manifest, const Options& options) {
  std::map<std::string, std::vector<const Case*>> by_op;
  for (const Case& c : manifest.cases) {
    if (c.flops <= options.most_flops) by_op[c.op].push_back(&c);
  }
  std::vector<const Case*> chosen;
  for (auto& [op, cases] : by_op) {
    std::ranges::sort(cases, CheapestFirst());
    const size_t count = std::min(options.per_op, cases.size());
    for (size_t i = 0; i < count; ++i) chosen.push_back(cases[i * cases.size() / count]);
  }
  return chosen;
}

Expected<std::vector<Tightness>> Measure(const TightnessSettings& settings, const std::vector<const Case*>& cases,
                                         int jobs) {
  const Expected<std::unique_ptr<harness::Scratch>> scratch = harness::Scratch::Open();
  if (!scratch) return Unexpected(scratch.error());
  std::mutex mutex;
  std::vector<Tightness> measured;
  const auto make_job = [&] {
    return [&, runner = std::make_unique<TightnessRunner>(settings, **scratch)](const Case& c) -> Expected<void> {
      Expected<std::optional<Tightness>> found = runner->Run(c);
      if (!found) return Unexpected(found.error());
      const std::scoped_lock lock(mutex);
      if (*found) measured.push_back(std::move(**found));
      return {};
    };
  };
  const Expected<void> done = harness::ForEachCase(cases, jobs, std::chrono::steady_clock::time_point::max(), make_job);
  if (!done) return Unexpected(done.error());
  return measured;
}

Expected<void> Run(const Options& options) {
  const Expected<Manifest> manifest = LoadManifest(options.folder / "manifest.yaml");
  if (!manifest) return Unexpected(manifest.error());
  Expected<std::vector<harness::RunPolicy>> policies = harness::FindPolicies(options.policies);
  if (!policies) return Unexpected(policies.error());
  const std::vector<const Case*> cases = Chosen(*manifest, options);
  std::map<std::string, std::vector<Tightness>> by_target;
  for (const fs::path& file : options.targets) {
    const Expected<Target> target = LoadTarget(file);
    if (!target) return Unexpected(target.error());
    Expected<std::vector<Tightness>> measured = Measure({options.folder, *target, *policies}, cases, options.jobs);
    if (!measured) return Unexpected(measured.error());
    by_target[target->name] = std::move(*measured);
  }
  const std::string text = TightnessMarkdown(by_target);
  std::cout << text;
  if (options.page.empty()) return {};
  const Expected<std::string> page = ReadFile(options.page);
  if (!page) return Unexpected(page.error());
  const Expected<std::string> now = ReplaceMarkedBlock(*page, kBegin, kEnd, text);
  if (!now) return MakeError(now.error().code, options.page.string() + ": " + now.error().message);
  return WriteFile(options.page, *now);
}

int Main(int argc, char** argv) {
  CLI::App app("Measures how small an error the verdict sees.", "tightness");
  Options options;
  app.add_option("DIR", options.folder, "Folder with manifest.yaml")->required();
  app.add_option("--target", options.targets, "Target files")->required();
  app.add_option("--policy", options.policies, "Policies, separated by commas")->capture_default_str();
  app.add_option("--page", options.page, "Page with the table, rewritten");
  app.add_option("--per-op", options.per_op, "Cases of an op")->capture_default_str();
  app.add_option("--most-flops", options.most_flops, "Of a case")->capture_default_str();
  app.add_option("--jobs", options.jobs, "Cases at a time")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (const Expected<void> done = Run(options); !done) {
    std::cerr << "tightness: " << done.error().message << '\n';
    return static_cast<int>(done.error().code);
  }
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace
}  // namespace opbyop

int main(int argc, char** argv) { return opbyop::Main(argc, argv); }
