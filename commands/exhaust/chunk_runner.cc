// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/exhaust/chunk_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "manifests/targets/target.h"
#include "support/text/timestamp.h"

namespace opbyop::exhaustive {

using Clock = std::chrono::steady_clock;

// One Run: the state that its threads share.
class ChunkRunner::Session {
 public:
  Session(ChunkRunner& runner, std::span<const FunctionTask> tasks)
      : runner_(runner), options_(runner.options_), tasks_(tasks), outcomes_(tasks.size()), states_(tasks.size()) {}

  Expected<std::vector<FunctionOutcome>> Run() {
    TakeFromJournal();
    std::vector<std::mutex> devices(options_.devices.size());
    std::vector<std::thread> threads;
    for (int i = 0; i < options_.jobs; ++i) {
      const size_t device = static_cast<size_t>(i) % devices.size();
      threads.emplace_back([this, device, &devices] { Work(*options_.devices[device], devices[device]); });
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) return Unexpected(*error_);
    return std::move(outcomes_);
  }

 private:
  struct State {
    std::vector<uint64_t> left;  // the next one is last
    uint64_t in_flight = 0;
    Clock::time_point began;
  };
  struct Turn {
    size_t task;
    uint64_t chunk;
  };

  void TakeFromJournal() {
    for (size_t t = 0; t < tasks_.size(); ++t) {
      const FunctionTask& task = tasks_[t];
      for (auto chunk = task.chunks.rbegin(); chunk != task.chunks.rend(); ++chunk) {
        const Tally* known = options_.journal->Find(task.function.Name(), task.plan.size(), *chunk);
        if (known == nullptr) {
          states_[t].left.push_back(*chunk);
          continue;
        }
        outcomes_[t].tally.Add(*known);
        ++outcomes_[t].done;
      }
      if (!states_[t].left.empty()) continue;
      runner_.on_chunk(t, outcomes_[t]);
      runner_.on_end(t, outcomes_[t]);
    }
  }

  std::optional<Turn> Next() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (error_) return std::nullopt;
    for (; next_ < tasks_.size(); ++next_) {
      State& state = states_[next_];
      if (state.left.empty()) continue;
      const uint64_t chunk = state.left.back();
      state.left.pop_back();
      if (outcomes_[next_].start.empty()) {
        outcomes_[next_].start = FormatTimestamp(NowMicroseconds());
        state.began = Clock::now();
      }
      ++state.in_flight;
      return Turn{next_, chunk};
    }
    return std::nullopt;
  }

  void Work(ChunkDevice& device, std::mutex& mutex) {
    std::unique_ptr<ChunkJudge> judge;
    size_t judged = tasks_.size();
    while (const std::optional<Turn> turn = Next()) {
      const FunctionTask& task = tasks_[turn->task];
      if (judged != turn->task) {
        Expected<std::unique_ptr<ChunkJudge>> made = ChunkJudge::Make(task.function);
        if (!made) {
          GiveUp(*turn, made.error());
          continue;
        }
        judge = std::move(*made);
        judged = turn->task;
      }
      RunChunk(*turn, *judge, device, mutex);
    }
  }

  void RunChunk(const Turn& turn, const ChunkJudge& judge, ChunkDevice& device, std::mutex& mutex) {
    const FunctionTask& task = tasks_[turn.task];
    const Chunk chunk = judge.Draw(task.plan.First(turn.chunk), static_cast<int64_t>(task.plan.size()));
    const auto text = [&] { return ProgramOf(task.function, static_cast<int64_t>(task.plan.size())); };
    int attempts = 0;
    ChunkRun run;
    do {
      const std::lock_guard<std::mutex> lock(mutex);
      run = device.Run(task.c, text, chunk.input);
      ++attempts;
    } while (IsDeath(run.record.status) && attempts < 2);
    if (run.record.status != Status::kPass) return GiveUp(turn, attempts, run);
    const Expected<Tally> tally = judge.Judge(chunk, run.output, options_.arithmetic);
    if (!tally) return GiveUp(turn, tally.error());
    End(turn, attempts, run, [&](FunctionOutcome& outcome) {
      outcome.tally.Add(*tally);
      ++outcome.done;
      ++outcome.run;
      outcome.values_run += tally->values + tally->open;
      const Expected<void> kept = options_.journal->Append(task.function.Name(), task.plan.size(), turn.chunk, *tally);
      if (!kept && !error_) error_ = kept.error();
    });
  }

  void GiveUp(const Turn& turn, int attempts, const ChunkRun& run) {
    End(turn, attempts, run, [&](FunctionOutcome& outcome) {
      outcome.status = run.record.status;
      outcome.stage = run.record.stage;
      outcome.diagnostic = run.record.diagnostic;
      states_[turn.task].left.clear();
    });
  }

  // Gives up a function because of an error of the reference.
  void GiveUp(const Turn& turn, const Error& error) {
    End(turn, 1, {}, [&](FunctionOutcome& outcome) {
      outcome.status = error.code == ExitCode::kUnsupported ? Status::kUnsupported : Status::kFail;
      outcome.stage = kCompareStage;
      outcome.diagnostic = error.message;
      states_[turn.task].left.clear();
    });
  }

  template <typename Fn>
  void End(const Turn& turn, int attempts, const ChunkRun& run, Fn&& change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    FunctionOutcome& outcome = outcomes_[turn.task];
    State& state = states_[turn.task];
    outcome.attempts = std::max(outcome.attempts, attempts);
    if (outcome.stages.empty()) outcome.stages = run.record.stages;
    change(outcome);
    outcome.seconds = std::chrono::duration<double>(Clock::now() - state.began).count();
    runner_.on_chunk(turn.task, outcome);
    if (--state.in_flight == 0 && state.left.empty()) runner_.on_end(turn.task, outcome);
  }

  ChunkRunner& runner_;
  const RunnerOptions& options_;
  std::span<const FunctionTask> tasks_;
  std::mutex mutex_;  // of all below
  std::vector<FunctionOutcome> outcomes_;
  std::vector<State> states_;
  size_t next_ = 0;
  std::optional<Error> error_;
};

Expected<std::vector<FunctionOutcome>> ChunkRunner::Run(std::span<const FunctionTask> tasks) {
  return Session(*this, tasks).Run();
}

}  // namespace opbyop::exhaustive
