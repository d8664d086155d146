#include "reports/report_command.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "manifests/baseline.h"
#include "manifests/manifest.h"
#include "manifests/result.h"
#include "reports/html.h"
#include "reports/junit.h"
#include "reports/op_by_op_report.h"
#include "reports/optest.h"
#include "reports/profile_links.h"
#include "reports/pytest_junit.h"
#include "reports/rows.h"
#include "reports/summary.h"
#include "reports/whole_models.h"
#include "support/file.h"
#include "support/sha256.h"

namespace opbyop {
namespace {

constexpr size_t kJobIdHexDigits = 12;  // 48 bits: exact in every JSON reader

Expected<Manifest> ManifestOf(const Run& run, const std::filesystem::path& run_dir) {
  const std::string name = run.header.manifest.empty() ? "manifest.yaml" : run.header.manifest;
  Expected<Manifest> manifest = LoadManifest(run_dir / name);
  if (!manifest) return manifest;
  if (!run.header.manifest_hash.empty() && run.header.manifest_hash != manifest->hash) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: its sha256 is {}, the results in {} were made from {}: the models were split "
                                 "again after the run, so run it again",
                                 manifest->path.string(), manifest->hash, run_dir.string(), run.header.manifest_hash));
  }
  return manifest;
}

}  // namespace

int64_t ChooseJobId(std::string_view run_id, const std::function<const char*(const char*)>& environment) {
  for (const char* name : {"OPBYOP_JOB_ID", "GITHUB_JOB_ID", "GITHUB_RUN_ID"}) {
    const char* text = environment(name);
    if (!text || *text == '\0') continue;
    const char* end = text + std::strlen(text);
    int64_t id = 0;
    const auto [rest, error] = std::from_chars(text, end, id);
    if (error == std::errc() && rest == end && id >= 0) return id;
  }
  return static_cast<int64_t>(std::strtoull(Sha256Hex(run_id).substr(0, kJobIdHexDigits).c_str(), nullptr, 16));
}

Expected<LoadedRun> LoadRunWithManifest(const std::filesystem::path& run_dir, const std::filesystem::path& baseline) {
  LoadedRun loaded;
  Expected<Run> run = LoadRun(run_dir / "results.jsonl");
  if (!run) return Unexpected(run.error());
  loaded.run = std::move(*run);
  Expected<Manifest> manifest = ManifestOf(loaded.run, run_dir);
  if (!manifest) return Unexpected(manifest.error());
  loaded.manifest = std::move(*manifest);
  const bool folder = std::filesystem::is_directory(baseline);
  const std::filesystem::path file =
      folder ? baseline / (BaselineName(loaded.run.header.target, loaded.manifest.is_whole()) + ".yaml") : baseline;
  if (!baseline.empty() && (!folder || std::filesystem::exists(file))) {
    Expected<Baseline> found = LoadBaseline(file);
    if (!found) return Unexpected(found.error());
    loaded.baseline = std::move(*found);
  }
  return loaded;
}

Expected<ReportFiles> WriteReports(const ReportOptions& options) {
  const Expected<LoadedRun> loaded = LoadRunWithManifest(options.run_dir, options.baseline);
  if (!loaded) return Unexpected(loaded.error());
  View view = MakeView(loaded->manifest, loaded->run, loaded->baseline ? &*loaded->baseline : nullptr);
  const std::filesystem::path whole_dir = options.run_dir / kWholeFolder;
  if (std::filesystem::exists(whole_dir / "results.jsonl")) {
    const Expected<LoadedRun> whole = LoadRunWithManifest(whole_dir, options.baseline);
    if (!whole) return Unexpected(whole.error());
    AddWholeModels(MakeView(whole->manifest, whole->run, whole->baseline ? &*whole->baseline : nullptr), view);
  }
  const std::vector<OpTest> tests = MakeOpTests(view);
  const int64_t job_id = options.job_id.value_or(ChooseJobId(loaded->run.header.run_id, &std::getenv));

  const std::vector<std::pair<std::string, std::function<std::string()>>> reports = {
      {"optest.json", [&] { return OpTestJson(tests, job_id, view); }},
      {OpByOpReportName(job_id), [&] { return OpByOpReport(tests, view); }},
      {PytestJunitName(job_id), [&] { return PytestJunit(tests, view); }},
      {"junit.xml", [&] { return Junit(view); }},
      {"summary.md", [&] { return SummaryMarkdown(view); }},
      {"index.html", [&] { return HtmlPage(view, FindProfiles(view, options.out_dir)); }},
  };
  ReportFiles written;
  written.summary = SummaryText(view);
  written.red = view.red();
  for (const auto& [name, text] : reports) {
    if (const Expected<void> done = WriteFile(options.out_dir / name, text()); !done) return Unexpected(done.error());
    written.files.push_back(options.out_dir / name);
  }
  return written;
}

}  // namespace opbyop
