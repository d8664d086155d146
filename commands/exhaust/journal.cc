// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/journal.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "manifests/formats/json.h"
#include "support/files/file.h"

namespace opbyop::exhaustive {
namespace {

using nlohmann::json;

namespace fs = std::filesystem;

constexpr std::string_view kSchema = "opbyop-chunks/1";

// `text` without a last line that is not complete.
std::string_view WholeLines(std::string_view text) {
  const size_t end = text.rfind('\n');
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

std::string HeaderOf(const JournalKey& key) {
  return json{{"schema", kSchema}, {"target", key.target}, {"toolchain", key.toolchain}, {"programs", key.programs}}
             .dump() +
         "\n";
}

// A text member of an object; empty if it is absent, or no text.
std::string TextAt(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Expected<void> CheckHeader(const fs::path& path, std::string_view line, const JournalKey& key) {
  const Expected<json> header = ParseJson(line);
  if (!header || !header->is_object() || TextAt(*header, "schema") != kSchema) {
    return MakeError(ExitCode::kUnsupported, fmt::format("{}: is no {}: --fresh starts again", path.string(), kSchema));
  }
  const JournalKey there{TextAt(*header, "target"), TextAt(*header, "toolchain"), TextAt(*header, "programs")};
  if (there.target != key.target || there.toolchain != key.toolchain) {
    return MakeError(ExitCode::kUsage,
                     fmt::format("{}: was made with {} ({}), not with {} ({}): --fresh starts again", path.string(),
                                 there.target, there.toolchain, key.target, key.toolchain));
  }
  if (there.programs == key.programs) return {};
  return MakeError(
      ExitCode::kUsage,
      fmt::format("{}: was made by another build, or with another target file: --fresh starts again", path.string()));
}

}  // namespace

Expected<Journal> Journal::Open(const fs::path& path, const JournalKey& key, bool fresh) {
  Journal journal;
  journal.path_ = path;
  std::error_code ignored;
  std::string text = HeaderOf(key);
  if (!fresh && fs::exists(path, ignored)) {
    const Expected<std::string> found = ReadFile(path);
    if (!found) return Unexpected(found.error());
    std::string_view lines = WholeLines(*found);
    const size_t end = lines.find('\n');
    if (!lines.empty()) {
      if (const Expected<void> same = CheckHeader(path, lines.substr(0, end), key); !same) {
        return Unexpected(same.error());
      }
      lines.remove_prefix(end + 1);
    }
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(line.size() + 1);
      const Expected<json> entry = ParseJson(line);
      try {
        if (!entry) continue;
        journal.tallies_[{entry->at("function").get<std::string>(), IntegerAt<uint64_t>(*entry, "size"),
                          IntegerAt<uint64_t>(*entry, "chunk")}] = TallyOf(entry->at("tally"));
      } catch (const json::exception&) {
        continue;  // a line that a full disk damaged: its chunk is run again
      }
      text.append(line).append("\n");
    }
  }
  if (const Expected<void> written = WriteFile(path, text); !written) return Unexpected(written.error());
  journal.file_.open(path, std::ios::app | std::ios::binary);
  if (!journal.file_) return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be written", path.string()));
  return journal;
}

const Tally* Journal::Find(const std::string& function, uint64_t size, uint64_t chunk) const {
  const auto found = tallies_.find({function, size, chunk});
  return found == tallies_.end() ? nullptr : &found->second;
}

Expected<void> Journal::Append(const std::string& function, uint64_t size, uint64_t chunk, const Tally& tally) {
  const json line = {{"function", function}, {"size", size}, {"chunk", chunk}, {"tally", ToJson(tally)}};
  file_ << line.dump() + "\n" << std::flush;
  if (!file_) return MakeError(ExitCode::kNoInput, fmt::format("{}: cannot be written", path_.string()));
  tallies_[{function, size, chunk}] = tally;
  return {};
}

}  // namespace opbyop::exhaustive
