// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/result_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "harness/run_digest.h"
#include "manifests/results_file.h"
#include "support/counted.h"
#include "support/file.h"
#include "support/sha256.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kForm = "opbyop-cache/1";
constexpr std::string_view kFolder = "opbyop-cache-1";
constexpr std::string_view kSuffix = ".pack";
constexpr size_t kDigestDigits = 64;
constexpr size_t kMostPending = 1000;
constexpr std::chrono::minutes kLongestPending(1);

// What a machine's timings and its code for the device depend on. The amount of memory differs by a few pages from
// boot to boot.
constexpr std::array<std::string_view, 6> kMachine = {"cpu", "cores", "device", "isolation", "os", "runtime"};

bool IsDigest(std::string_view text) {
  return text.size() == kDigestDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// "<key> <run id> <record>" in its parts; the record is empty where the line is none of these.
struct Line {
  std::string_view key, run_id, record;
};

Line Parse(std::string_view text) {
  const size_t first = text.find(' ');
  const size_t second = first == std::string_view::npos ? first : text.find(' ', first + 1);
  if (second == std::string_view::npos || !IsDigest(text.substr(0, first))) return {};
  return {text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
}

}  // namespace

std::string RunCacheKey(const RunHeader& header) {
  std::map<std::string, std::string> decides = header.decides;
  decides.erase("manifest");  // each of its cases decides for itself
  for (const std::string_view name : kMachine) {
    const auto found = header.host.find(std::string(name));
    if (found != header.host.end()) decides[fmt::format("machine.{}", name)] = found->second;
  }
  for (const auto& [name, value] : header.properties) decides["property." + name] = value;
  return DigestOf(decides);
}

std::string CaseKey(const CachedCase& cached) {
  const Case& c = *cached.c;
  std::map<std::string, std::string> decides = {
      {"id", c.id},          {"op", c.op},
      {"hash", c.hash},      {"after", cached.after},
      {"twin", cached.twin}, {"no_runtime_input", c.no_runtime_input ? "yes" : "no"}};
  for (const int64_t index : c.elided_constants) decides["elided"] += fmt::format("{},", index);
  for (const InputRange& range : c.input_ranges) {
    decides["ranges"] += range ? fmt::format("{}..{},", range->first, range->second) : ",";
  }
  return DigestOf(decides);
}

bool MayBeCached(const CaseRecord& record) {
  // What failed first and passed then shows that the machine has a part in it.
  if (record.first_attempt.status != Status::kMissing && record.first_attempt.status != record.status) return false;
  switch (record.status) {
    case Status::kPass:
    case Status::kImprecise:
    case Status::kUnsupported:
    case Status::kInconclusive:
      return true;
    case Status::kFail:
      return record.stage != "inputs" && record.stage != "load" && record.stage != "execute";
    default:
      return false;
  }
}

ResultCache::ResultCache(fs::path folder, const RunHeader& header)
    : run_key_(RunCacheKey(header)), run_id_(header.run_id), flushed_(Clock::now()) {
  folder_ = std::move(folder) / kFolder / run_key_;
  ReadPacks();
}

ResultCache::~ResultCache() { Flush(); }

void ResultCache::Ignore(const fs::path& file, const std::string& why) {
  if (ignored_count_++ == 0) ignored_ = fmt::format("{} ({})", file.string(), why);
}

void ResultCache::ReadPacks() {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder_, error)) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (name.ends_with(".tmp")) continue;  // being written
    if (!name.ends_with(kSuffix) || !IsDigest(file.stem().string())) {
      Ignore(file, "no file of a cache");
      continue;
    }
    const Expected<std::string> text = ReadRegularFile(file);
    if (!text) {
      if (fs::exists(file, error)) Ignore(file, text.error().message);
      continue;  // removed since it was listed
    }
    const std::string head = fmt::format("{} {}\n", kForm, run_key_);
    if (Sha256Hex(*text) != file.stem().string()) {
      Ignore(file, "its bytes are not those of its name: was it cut off?");
      continue;
    }
    if (!text->starts_with(head)) {
      Ignore(file, "of another form or run");
      continue;
    }
    const auto pack = static_cast<uint32_t>(packs_.size());
    packs_.push_back(file);
    for (size_t at = head.size(); at < text->size();) {
      const size_t end = std::min(text->find('\n', at), text->size());
      const Line line = Parse(std::string_view(*text).substr(at, end - at));
      if (!line.record.empty()) {
        Entry& entry = entries_[std::string(line.key)];
        if (entry.run_id <= line.run_id) {
          entry = {pack, static_cast<int64_t>(at), static_cast<int64_t>(end - at), std::string(line.run_id)};
        }
      }
      at = end + 1;
    }
  }
}

std::optional<CaseRecord> ResultCache::Find(const std::string& key, const std::string& case_id) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  if (open_pack_ != entry.pack) open_ = std::ifstream(packs_[entry.pack], std::ios::binary);
  open_pack_ = entry.pack;
  std::string text(static_cast<size_t>(entry.size), '\0');
  open_.clear();
  open_.seekg(entry.offset);
  open_.read(text.data(), entry.size);
  const Line line = Parse(text);
  if (!open_ || line.key != key) return std::nullopt;  // removed meanwhile
  const Expected<CaseRecord> record = ParseCaseRecord(line.record);
  if (!record || record->id != case_id || !MayBeCached(*record)) return std::nullopt;
  std::optional<CaseRecord> cached = *record;
  cached->cached_from = line.run_id;
  return cached;
}

void ResultCache::Add(const std::string& key, const CaseRecord& record) {
  if (!MayBeCached(record) || !record.cached_from.empty()) return;
  const std::lock_guard guard(mutex_);
  pending_ += fmt::format("{} {} {}\n", key, run_id_, ToJsonLine(record));
  if (++pending_count_ >= kMostPending || Clock::now() - flushed_ > kLongestPending) FlushLocked();
}

void ResultCache::Flush() {
  const std::lock_guard guard(mutex_);
  FlushLocked();
}

void ResultCache::FlushLocked() {
  flushed_ = Clock::now();
  if (pending_count_ == 0) return;
  const std::string text = fmt::format("{} {}\n{}", kForm, run_key_, pending_);
  pending_.clear();
  pending_count_ = 0;
  const fs::path file = folder_ / fmt::format("{}{}", Sha256Hex(text), kSuffix);
  if (const Expected<void> written = WriteFile(file, text); !written && failure_.empty()) {
    failure_ = written.error().message;
  }
  written_.push_back(file);
}

void ResultCache::Withdraw(const std::string& key) {
  const std::lock_guard guard(mutex_);
  const std::string begin = key + " ";
  for (size_t at = 0; at < pending_.size();) {
    const size_t end = std::min(pending_.find('\n', at), pending_.size() - 1) + 1;
    if (pending_.compare(at, begin.size(), begin) == 0) {
      pending_.erase(at, end - at);
      --pending_count_;
    } else {
      at = end;
    }
  }
  std::error_code error;
  std::erase_if(written_, [&](const fs::path& file) {
    const Expected<std::string> text = ReadRegularFile(file);
    if (text && text->find("\n" + begin) == std::string::npos) return false;
    fs::remove(file, error);
    return true;
  });
}

void ResultCache::WithdrawAll() {
  const std::lock_guard guard(mutex_);
  pending_.clear();
  pending_count_ = 0;
  std::error_code error;
  for (const fs::path& file : std::exchange(written_, {})) fs::remove(file, error);
}

std::string ResultCache::note() const {
  const std::lock_guard guard(mutex_);
  std::string text;
  if (ignored_count_ > 0) {
    text = fmt::format("the cache has {} that cannot be used: {}", Counted(ignored_count_, "file"), ignored_);
  }
  if (!failure_.empty()) text += (text.empty() ? "" : "; ") + ("results are not kept in the cache: " + failure_);
  return text;
}

}  // namespace opbyop::harness
