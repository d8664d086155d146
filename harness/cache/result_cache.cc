// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/cache/result_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "harness/cache/run_digest.h"
#include "manifests/results/results_file.h"
#include "support/files/file.h"
#include "support/files/sha256.h"
#include "support/text/count_text.h"

namespace opbyop::harness {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kForm = "opbyop-cache/2";
constexpr std::string_view kFolder = "opbyop-cache-2";
constexpr std::string_view kSuffix = ".pack";
constexpr size_t kDigestDigits = 64;
constexpr size_t kMostPending = 1000;
constexpr std::chrono::minutes kLongestPending(1);

// The facts about a machine that its timings and its device code depend on. The amount of memory is not one of them: it
// differs by a few pages from boot to boot.
constexpr std::array<std::string_view, 6> kMachine = {"cpu", "cores", "device", "isolation", "os", "runtime"};

bool IsDigest(std::string_view text) {
  return text.size() == kDigestDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// A line "<key> <run id> <record>" in its parts; the record is empty if the line has another form.
struct Line {
  std::string_view key, run_id, record;
};

Line Parse(std::string_view text) {
  const size_t first = text.find(' ');
  const size_t second = first == std::string_view::npos ? first : text.find(' ', first + 1);
  if (second == std::string_view::npos || !IsDigest(text.substr(0, first))) return {};
  return {text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
}

Expected<std::string> ReadAll(int fd, int64_t size) {
  std::string text(static_cast<size_t>(size), '\0');
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::read(fd, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return MakeError(ExitCode::kNoInput, count < 0 ? std::strerror(errno) : "it became shorter");
    done += static_cast<size_t>(count);
  }
  return text;
}

}  // namespace

std::string RunCacheKey(const RunHeader& header) {
  std::map<std::string, std::string> decides = header.decides;
  decides.erase("manifest");  // each of its cases has a key of its own
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
  // A case that failed at first and then passed shows that the machine had a part in it.
  if (record.first_attempt.status != Status::kMissing && record.first_attempt.status != record.status) return false;
  // A failure in the further draw belongs to this night's seed: another night has other inputs.
  if (record.fixed.status != Status::kMissing) return false;
  // Another run may have the time or the memory that the reference lacked in this one.
  if (record.reference != Status::kPass) return false;
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
  Expected<CacheKey> key = OpenCacheKey(folder_.parent_path());
  const Expected<void> opened = key ? OpenCacheFolder(folder_, *key) : Unexpected(key.error());
  if (!opened) {
    failure_ = opened.error().message;
    return;
  }
  key_ = std::move(*key);
  ReadPacks();
}

ResultCache::~ResultCache() {
  Flush();
  if (open_ >= 0) ::close(open_);
}

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
    if (name.ends_with(".tmp")) continue;  // still being written
    if (!name.ends_with(kSuffix) || !IsDigest(file.stem().string())) {
      Ignore(file, "no file of a cache");
      continue;
    }
    struct stat status = {};
    const Expected<int> fd = OpenTrusted(file, *key_, status);
    const Expected<std::string> text = fd ? ReadAll(*fd, status.st_size) : Unexpected(fd.error());
    if (fd) ::close(*fd);
    if (!text) {
      if (fs::exists(fs::symlink_status(file, error))) Ignore(file, text.error().message);
      continue;  // removed since it was listed
    }
    const std::string head = fmt::format("{} {}\n", kForm, run_key_);
    if (HmacSha256Hex(key_->secret, *text) != file.stem().string()) {
      Ignore(file, "it was not made with the cache's key, or was cut off");
      continue;
    }
    if (!text->starts_with(head)) {
      Ignore(file, "of another form or run");
      continue;
    }
    const auto pack = static_cast<uint32_t>(packs_.size());
    packs_.push_back({file, status});
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

// Opens the file again. False if it is not the very file that was read, unchanged.
bool ResultCache::OpenPack(uint32_t pack) {
  if (open_pack_ == pack) return open_ >= 0;
  if (open_ >= 0) ::close(open_);
  open_pack_ = pack;
  struct stat status = {};
  open_ = OpenTrusted(packs_[pack].file, *key_, status).value_or(-1);
  const struct stat& before = packs_[pack].status;
  const bool same = status.st_dev == before.st_dev && status.st_ino == before.st_ino &&
                    status.st_ctim.tv_sec == before.st_ctim.tv_sec && status.st_ctim.tv_nsec == before.st_ctim.tv_nsec;
  if (open_ >= 0 && !same) {
    ::close(open_);
    open_ = -1;
  }
  return open_ >= 0;
}

std::optional<CaseRecord> ResultCache::Find(const std::string& key, const std::string& case_id) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  if (!OpenPack(entry.pack)) return std::nullopt;  // removed meanwhile
  std::string text(static_cast<size_t>(entry.size), '\0');
  if (::pread(open_, text.data(), text.size(), entry.offset) != entry.size) return std::nullopt;
  const Line line = Parse(text);
  if (line.key != key) return std::nullopt;
  const Expected<CaseRecord> record = ParseCaseRecord(line.record);
  if (!record || record->id != case_id || !MayBeCached(*record)) return std::nullopt;
  std::optional<CaseRecord> cached = *record;
  cached->cached_from = line.run_id;
  return cached;
}

void ResultCache::Add(const std::string& key, const CaseRecord& record) {
  if (!key_ || !MayBeCached(record) || !record.cached_from.empty()) return;
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
  const fs::path file = folder_ / fmt::format("{}{}", HmacSha256Hex(key_->secret, text), kSuffix);
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
    const Expected<std::string> text = ReadFile(file);
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
    text = fmt::format("the cache has {} that cannot be used: {}", CountText(ignored_count_, "file"), ignored_);
  }
  if (!failure_.empty())
    text += (text.empty() ? "" : "; ") +
            ((key_ ? "" : "the cache is not used, and ") + ("results are not kept in the cache: " + failure_));
  return text;
}

}  // namespace opbyop::harness
