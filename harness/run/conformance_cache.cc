// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How ConformanceRun uses the cache of results (harness/cache/result_cache.h).

#include <fmt/format.h>

#include <utility>

#include "harness/inputs/fresh_draw.h"
#include "harness/inputs/input_set.h"
#include "harness/inputs/made_twin.h"
#include "harness/run/conformance_run.h"
#include "manifests/runs/private_text.h"
#include "support/text/count_text.h"

namespace opbyop::harness {

void ConformanceRun::OpenCache(const RunHeader& header) {
  if (setup_.options.cache.empty() || setup_.options.cache == "none") return;
  const auto say = [&](const std::string& sentence) { note_ += (note_.empty() ? "" : "; ") + sentence; };
  if (setup_.compiles_only() || setup_.bundle) return say("the cache is not used for bundles");
  if (!setup_.options.keep.empty()) return say("the cache is not used where files are kept by --keep");
  cache_ = std::make_unique<ResultCache>(setup_.options.cache, header);
}

std::string ConformanceRun::CacheKeyOf(const Case& c) const {
  std::string twin = SmallerTwinOf(c, settings_.twins);
  if (MakesTwin(c, settings_)) twin = kMadeTwinVersion;
  return CaseKey({.c = &c, .after = setup_.StageOf(c), .twin = std::move(twin)});
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
    if (!record || (setup_.options.rerun == "failed" && IsProblem(record->status))) continue;
    record->repro = ReproOf(*c, ReproOptionsOf(*record, setup_.policies));
    HideIn(setup_.private_values, *record);
    cacheable_.erase(c->id);
    recalled.push_back(std::move(*record));
  }
  if (!recalled.empty()) {
    note_ += fmt::format("{}{} of {} taken over from the cache", note_.empty() ? "" : "; ",
                         Grouped(static_cast<int64_t>(recalled.size())), CountText(cases.size(), "case"));
  }
  return recalled;
}

Expected<void> ConformanceRun::Keep(const Case& c, CaseRecord& record, Scheduler::Kind kind) {
  if (record.repro.empty()) record.repro = ReproOf(c, ReproOptionsOf(record, setup_.policies));
  NoteOtherVersion(other_version_, record);
  HideIn(setup_.private_values, record);
  if (kind == Scheduler::Kind::kAmended) {
    if (const auto found = cacheable_.find(record.id); found != cacheable_.end()) {
      cache_->Withdraw(CacheKeyOf(*found->second));
    }
    outcomes_.Amend(record);
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
