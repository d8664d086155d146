// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/run/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "harness/run/case_cost.h"
#include "harness/slot/batch.h"
#include "support/text/count_text.h"

namespace opbyop::harness {

using Clock = std::chrono::steady_clock;

namespace {

// Every second slot begins with the cases that are estimated to take longer, so that none of them is left to run alone
// at the end. The other slots go through all cases in order, so that results come early.
constexpr double kCostlyMs = 10'000;

}  // namespace

Scheduler::Scheduler(const SlotSettings& settings, const SharedState& shared, SchedulerOptions options)
    : settings_(settings),
      options_(std::move(options)),
      permits_(options_.jobs),
      replay_budget_(options_.replay_time),
      shared_(shared),
      slots_(std::max(options_.jobs, options_.slots)),
      memory_(options_.memory) {
  shared_.permits = &permits_;
  shared_.replay_budget = &replay_budget_;
  shared_.device = &device_state_;
  start_.compile_only = options_.compile_only;
}

Scheduler::~Scheduler() { Stop(); }

Expected<protocol::Hello> Scheduler::Start() {
  std::unique_lock lock(mutex_);
  slots_starting_ = slots_;
  for (int i = 0; i < slots_; ++i) threads_.emplace_back([this, i] { RunSlot(i); });
  changed_.wait(lock, [&] { return hello_.has_value() || slots_starting_ == 0; });
  if (hello_) return *hello_;
  fatal_ = start_error_;
  return Unexpected(*start_error_);
}

void Scheduler::Go(const std::vector<const Case*>& cases, Sink sink, std::optional<uint64_t> fresh_seed,
                   std::vector<CaseRecord> known) {
  const std::lock_guard lock(mutex_);
  start_.fresh_seed = fresh_seed;
  sink_ = std::move(sink);
  for (CaseRecord& record : known) {
    std::string id = record.id;
    records_.emplace(std::move(id), std::make_shared<const CaseRecord>(std::move(record)));
  }
  for (const Case* c : cases) {
    if (records_.contains(c->id)) continue;
    (slots_ > 1 && EstimatedMs(*c) >= kCostlyMs ? costly_ : queue_).push_back(c);
  }
  std::ranges::sort(costly_, std::greater(), [](const Case* c) { return std::pair(EstimatedMs(*c), c->id); });
  progress_.total = cases.size();
  progress_.known = progress_.done = cases.size() - queue_.size() - costly_.size();
  begin_ = Clock::now();
  go_ = true;
  changed_.notify_all();
}

// The slot must be created and destroyed in this thread: its workers die with the thread that started them.
void Scheduler::RunSlot(int index) {
  Slot slot(index, settings_, start_, shared_);
  Expected<void> ready = slot.StartWorkers();
  if (!Enter(slot, ready)) return;
  int restarts = 0;  // since the last record
  while (true) {
    if (!ready) {
      // A restart does not help if the device is lost, the folder is not ours, or a worker has been replaced.
      const bool hopeless =
          device_lost() || ready.error().code == ExitCode::kUsage || ready.error().code == ExitCode::kUnexpectedResult;
      if (hopeless || restarts == options_.restarts) return LoseSlot(ready.error(), restarts);
      if (!PauseBeforeRestart(++restarts)) break;
      ready = slot.StartWorkers();
      continue;
    }
    const std::vector<const Case*> cases = Next(index);
    if (cases.empty()) break;
    if (RunCases(slot, cases, ready) > 0) restarts = 0;
  }
  const std::lock_guard lock(mutex_);
  --slots_alive_;
}

bool Scheduler::Enter(const Slot& slot, const Expected<void>& started) {
  std::unique_lock lock(mutex_);
  --slots_starting_;
  ++slots_alive_;
  if (!started) {
    start_error_ = started.error();
  } else if (!hello_) {
    hello_ = slot.target_hello();
    start_.target = slot.target_hello();
    start_.reference = slot.reference_hello();
    if (!hello_->compile_only.empty()) start_.compile_only = hello_->compile_only;
  }
  changed_.notify_all();
  changed_.wait(lock, [&] { return go_ || stopping_ || (slots_starting_ == 0 && !hello_); });
  if (!hello_) --slots_alive_;
  return hello_.has_value();
}

size_t Scheduler::RunCases(Slot& slot, const std::vector<const Case*>& cases, Expected<void>& ran) {
  std::unordered_set<std::string> ended;
  ran = slot.RunBatch(cases, [&](const Case& c, CaseRecord record) {
    ended.insert(record.id);
    Finish(c, std::move(record));
    TakeFindings(slot);
  });
  TakeFindings(slot);
  const std::lock_guard lock(mutex_);
  for (auto c = cases.rbegin(); c != cases.rend(); ++c) {
    if (!ended.contains((*c)->id)) queue_.push_front(*c);
  }
  running_ -= cases.size();
  for (const Case* c : cases) memory_.Return(*c);
  // A device that is lost to one slot is not used by any.
  if (const std::optional<Error> lost = device_state_.lost()) GiveUp(*lost);
  changed_.notify_all();
  return ended.size();
}

bool Scheduler::PauseBeforeRestart(int restart) {
  constexpr std::chrono::milliseconds kLongest(3000);
  const auto pause = std::min(options_.restart_pause * (int64_t{1} << std::min(restart - 1, 20)), kLongest);
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, pause, [&] { return Over(); });
}

void Scheduler::LoseSlot(const Error& reason, int restarts) {
  const std::lock_guard lock(mutex_);
  if (reason.code == ExitCode::kUnexpectedResult) Note(reason.message);
  if (--slots_alive_ > 0) return;
  Error error = reason;
  if (restarts > 0) error.message += fmt::format(" (the last slot was started again {})", CountText(restarts, "time"));
  GiveUp(std::move(error));
  changed_.notify_all();
}

const Case* Scheduler::TakeOne(std::deque<const Case*>& queue) {
  const auto next = memory_.FirstThatFits(queue);
  if (next == queue.end()) return nullptr;
  const Case* c = *next;
  queue.erase(next);
  memory_.Take(*c);
  ++running_;
  return c;
}

// Returns a costly case, or the next case with those after it that may share a module with it.
std::vector<const Case*> Scheduler::Next(int slot) {
  std::unique_lock lock(mutex_);
  std::vector<const Case*> cases;
  const auto take_one = [&](std::deque<const Case*>& queue) {
    if (const Case* c = TakeOne(queue)) cases.push_back(c);
    return !cases.empty();
  };
  changed_.wait(lock, [&] {
    if (Over() || (slot % 2 != 0 && take_one(costly_))) return true;
    const bool front_fits = !queue_.empty() && memory_.Fits(*queue_.front());
    return front_fits || take_one(queue_) || take_one(costly_);
  });
  if (!cases.empty() || Over()) return cases;
  const auto batchable = [&](const Case& c) { return MayShareModule(c, settings_); };
  const size_t most = batchable(*queue_.front()) ? static_cast<size_t>(settings_.target->batch) : 1;
  const size_t size = BatchSize(queue_.size(), static_cast<size_t>(std::max(slots_alive_, 1)), most);
  while (cases.size() < size && !queue_.empty() &&
         (cases.empty() || (batchable(*queue_.front()) && memory_.Fits(*queue_.front())))) {
    cases.push_back(queue_.front());
    memory_.Take(*queue_.front());
    queue_.pop_front();
  }
  running_ += cases.size();
  return cases;
}

void Scheduler::Finish(const Case& c, CaseRecord record) {
  const std::lock_guard lock(mutex_);
  if (sink_) {
    if (const Expected<void> written = sink_(c, record, Kind::kEnded); !written) GiveUp(written.error());
  }
  std::string id = record.id;
  records_[std::move(id)] = std::make_shared<const CaseRecord>(std::move(record));
  ++progress_.done;
  changed_.notify_all();
}

void Scheduler::TakeFindings(Slot& slot) {
  const std::lock_guard lock(mutex_);
  for (const std::string& notice : slot.TakeNotices()) Note(notice);
  for (auto& [c, record] : slot.TakeAmended()) {
    if (sink_) {
      if (const Expected<void> written = sink_(*c, record, Kind::kAmended); !written) GiveUp(written.error());
    }
    // A case that was forgotten is not awaited again: do not keep its record.
    if (const auto known = records_.find(record.id); known != records_.end()) {
      known->second = std::make_shared<const CaseRecord>(std::move(record));
    }
  }
}

void Scheduler::Note(const std::string& event) {
  if (std::ranges::find(events_, event) == events_.end()) events_.push_back(event);
}

std::vector<std::string> Scheduler::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

void Scheduler::GiveUp(Error error) {
  if (!fatal_) fatal_ = std::move(error);
}

std::shared_ptr<const CaseRecord> Scheduler::Await(const Case& c, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  std::shared_ptr<const CaseRecord> found;
  changed_.wait_for(lock, limit, [&] {
    const auto it = records_.find(c.id);
    if (it != records_.end()) found = it->second;
    return found != nullptr || fatal_.has_value() || stopping_;
  });
  if (found != nullptr || (!fatal_ && !stopping_)) return found;
  auto missing = std::make_shared<CaseRecord>();
  missing->id = c.id;
  missing->status = Status::kMissing;
  missing->diagnostic = "not run: " + (fatal_ ? fatal_->message : "the run was stopped");
  return missing;
}

void Scheduler::Forget(const Case& c) {
  const std::lock_guard lock(mutex_);
  records_.erase(c.id);
}

void Scheduler::Stop(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (!queue_.empty()) GiveUp({ExitCode::kPartial, reason});
    stopping_ = true;
    replay_budget_.Spend(options_.replay_time);  // ends the search for a spoiler
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

Scheduler::Progress Scheduler::progress() const {
  const std::lock_guard lock(mutex_);
  Progress progress = progress_;
  if (go_) progress.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  return progress;
}

std::optional<Error> Scheduler::fatal() const {
  const std::lock_guard lock(mutex_);
  return fatal_;
}

}  // namespace opbyop::harness
