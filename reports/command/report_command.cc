// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/command/report_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "manifests/baselines/baseline.h"
#include "manifests/cases/manifest.h"
#include "manifests/results/result.h"
#include "manifests/results/results_file.h"
#include "manifests/runs/merge_runs.h"
#include "manifests/runs/private_text.h"
#include "manifests/runs/run_manifest.h"
#include "manifests/runs/shard_files.h"
#include "manifests/targets/find_target.h"
#include "reports/ingestion/junit.h"
#include "reports/ingestion/op_by_op_report.h"
#include "reports/ingestion/optest.h"
#include "reports/ingestion/pytest_junit.h"
#include "reports/ingestion/row_report.h"
#include "reports/page/html.h"
#include "reports/page/model_trees.h"
#include "reports/page/profile_links.h"
#include "reports/summary/scorecard.h"
#include "reports/summary/summary.h"
#include "reports/summary/whole_models.h"
#include "reports/view/rows.h"
#include "support/files/file.h"
#include "support/files/output_file.h"
#include "support/files/sha256.h"

namespace opbyop::reports {
namespace {

constexpr size_t kJobIdHexDigits = 12;  // 48 bits: exact in every JSON reader

constexpr std::string_view kResultsStem = "results";

// Reports that are made from the whole run when it has ended. Their names begin with `stem`.
struct TextReport {
  std::string_view stem, ending;
  std::string (*text)(const View& view, const ScoreCard& card);
};
constexpr TextReport kTextReports[] = {
    {"summary", ".md", [](const View& view, const ScoreCard&) { return SummaryMarkdown(view); }},
    {"scorecard", ".md", [](const View&, const ScoreCard& card) { return ScoreCardMarkdown(card); }},
    {"scorecard", ".json", [](const View&, const ScoreCard& card) { return ScoreCardJson(card); }},
    {"badge", ".svg", [](const View&, const ScoreCard& card) { return ScoreBadge(card); }},
};

std::string TreeName(const std::string& shard) { return "tree" + shard + ".html"; }

constexpr const char* kResultsName = "results.jsonl";

std::filesystem::path ResultsFileOf(const std::filesystem::path& run) {
  std::error_code error;
  const bool is_file = std::filesystem::exists(run, error) && !std::filesystem::is_directory(run, error);
  return is_file ? run : run / kResultsName;
}

// The results for a folder with shards: its results.jsonl if that was merged from them, or else a merged file in
// the folder that is returned.
Expected<std::optional<TemporaryFolder>> MergeShardsOf(const std::filesystem::path& run,
                                                       const std::filesystem::path& manifest) {
  const std::vector<ShardFile> shards = FindShardFiles(run);
  if (shards.empty()) return std::nullopt;
  std::error_code error;
  const std::filesystem::path whole = run / kResultsName;
  if (std::filesystem::exists(whole, error)) {
    const Expected<RunHeader> header = LoadRunHeader(whole);
    if (!header || IsMergeOf(*header, shards)) return std::nullopt;
    for (const ShardFile& shard : shards) {
      const Expected<RunHeader> part = LoadRunHeader(shard.path);
      if (part && part->start <= header->start) continue;
      return MakeError(
          ExitCode::kUsage,
          fmt::format(
              "{} has results.jsonl and the later {}: name one of the files, or join the shards with `opbyop merge`",
              run.string(), shard.path.filename().string()));
    }
    return std::nullopt;
  }
  Expected<TemporaryFolder> folder = TemporaryFolder::Make("opbyop-merged");
  if (!folder) return Unexpected(folder.error());
  const std::filesystem::path merged = folder->path() / kResultsName;
  if (const auto done = MergeRuns({.inputs = {run}, .out = merged, .manifest = manifest, .partial = true}); !done) {
    return Unexpected(done.error());
  }
  return std::move(*folder);
}

Expected<Manifest> ManifestOf(const RunHeader& header, const std::filesystem::path& run_dir,
                              const LoadOptions& options) {
  const Expected<std::filesystem::path> file = FindRunManifest(header, run_dir, options.manifest);
  if (!file) return Unexpected(file.error());
  Expected<Manifest> manifest = LoadManifest(*file, CaseFiles::kMayBeGone, options.known);
  if (!manifest) return manifest;
  if (!header.manifest_hash.empty() && header.manifest_hash != manifest->hash) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{}: its sha256 is {}, the results in {} were made from {}: the models were split "
                                 "again after the run, so run it again",
                                 manifest->path.string(), manifest->hash, run_dir.string(), header.manifest_hash));
  }
  return manifest;
}

// The target whose baseline judges the run. For a plugin that was given by its path, the target that declares for it.
const std::string& TargetOfBaseline(const RunHeader& header) {
  const auto declaring = header.properties.find(kDeclarationsOf);
  return declaring == header.properties.end() ? header.target : declaring->second;
}

}  // namespace

Expected<std::string> BaselineTextFor(const RunHeader& header, const std::filesystem::path& baseline) {
  if (baseline.empty()) return std::string();
  if (!std::filesystem::is_directory(baseline)) return ReadFile(baseline);
  // For whole models and suites, the file's name ends with more than the target (BaselineName).
  std::vector<std::filesystem::path> files;
  std::error_code error;
  const std::string& target = TargetOfBaseline(header);
  for (const auto& entry : std::filesystem::directory_iterator(baseline, error)) {
    const std::string name = entry.path().filename().string();
    if (name == target + ".yaml" || name.starts_with(target + "-")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::string texts;
  for (const std::filesystem::path& file : files) {
    const Expected<std::string> text = ReadFile(file);
    if (!text) return text;
    texts += file.filename().string() + "\n" + *text;
  }
  return texts;
}

int64_t ChooseJobId(std::string_view run_id, const std::function<const char*(const char*)>& environment) {
  for (const char* name : {"OPBYOP_JOB_ID", "GITHUB_JOB_ID"}) {
    const char* text = environment(name);
    if (!text || *text == '\0') continue;
    const char* end = text + std::strlen(text);
    int64_t id = 0;
    const auto [rest, error] = std::from_chars(text, end, id);
    if (error == std::errc() && rest == end && id >= 0) return id;
  }
  return static_cast<int64_t>(std::strtoull(Sha256Hex(run_id).substr(0, kJobIdHexDigits).c_str(), nullptr, 16));
}

std::filesystem::path LoadedRun::file() const { return merged ? merged->path() / kResultsName : results; }

Expected<std::unique_ptr<LoadedRun>> LoadRunWithManifest(const std::filesystem::path& run, const LoadOptions& options) {
  auto loaded = std::make_unique<LoadedRun>();
  loaded->results = ResultsFileOf(run);
  if (std::filesystem::is_directory(run)) {
    Expected<std::optional<TemporaryFolder>> merged = MergeShardsOf(run, options.manifest);
    if (!merged) return Unexpected(merged.error());
    if (*merged) loaded->merged.emplace(std::move(**merged));
  }
  const std::filesystem::path results = loaded->file();
  const Expected<RunHeader> header = LoadRunHeader(results);
  if (!header) return Unexpected(header.error());
  Expected<Manifest> manifest = ManifestOf(*header, results.parent_path(), options);
  if (!manifest) return Unexpected(manifest.error());
  loaded->manifest = std::move(*manifest);
  PrivateValues& values = loaded->private_values;
  values = PrivateValues::OfThisProgram(VariablesNamedBy(header->target_file));
  values.AllowNamesIn(NamesOf(loaded->manifest) + NamesOf(*header) + std::filesystem::absolute(results).string());
  if (options.count_with != nullptr) values.CountWith(*options.count_with);
  HideIn(values, loaded->manifest);
  const std::filesystem::path& baseline = options.baseline;
  const bool folder = std::filesystem::is_directory(baseline);
  const std::filesystem::path file =
      folder ? baseline / (BaselineName(TargetOfBaseline(*header), loaded->manifest) + ".yaml") : baseline;
  if (!baseline.empty() && (!folder || std::filesystem::exists(file))) {
    Expected<Baseline> found = LoadBaseline(file);
    if (!found) return Unexpected(found.error());
    loaded->baseline = std::move(*found);
    HideIn(values, *loaded->baseline);
    loaded->baseline->KeepFor(*header);
  }
  Expected<View> view = ScanView(loaded->manifest, results, loaded->baseline ? &*loaded->baseline : nullptr,
                                 loaded->run, options.visit, &values);
  if (!view) return Unexpected(view.error());
  loaded->view = std::move(*view);
  return loaded;
}

std::string ShardSuffix(const std::filesystem::path& results) {
  const std::string stem = results.stem().string();
  return stem.starts_with(kResultsStem) ? stem.substr(kResultsStem.size()) : "";
}

void RemoveReports(const std::filesystem::path& folder, const std::string& shard) {
  const auto is_numbered = [](std::string_view name, std::string_view begin, std::string_view end) {
    if (!name.starts_with(begin) || !name.ends_with(end) || name.size() <= begin.size() + end.size()) return false;
    name.remove_prefix(begin.size());
    name.remove_suffix(end.size());
    return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  };
  std::error_code error;
  std::vector<std::filesystem::path> old = {folder / ("index" + shard + ".html"), folder / TreeName(shard)};
  for (const auto& [stem, ending, text] : kTextReports)
    old.push_back(folder / fmt::format("{}{}{}", stem, shard, ending));
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (is_numbered(name, "op_by_op_report" + shard + "-", ".json") ||
        is_numbered(name, "report" + shard + "_", ".xml")) {
      old.push_back(entry.path());
    }
  }
  for (const std::filesystem::path& path : old) std::filesystem::remove(path, error);
}

Expected<ReportFiles> WriteReports(const ReportOptions& options) {
  const Expected<std::unique_ptr<LoadedRun>> loaded =
      LoadRunWithManifest(options.run, {.baseline = options.baseline, .manifest = options.manifest});
  if (!loaded) return Unexpected(loaded.error());
  View& view = (*loaded)->view;
  view.unmet = Unmet(Over(options.demands, view.run->header.demands), view.totals);
  const std::filesystem::path results = ResultsFileOf(options.run);
  const std::filesystem::path whole_dir = results.parent_path() / kWholeFolder;
  if (std::filesystem::exists(whole_dir / kResultsName) || !FindShardFiles(whole_dir).empty()) {
    const Expected<std::unique_ptr<LoadedRun>> whole =
        LoadRunWithManifest(whole_dir, {.baseline = options.baseline, .count_with = &(*loaded)->private_values});
    if (!whole) return Unexpected(whole.error());
    AddWholeModels((*whole)->view, view);
    for (const std::string& unmet : Unmet((*whole)->run.header.demands, (*whole)->view.totals)) {
      view.unmet.push_back("whole models: " + unmet);
    }
  }
  const int64_t job_id = options.job_id.value_or(ChooseJobId(view.run->header.run_id, &std::getenv));
  const std::string shard = ShardSuffix(results);
  const auto path = [&](const std::string& name) { return options.out_dir / name; };

  const OpTestReport optest(job_id);
  const OpByOpReport op_by_op;
  const PytestJunitReport pytest;
  const JunitReport junit;
  const std::vector<std::pair<std::filesystem::path, const RowReport*>> reports = {
      {path("optest" + shard + ".json"), &optest},
      {path(OpByOpReportName(job_id, shard)), &op_by_op},
      {path(PytestJunitName(job_id, shard)), &pytest},
      {path("junit" + shard + ".xml"), &junit}};
  // All reports are made from each record while it is in memory: reading it is most of the work.
  const std::filesystem::path page_path = path("index" + shard + ".html");
  const Expected<std::unique_ptr<OutputFile>> page_file = OutputFile::Create(page_path);
  if (!page_file) return Unexpected(page_file.error());
  PageFiles files = {.profiles = FindProfiles(view, options.out_dir),
                     .programs = FindPrograms(view, options.out_dir),
                     .score_card = "scorecard" + shard};
  const std::string tree = ModelTreePage(view);
  if (!tree.empty()) files.tree = TreeName(shard);
  if (options.before) {
    Expected<RunsBefore> before = options.before(view);
    if (!before) return Unexpected(before.error());
    files.before = std::move(*before);
  }
  HtmlPageWriter page(view, files, [&](std::string_view text) { (*page_file)->Write(text); });
  const auto add_to_page = [&](const OpTest& test) {
    if (test.row != nullptr) page.Add(*test.row, test.record);
  };
  const auto progress = [&](size_t rows) { options.progress(rows, view.rows.size() + view.unsplit.size()); };
  if (const Expected<void> done = WriteRowReports(reports, view, add_to_page, progress); !done) {
    return Unexpected(done.error());
  }
  page.End();
  ReportFiles written;
  for (const auto& [file, report] : reports) written.files.push_back(file);
  const ScoreCard card = MakeScoreCard(view);
  for (const auto& [stem, ending, text] : kTextReports) {
    written.files.push_back(path(fmt::format("{}{}{}", stem, shard, ending)));
    if (const auto done = WriteFile(written.files.back(), text(view, card)); !done) return Unexpected(done.error());
  }
  if (!tree.empty()) {
    written.files.push_back(path(files.tree));
    if (const auto done = WriteFile(written.files.back(), tree); !done) return Unexpected(done.error());
  }
  written.files.push_back(page_path);
  if (const Expected<void> closed = (*page_file)->Close(); !closed) return Unexpected(closed.error());
  written.summary = SummaryText(view);
  written.red = view.red();
  written.exit_code = view.exit_code();
  written.hidden = (*loaded)->private_values.Sentence();
  return written;
}

}  // namespace opbyop::reports
