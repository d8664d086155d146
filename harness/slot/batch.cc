// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/slot/batch.h"

#include <algorithm>

#include "harness/worker/verdict.h"

namespace opbyop::harness {

bool MayShareModule(const Case& c, const SlotSettings& settings) {
  if (settings.target->batch <= 1 || !settings.keep.empty()) return false;
  if (settings.saves != nullptr || settings.compiled != nullptr) return false;  // each case needs its own artifact
  if (c.devices() != Grid()) return false;  // a module has one grid for all its functions
  if (c.must_be_refused() || c.is_judged_as_model()) return false;
  if (MakesTwin(c, settings)) return false;                       // the worker has one program at a time
  if (!StageThatMade(settings.made_by, c).empty()) return false;  // the symbols of a compiler's IR would clash
  if (settings.baseline == nullptr) return true;
  const std::vector<std::string> models = ModelsOf(c);
  return std::ranges::none_of(models, [&](const std::string& model) {
    const BaselineEntry* entry = settings.baseline->Find({&c, model});
    return entry != nullptr && entry->status != Status::kFlaky;
  });
}

size_t BatchSize(size_t waiting, size_t slots, size_t most) {
  const size_t share = (waiting + slots - 1) / std::max<size_t>(slots, 1);
  return std::clamp<size_t>(share, 1, std::max<size_t>(most, 1));
}

CaseRecord MemberRecord(const Answer& compiled, size_t size) {
  CaseRecord record;
  ApplyAnswer(compiled, record);
  for (StageRecord& stage : record.stages) stage.ms /= static_cast<double>(size);
  record.peak_rss_kb = compiled.peak_rss_kb;
  record.batched = static_cast<int64_t>(size);
  return record;
}

bool IsFinalInBatch(const CaseRecord& record) {
  if (record.reference == Status::kCrash) return false;  // the case is tried once more
  return record.status == Status::kPass || record.status == Status::kInconclusive || record.status == Status::kSkipped;
}

}  // namespace opbyop::harness
