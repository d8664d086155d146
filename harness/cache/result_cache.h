// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results of cases for which nothing has changed, kept between runs and shared by machines.
//
//   ResultCache cache("/shared/opbyop-cache", header);        // reads what is there of runs that judge alike
//   std::optional<CaseRecord> record = cache.Find(CaseKey({.c = &c}));
//   cache.Add(key, *record_of_this_run);                      // where MayBeCached
//   cache.Flush();
//
// A record is found again only by a run of which all that decides a result is the same (harness/cache/run_digest.h, but
// for the manifest): target, toolchain, policies, seed, and the builds of reference, worker and this program; on a
// machine of the same class, so that timings are of it too; and of a case that is the same.
//
// The folder holds files that are never changed, named by the HMAC-SHA256 of their bytes under the cache's key
// (harness/cache/cache_key.h) and made by renaming, so that any number of runs may write it at once, and any file may
// be removed at any time:
//
//   DIR/opbyop-cache-2/key
//   DIR/opbyop-cache-2/<run key>/<HMAC>.pack
//     opbyop-cache/2 <run key>
//     <case key> <run id> <record as in results.jsonl>
//     ...
//
// A file that was not made with the key, that is a link or another user's, is ignored, and `note` names it. A folder
// that cannot be written, or that others could have written, is none of the results' affair: `note` says so.
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

// Digest of everything about a run that decides its results, and of the class of its machine, as 64 hexadecimal digits.
std::string RunCacheKey(const RunHeader& header);

struct CachedCase {
  const Case* c = nullptr;  // with its hash
  std::string after;        // the stage whose IR it is; empty: none
  std::string twin;         // the smaller case that shows what it would
};
std::string CaseKey(const CachedCase& cached);

// Whether the record is a fact about the toolchain, not about a moment: pass, imprecise, unsupported, inconclusive, and
// fail where a compile stage or the comparison says so. A crash, a timeout, too little memory, a failure to load or
// execute, and what passed at its second attempt may be the machine's fault, and are run again.
bool MayBeCached(const CaseRecord& record);

class ResultCache {
 public:
  ResultCache(std::filesystem::path folder, const RunHeader& header);
  ResultCache(const ResultCache&) = delete;
  ResultCache& operator=(const ResultCache&) = delete;
  ~ResultCache();  // flushes

  // With `cached_from`. nullopt where there is none, or it is no record of this case.
  std::optional<CaseRecord> Find(const std::string& key, const std::string& case_id);

  // For later runs; on the disk at the latest after a thousand of them or a minute. From any thread.
  void Add(const std::string& key, const CaseRecord& record);
  void Flush();

  // What this run added is not to be found by another: of one case, which turned out to make others fail, or of all,
  // where the toolchain was replaced while the run went on. A file that holds it is removed with all that is in it.
  void Withdraw(const std::string& key);
  void WithdrawAll();

  size_t size() const { return entries_.size(); }

  // What was ignored, and why nothing is kept; empty where there is nothing to say.
  std::string note() const;

 private:
  struct Entry {
    uint32_t pack = 0;
    int64_t offset = 0;  // of the line
    int64_t size = 0;
    std::string run_id;  // begins with the time: of several records of a case the latest counts
  };
  struct Pack {
    std::filesystem::path file;
    struct stat status;  // of what was read: it must not have changed since
  };
  void ReadPacks();
  bool OpenPack(uint32_t pack);
  void Ignore(const std::filesystem::path& file, const std::string& why);
  void FlushLocked();

  std::filesystem::path folder_;  // of this run key
  std::string run_key_;
  std::string run_id_;
  std::optional<CacheKey> key_;  // nullopt: the cache cannot be used
  std::vector<Pack> packs_;
  std::unordered_map<std::string, Entry> entries_;
  int open_ = -1;  // the pack that was asked last: neighbours lie together
  uint32_t open_pack_ = UINT32_MAX;
  std::string ignored_;  // the first, and why
  size_t ignored_count_ = 0;

  mutable std::mutex mutex_;                    // of what follows
  std::vector<std::filesystem::path> written_;  // by this run
  std::string pending_;
  size_t pending_count_ = 0;
  std::chrono::steady_clock::time_point flushed_;
  std::string failure_;
};

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_CACHE_RESULT_CACHE_H_
