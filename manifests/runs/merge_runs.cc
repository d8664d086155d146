// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/runs/merge_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "manifests/cases/row_ranges.h"
#include "manifests/formats/json.h"
#include "manifests/results/results_file.h"
#include "manifests/results/set_name.h"
#include "manifests/runs/run_differences.h"
#include "manifests/runs/run_manifest.h"
#include "support/files/file.h"
#include "support/files/output_file.h"
#include "support/files/sha256.h"
#include "support/fnv.h"
#include "support/text/count_text.h"
#include "support/text/timestamp.h"

namespace opbyop {
namespace {

namespace fs = std::filesystem;

struct Shard {
  ShardFile file;
  RunHeader header;
  std::optional<RunFooter> footer;  // nullopt: the shard did not finish

  std::string name() const { return fmt::format("shard {} of {}", file.shard, file.shards); }
};

// The part of a record that is kept: enough for the totals, and to find a case that two shards have.
struct Seen {
  uint64_t id = 0;     // its hash
  uint32_t at = 0;     // in the order of the merged file
  uint32_t shard = 0;  // in the order of the shards
  Status status = Status::kMissing;
};

Expected<std::vector<ShardFile>> FilesOf(const std::vector<fs::path>& inputs) {
  std::vector<ShardFile> files;
  std::error_code error;
  for (const fs::path& input : inputs) {
    std::vector<ShardFile> found;
    fs::path whole = input;
    if (fs::is_directory(input, error)) {
      found = FindShardFiles(input);
      whole /= ResultsName(1, 1);
    } else if (auto file = AsShardFile(input); file && fs::exists(input, error)) {
      found.push_back(std::move(*file));
    }
    // A single shard needs no merging, but scripts with a variable number of shards may pass one.
    if (found.empty() && whole.filename() == ResultsName(1, 1) && fs::exists(whole, error)) {
      found.push_back({whole, 1, 1});
    }
    if (found.empty()) {
      return MakeError(ExitCode::kNoInput,
                       fmt::format("{}: no shard of a run there: a shard is a file results-K-of-N.jsonl, which `opbyop "
                                   "run --shard K/N` writes",
                                   input.string()));
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

Error Doubled(const ShardFile& a, const ShardFile& b) {
  return {ExitCode::kUsage,
          fmt::format("shard {} of {} exists twice: {} and {}", a.shard, a.shards, a.path.string(), b.path.string())};
}

// Sorts the files by number. Each must exist once, and all must have the same number of shards.
Expected<void> CheckFiles(std::vector<ShardFile>& files) {
  std::ranges::sort(files, {}, [](const ShardFile& file) { return std::tie(file.shard, file.path); });
  for (size_t i = 1; i < files.size(); ++i) {
    const ShardFile &a = files[i - 1], &b = files[i];
    if (files.front().shards != b.shards) {
      return MakeError(
          ExitCode::kUsage,
          fmt::format("{} is one of {} shards and {} one of {}: they are not of one run; name the files, or "
                      "remove those of the other run",
                      files.front().path.string(), files.front().shards, b.path.string(), b.shards));
    }
    if (a.shard == b.shard) return Unexpected(Doubled(a, b));
  }
  return {};
}

// Finds missing shards from the gaps between the existing ones. The number of shards is only a claim of the file names.
std::vector<std::string> MissingShards(const std::vector<ShardFile>& files) {
  std::vector<std::string> lacking;
  const uint64_t shards = files.front().shards;
  const auto add = [&](uint64_t first, uint64_t last) {
    if (first > last) return;
    lacking.push_back(first == last ? fmt::format("shard {} of {} is missing", first, shards)
                                    : fmt::format("{} of {} are missing, {} to {}",
                                                  CountText(last - first + 1, "shard"), shards, first, last));
  };
  uint64_t last_seen = 0;
  for (const ShardFile& file : files) {
    add(last_seen + 1, file.shard - 1);
    last_seen = file.shard;
  }
  if (last_seen < shards) add(last_seen + 1, shards);
  return lacking;
}

// Says what makes the shard part of another run than the first; empty if nothing does.
std::string WhyForeign(const RunHeader& a, const RunHeader& b) {
  const std::pair<const char*, std::pair<std::string, std::string>> plain[] = {
      {"manifest's sha256", {a.manifest_hash, b.manifest_hash}},
      {"target", {a.target, b.target}},
      {"toolchain", {a.toolchain, b.toolchain}},
      {"policies", {a.policy, b.policy}},
      {"seed", {std::to_string(a.seed), std::to_string(b.seed)}},
      {"fresh seed", {FreshSeedText(a.fresh_seed), FreshSeedText(b.fresh_seed)}},
      {"mode", {a.mode, b.mode}},
      {"stages", {fmt::format("{}", fmt::join(a.stages, ", ")), fmt::format("{}", fmt::join(b.stages, ", "))}},
      {"reason to compile only", {a.compile_only, b.compile_only}},
      {"choice of rows", {a.filter, b.filter}},
      {"demands",
       {fmt::format("{}", fmt::join(a.demands.Flags(), " ")), fmt::format("{}", fmt::join(b.demands.Flags(), " "))}},
      {"balance", {a.balance, b.balance}}};
  for (const auto& [name, values] : plain) {
    if (values.first != values.second) {
      return fmt::format("its {} is '{}', the other's is '{}'", name, values.second, values.first);
    }
  }
  if (a.digest == b.digest) return "";
  const std::string text = RunDifferences(b.decides, a.decides);
  return text.empty() ? "its digest is another" : text;
}

// Returns the footer if the last line is one.
std::optional<RunFooter> FooterAtEnd(const fs::path& path) {
  constexpr std::streamoff kLongestFooter = 64 << 10;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  const std::streamoff begin = std::max<std::streamoff>(0, size - kLongestFooter);
  std::string tail(static_cast<size_t>(size - begin), '\0');
  file.seekg(begin);
  file.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  if (!file || !tail.ends_with('\n')) return std::nullopt;
  tail.pop_back();
  return ParseFooter(std::string_view(tail).substr(tail.rfind('\n') + 1));
}

Expected<std::vector<Shard>> LoadHeaders(const std::vector<ShardFile>& files) {
  std::vector<Shard> shards;
  for (const ShardFile& file : files) {
    Expected<RunHeader> header = LoadRunHeader(file.path);
    if (!header) return Unexpected(header.error());
    // Files from before headers had shard numbers are identified by their names alone.
    if (header->shards > 1 && (header->shard != file.shard || header->shards != file.shards)) {
      return MakeError(ExitCode::kUsage, fmt::format("{} is shard {} of {} by its header: was it renamed?",
                                                     file.path.string(), header->shard, header->shards));
    }
    if (!shards.empty()) {
      if (const std::string why = WhyForeign(shards.front().header, *header); !why.empty()) {
        return MakeError(ExitCode::kUsage, fmt::format("{} is of another run than {}: {}", file.path.string(),
                                                       shards.front().file.path.string(), why));
      }
    }
    shards.push_back({file, std::move(*header), FooterAtEnd(file.path)});
  }
  return shards;
}

Expected<void> CheckEnds(const std::vector<Shard>& shards, bool partial, MergedRun& merged) {
  for (const Shard& shard : shards) {
    if (shard.footer) continue;
    merged.lacking.push_back(shard.name() + " did not end");
    if (partial) continue;
    return MakeError(
        ExitCode::kUsage,
        fmt::format("{}: {} did not end: the command that made it resumes it, and --partial merges it as it is",
                    shard.file.path.string(), shard.name()));
  }
  return {};
}

// Returns the rows of all shards. An error if two shards have the same row, because the cases were then assigned
// differently. The number of rows is only a claim of a header, so ranges are joined instead of counting rows.
Expected<std::string> UniteSelections(const std::vector<Shard>& shards) {
  const uint64_t rows = shards.front().header.manifest_rows;
  struct Chosen {
    RowRange range;
    size_t shard;
  };
  std::vector<Chosen> chosen;
  for (size_t i = 0; i < shards.size(); ++i) {
    const RunHeader& header = shards[i].header;
    const auto ranges =
        header.selected.empty() ? std::vector<RowRange>{{0, rows - 1}} : ParseRowRanges(header.selected, rows);
    if (!ranges || header.manifest_rows != rows) {
      return MakeError(ExitCode::kBadInput, fmt::format("{}: its selection matches none of the {} rows of its manifest",
                                                        shards[i].file.path.string(), rows));
    }
    for (const RowRange& range : *ranges) chosen.push_back({range, i});
  }
  std::ranges::sort(chosen, {}, [](const Chosen& each) { return each.range.first; });
  std::vector<RowRange> united;
  for (const Chosen& each : chosen) {
    if (!united.empty() && each.range.first <= united.back().last) {
      const Chosen& before = *(&each - 1);
      return MakeError(ExitCode::kUsage,
                       fmt::format("row {} of the manifest is in {} and in {}: their cases were assigned differently",
                                   each.range.first, shards[before.shard].file.path.string(),
                                   shards[each.shard].file.path.string()));
    }
    if (!united.empty() && united.back().last + 1 == each.range.first) {
      united.back().last = each.range.last;
    } else {
      united.push_back(each.range);
    }
  }
  const bool all = united.size() == 1 && united.front() == RowRange{0, rows - 1};
  return all ? "" : FormatRowRanges(united);
}

std::string_view TextAfter(std::string_view line, std::string_view begin) {
  return line.starts_with(begin) ? line.substr(begin.size()) : std::string_view();
}

// Returns id and status of a record that ToJsonLine wrote; both empty if the line has another order.
std::pair<std::string_view, std::string_view> PeekIdAndStatus(std::string_view line) {
  std::string_view rest = TextAfter(line, R"({"record":"case","case":")");
  const std::string_view id = rest.substr(0, rest.find('"'));
  rest = TextAfter(rest.substr(std::min(rest.size(), id.size())), R"(","status":")");
  const std::string_view status = rest.substr(0, rest.find('"'));
  if (rest.empty() || id.empty() || line.back() != '}') return {};
  return {id, status};
}

// Copies the records of one shard.
class Copier {
 public:
  Copier(OutputFile& out, std::vector<Seen>& seen) : out_(out), seen_(seen) {}

  Expected<void> Copy(const Shard& shard, uint32_t number) {
    shard_ = number;
    Expected<std::ifstream> opened = OpenFile(shard.file.path);
    if (!opened) return Unexpected(opened.error());
    std::ifstream& file = *opened;
    std::string line;
    while (ReadLine(file, line)) {
      if (file.eof()) break;  // cut off in the middle of a line
      if (line.size() > kLongestLine) {
        return MakeError(ExitCode::kBadInput, fmt::format("{}: has a line that is longer than any of a results file",
                                                          shard.file.path.string()));
      }
      if (!Keep(line)) continue;
      line.push_back('\n');
      out_.Write(line);
    }
    if (file.bad() || !file.eof()) {
      return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be read", shard.file.path.string()));
    }
    return {};
  }

 private:
  // True if the line belongs in the merged file: a record, or a damaged line.
  bool Keep(std::string_view line) {
    const auto [id, status] = PeekIdAndStatus(line);
    if (!id.empty()) {
      Add(id, status);
      return true;
    }
    const Expected<nlohmann::json> object = ParseJson(line);
    if (!object || !object->is_object()) return true;
    const auto text = [&](const char* key) {
      const auto found = object->find(key);
      return found != object->end() && found->is_string() ? found->get<std::string>() : "";
    };
    const std::string kind = text("record");
    if (kind == "case") Add(text("case"), text("status"));
    return kind != "footer" && kind != "header";
  }

  void Add(std::string_view id, std::string_view status) {
    seen_.push_back(
        {Fnv1a(id), static_cast<uint32_t>(seen_.size()), shard_, ParseStatus(status).value_or(Status::kMissing)});
  }

  OutputFile& out_;
  std::vector<Seen>& seen_;
  uint32_t shard_ = 0;
};

// Returns the id of the case with this hash.
std::string IdOf(uint64_t hash, const fs::path& results) {
  std::string id;
  (void)ScanRun(results, [&](const CaseRecord& record, RecordPlace) {
    if (Fnv1a(record.id) == hash) id = record.id;
  });
  return id;
}

// If a shard has several records of a case, the last one counts.
Expected<void> CountSeen(std::vector<Seen> seen, const std::vector<Shard>& shards, MergedRun& merged) {
  std::ranges::sort(seen, {}, [](const Seen& record) { return std::tie(record.id, record.at); });
  for (size_t i = 0; i < seen.size(); ++i) {
    if (i + 1 < seen.size() && seen[i + 1].id == seen[i].id) {
      if (seen[i + 1].shard == seen[i].shard) continue;
      const fs::path &a = shards[seen[i].shard].file.path, &b = shards[seen[i + 1].shard].file.path;
      return MakeError(ExitCode::kUsage, fmt::format("case {} is in {} and in {}: they are not shards of one run",
                                                     IdOf(seen[i].id, a), a.string(), b.string()));
    }
    ++merged.cases;
    ++merged.totals[std::string(ToString(seen[i].status))];
  }
  return {};
}

// Values of several machines, each once: "AMD EPYC | Intel Xeon".
void JoinFacts(const std::map<std::string, std::string>& more, std::map<std::string, std::string>& facts) {
  for (const auto& [name, value] : more) {
    std::string& joined = facts[name];
    if (joined.empty()) {
      joined = value;
    } else if ((" | " + joined + " | ").find(" | " + value + " | ") == std::string::npos) {
      joined += " | " + value;
    }
  }
}

Expected<RunHeader> JoinHeaders(const std::vector<Shard>& shards, const MergeOptions& options) {
  RunHeader header = shards.front().header;
  if (header.manifest_rows > 0) {
    Expected<std::string> selected = UniteSelections(shards);
    if (!selected) return Unexpected(selected.error());
    header.selected = std::move(*selected);
  } else {
    // In older files the selection of a shard only covers its own rows. All shards together have all rows.
    header.selected = "";
  }
  std::string runs;
  for (const Shard& shard : shards) {
    const RunHeader& part = shard.header;
    runs += part.run_id + "\n";
    JoinFacts(part.host, header.host);
    JoinFacts(part.properties, header.properties);
    JoinFacts(part.compiled, header.compiled);
    header.start = std::min(header.start, part.start);
    const auto cpu = part.host.find("cpu");
    header.merged.push_back({shard.file.shard, part.run_id, part.start, cpu == part.host.end() ? "" : cpu->second,
                             shard.footer ? shard.footer->wall_s : 0, shard.footer.has_value()});
  }
  // The same id for the same shards.
  const int64_t start = ParseTimestamp(header.start).value_or(0);
  header.run_id = fmt::format("{}-{}", FormatCompactTimestamp(start), Sha256Hex(runs).substr(0, 8));
  header.shard = header.shards = 1;
  header.balance = "";
  for (const Shard& shard : shards) {
    const Expected<fs::path> manifest = FindRunManifest(shard.header, shard.file.path.parent_path(), options.manifest);
    if (!manifest) continue;  // the report later names the places where it looked
    SetManifestPath(*manifest, options.out.parent_path(), header);
    break;
  }
  return header;
}

// Fills in `merged`, except for what only the records say.
Expected<std::vector<Shard>> LoadShards(const MergeOptions& options, MergedRun& merged) {
  Expected<std::vector<ShardFile>> files = FilesOf(options.inputs);
  if (!files) return Unexpected(files.error());
  if (const Expected<void> good = CheckFiles(*files); !good) return Unexpected(good.error());
  merged.lacking = MissingShards(*files);
  if (!merged.lacking.empty() && !options.partial) {
    return MakeError(
        ExitCode::kNoInput,
        fmt::format("{}: run the missing shards, or merge the others with --partial: the missing rows are then red",
                    fmt::join(merged.lacking, ", ")));
  }
  Expected<std::vector<Shard>> shards = LoadHeaders(*files);
  if (!shards) return shards;
  if (const Expected<void> ended = CheckEnds(*shards, options.partial, merged); !ended)
    return Unexpected(ended.error());
  Expected<RunHeader> header = JoinHeaders(*shards, options);
  if (!header) return Unexpected(header.error());
  merged.header = std::move(*header);
  // Without a filter all rows were selected, including those of a missing shard.
  if (files->size() < files->front().shards && merged.header.filter.empty()) merged.header.selected = "";
  return shards;
}

}  // namespace

Expected<void> CheckShards(const MergeOptions& options) {
  MergedRun merged;
  const Expected<std::vector<Shard>> shards = LoadShards(options, merged);
  return shards ? Expected<void>() : Unexpected(shards.error());
}

Expected<MergedRun> MergeRuns(const MergeOptions& options) {
  MergedRun merged;
  const Expected<std::vector<Shard>> shards = LoadShards(options, merged);
  if (!shards) return Unexpected(shards.error());
  Expected<std::unique_ptr<OutputFile>> out = OutputFile::Create(options.out);
  if (!out) return Unexpected(out.error());
  (*out)->Write(ToJsonLine(merged.header) + "\n");
  std::vector<Seen> seen;
  Copier copier(**out, seen);
  RunFooter footer;
  for (uint32_t number = 0; const Shard& shard : *shards) {
    if (const Expected<void> copied = copier.Copy(shard, number++); !copied) return Unexpected(copied.error());
    if (!shard.footer) continue;
    footer.wall_s = std::max(footer.wall_s, shard.footer->wall_s);
    footer.end = std::max(footer.end, shard.footer->end);
  }
  if (const Expected<void> counted = CountSeen(std::move(seen), *shards, merged); !counted) {
    return Unexpected(counted.error());
  }
  footer.totals = merged.totals;
  if (merged.lacking.empty()) (*out)->Write(ToJsonLine(footer) + "\n");
  if (const Expected<void> closed = (*out)->Close(); !closed) return Unexpected(closed.error());
  return merged;
}

bool IsMergeOf(const RunHeader& merged, const std::vector<ShardFile>& shards) {
  if (merged.merged.size() != shards.size()) return false;
  for (const ShardFile& file : shards) {
    const Expected<RunHeader> header = LoadRunHeader(file.path);
    const auto same = [&](const MergedShard& shard) { return header && shard.run_id == header->run_id; };
    if (std::ranges::none_of(merged.merged, same)) return false;
  }
  return true;
}

}  // namespace opbyop
