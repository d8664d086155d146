// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How ConformanceRun uses the cache of results (harness/cache/result_cache.h).

#include <fmt/format.h>

#include <utility>

#include "harness/inputs/fresh_draw.h"
#include "harness/inputs/input_set.h"
#include "harness/run/conformance_run.h"
#include "manifests/runs/private_text.h"
#include "support/text/count_text.h"

namespace opbyop::harness {

void ConformanceRun::OpenCache(const RunHeader& header) {
  if (options_.cache.empty() || options_.cache == "none") return;
  const auto say = [&](const std::string& sentence) { note_ += (note_.empty() ? "" : "; ") + sentence; };
  if (compiles_only() || bundle_) return say("the cache is not used for bundles");
  if (!options_.keep.empty()) return say("the cache is not used where files are kept by --keep");
  cache_ = std::make_unique<ResultCache>(options_.cache, header);
}

std::string ConformanceRun::CacheKeyOf(const Case& c) const {
  return CaseKey({.c = &c, .after = StageOf(c), .twin = context_.smaller_twin(c)});
}

// Returns cached records for those of the cases that have none in `known`.
std::vector<CaseRecord> ConformanceRun::RecallCached(const std::vector<const Case*>& cases,
                                                     const std::vector<CaseRecord>& known) {
  std::vector<CaseRecord> recalled;
  cacheable_.clear();
  if (cache_ == nullptr) return recalled;
  for (const Case* c : cases) {
    // A case that must be refused is also judged by a second program, which is not part of its cache key.
    if (!c->must_be_refused()) cacheable_.emplace(c->id, c);
  }
  if (std::exchange(began_before_, true)) return recalled;
  for (const CaseRecord& record : known) cacheable_.erase(record.id);
  for (const Case* c : cases) {
    if (!cacheable_.contains(c->id)) continue;
    if (fresh_seed_ && IsFreshInTurn(c->id, *fresh_seed_, kCachedPerFresh)) continue;
    std::optional<CaseRecord> record = cache_->Find(CacheKeyOf(*c), c->id);
    if (!record || (options_.rerun == "failed" && IsProblem(record->status))) continue;
    record->repro = ReproOf(*c, ReproOptionsOf(*record, context_.policies));
    HideIn(private_values_, *record);
    cacheable_.erase(c->id);
    recalled.push_back(std::move(*record));
  }
  if (!recalled.empty()) {
    note_ += fmt::format("{}{} of {} taken over from the cache", note_.empty() ? "" : "; ",
                         Grouped(static_cast<int64_t>(recalled.size())), CountText(cases.size(), "case"));
  }
  return recalled;
}

Expected<void> ConformanceRun::Keep(CaseRecord& record, Scheduler::Kind kind) {
  HideIn(private_values_, record);
  if (kind == Scheduler::Kind::kAmended) {
    if (const auto found = cacheable_.find(record.id); found != cacheable_.end()) {
      cache_->Withdraw(CacheKeyOf(*found->second));
    }
    const std::lock_guard guard(amended_mutex_);
    amended_[record.id] = std::make_shared<const CaseRecord>(record);
    return writer_->Amend(record);
  }
  if (const auto found = cacheable_.find(record.id); found != cacheable_.end()) {
    // The further draw is not kept: the cache key covers only the fixed seed.
    CaseRecord fixed = record;
    DropFreshDraw(fixed);
    cache_->Add(CacheKeyOf(*found->second), fixed);
  }
  return writer_->Append(record);
}

}  // namespace opbyop::harness
