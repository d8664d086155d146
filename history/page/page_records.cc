// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/page/page_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "history/page/error_histogram.h"
#include "manifests/results/results_file.h"
#include "manifests/status/status.h"
#include "reports/command/report_command.h"
#include "reports/page/page_data.h"
#include "support/files/file.h"
#include "support/text/safe_text.h"

namespace opbyop::history {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The most bytes of one text; a longer one is cut.
constexpr size_t kMostText = size_t{32} << 10;

constexpr std::array kTexts = {".mlir", ".ll", ".log", ".txt", ".hlo"};

Json TextOf(const std::string& name, const fs::path& path) {
  const Expected<std::string> text = ReadFile(path);
  if (!text) return nullptr;
  return {{"name", name}, {"text", SafeText(Shorten(*text, kMostText))}, {"bytes", text->size()}};
}

// The texts "<k>_<stage>.mlir" in the order of the stages, or else only the case's program.
Json TextsOf(const Case& c, const fs::path& manifest, const fs::path& kept) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(kept, error)) {
    if (std::ranges::find(kTexts, entry.path().extension()) != kTexts.end()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  Json texts = Json::array();
  for (const fs::path& file : files) {
    if (Json text = TextOf(file.filename().string(), file); !text.is_null()) texts.push_back(std::move(text));
  }
  if (!texts.empty()) return texts;
  if (Json text = TextOf(c.file, manifest.parent_path() / c.file); !text.is_null()) texts.push_back(std::move(text));
  return texts;
}

Json ErrorsOf(const fs::path& kept) {
  Json errors = Json::array();
  for (const ErrorHistogram& each : ErrorHistograms(kept)) {
    errors.push_back({{"policy", each.policy}, {"output", each.output}, {"bins", each.bins}});
  }
  return errors;
}

// Whether the folders of cases in `kept` are of another target, according to the results that `opbyop repro` left
// there.
bool OfAnotherTarget(const fs::path& kept, const std::string& target) {
  const fs::path results = kept / "results.jsonl";
  if (!fs::is_regular_file(results)) return false;
  const Expected<RunHeader> header = LoadRunHeader(results);
  return header && header->target != target;
}

}  // namespace

Expected<RecordedCases> WriteRecords(const PageRun& run, const std::string& prefix, const PageCases& cases,
                                     const std::set<std::string>& changed, const fs::path& kept, PageFiles& files) {
  RecordedCases recorded;
  if (!SourceHasRun(run)) {
    recorded.absent = fmt::format("{} no longer holds this run", run.source);
    return recorded;
  }
  const Expected<std::unique_ptr<reports::LoadedRun>> loaded = reports::LoadRunWithManifest(run.source);
  if (!loaded) {
    recorded.absent = SafeText(loaded.error().message);
    return recorded;
  }
  const reports::View& view = (*loaded)->view;
  std::map<int64_t, std::vector<size_t>> chunks;
  size_t last = view.manifest->cases.size();
  for (const reports::RowResult& row : view.rows) {
    if (row.case_index == last) continue;
    last = row.case_index;
    const int64_t chunk = cases.ChunkOf(row.c->id);
    if (chunk >= 0 && (row.status != Status::kPass || changed.contains(row.c->id))) {
      chunks[chunk].push_back(row.case_index);
    }
  }
  const fs::path source = fs::is_directory(run.source) ? fs::path(run.source) : fs::path(run.source).parent_path();
  fs::path folders = source / "kept";
  if (!kept.empty() && !OfAnotherTarget(kept, view.run->header.target)) folders = kept;
  for (const auto& [chunk, members] : chunks) {
    const std::string file = fmt::format("{}-{}", prefix, chunk);
    Json texts = Json::object(), errors = Json::object();
    for (const size_t index : members) {
      const Case& c = view.manifest->cases[index];
      recorded.files.emplace(c.id, file);
      texts[c.id] = TextsOf(c, view.manifest->path, folders / c.id);
      if (Json found = ErrorsOf(folders / c.id); !found.empty()) errors[c.id] = std::move(found);
    }
    std::string json = "{\"page\":";
    reports::PageDataOf(view, members, [&](std::string_view text) { json += text; });
    json += fmt::format(",\"texts\":{},\"errors\":{}}}", CompactJson(texts), CompactJson(errors));
    if (const Expected<void> written = files.Write(file, json); !written) return Unexpected(written.error());
  }
  if (*view.lost) return Unexpected(**view.lost);
  return recorded;
}

}  // namespace opbyop::history
