// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A cache of the results of cases that have not changed, kept between runs and shared by machines.
//
//   ResultCache cache("/shared/opbyop-cache", header);        // reads the results of runs that judge in the same way
//   std::optional<CaseRecord> record = cache.Find(CaseKey({.c = &c}));
//   cache.Add(key, *record_of_this_run);                      // if MayBeCached
//   cache.Flush();
//
// A run finds a record only if everything that decides a result is the same (harness/cache/run_digest.h, except for the
// manifest): target, toolchain, policies, seed, and the builds of reference, worker and this program. The machine must
// be of the same class, so that its timings apply too, and the case must be the same.
//
// The files in the folder never change. Each is named by the HMAC-SHA256 of its bytes under the cache's key
// (harness/cache/cache_key.h) and is created by renaming. Any number of runs may write at once, and any file may be
// removed at any time:
//
//   DIR/opbyop-cache-2/key
//   DIR/opbyop-cache-2/<run key>/<HMAC>.pack
//     opbyop-cache/2 <run key>
//     <case key> <run id> <record as in results.jsonl>
//     ...
//
// A file that was not made with the key, that is a link or that belongs to another user is ignored, and `note` names
// it. A folder that cannot be written, or that others could have written, does not affect the results: only `note` says
// so.
#ifndef OPBYOP_HARNESS_CACHE_RESULT_CACHE_H_
#define OPBYOP_HARNESS_CACHE_RESULT_CACHE_H_

#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/cache/cache_key.h"
#include "manifests/cases/case.h"
#include "manifests/results/result.h"

namespace opbyop::harness {

// Returns the digest of everything about a run that decides its results, and of the class of its machine, as 64
// hexadecimal digits.
std::string RunCacheKey(const RunHeader& header);

struct CachedCase {
  const Case* c = nullptr;  // with its hash
  std::string after;        // the stage that made the case's IR; empty: none
  std::string twin;         // id of the smaller case that the later sets are judged on; empty: none
};
std::string CaseKey(const CachedCase& cached);

// True if the record is a fact about the toolchain: pass, imprecise, unsupported, inconclusive, and fail if a compile
// stage or the comparison failed. Other results may be due to the machine and are run again: a crash, a timeout, too
// little memory, a failure to load or execute, and a pass at the second attempt.
bool MayBeCached(const CaseRecord& record);

class ResultCache {
 public:
  ResultCache(std::filesystem::path folder, const RunHeader& header);
  ResultCache(const ResultCache&) = delete;
  ResultCache& operator=(const ResultCache&) = delete;
  ~ResultCache();  // flushes

  // Returns the record with `cached_from`. nullopt if there is none, or if it is not a record of this case.
  std::optional<CaseRecord> Find(const std::string& key, const std::string& case_id);

  // Keeps the record for later runs. It is on the disk after a thousand more records or a minute, at the latest.
  // Thread-safe.
  void Add(const std::string& key, const CaseRecord& record);
  void Flush();

  // Removes results that this run added: those of one case, which turned out to make others fail, or all of them, if
  // the toolchain was replaced during the run. A file that holds such a result is removed as a whole.
  void Withdraw(const std::string& key);
  void WithdrawAll();

  size_t size() const { return entries_.size(); }

  // Says which files were ignored, and why nothing is kept; empty if all is well.
  std::string note() const;

 private:
  struct Entry {
    uint32_t pack = 0;
    int64_t offset = 0;  // of the line
    int64_t size = 0;
    std::string run_id;  // begins with the time: the latest of several records of a case counts
  };
  struct Pack {
    std::filesystem::path file;
    // The status of the file when it was read: it must not have changed since.
    struct stat status;
  };
  void ReadPacks();
  bool OpenPack(uint32_t pack);
  void Ignore(const std::filesystem::path& file, const std::string& why);
  void FlushLocked();

  std::filesystem::path folder_;  // the folder of this run key
  std::string run_key_;
  std::string run_id_;
  std::optional<CacheKey> key_;  // nullopt: the cache cannot be used
  std::vector<Pack> packs_;
  std::unordered_map<std::string, Entry> entries_;
  int open_ = -1;  // the pack that was read last: neighbouring cases are in the same pack
  uint32_t open_pack_ = UINT32_MAX;
  std::string ignored_;  // the first file that was ignored, and why
  size_t ignored_count_ = 0;

  mutable std::mutex mutex_;                    // guards the members below
  std::vector<std::filesystem::path> written_;  // files that this run wrote
  std::string pending_;
  size_t pending_count_ = 0;
  std::chrono::steady_clock::time_point flushed_;
  std::string failure_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_CACHE_RESULT_CACHE_H_
