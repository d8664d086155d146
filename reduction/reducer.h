// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the smallest program that still ends in the same way, by delta debugging with the edits of
// reduction/edit.h.
//
//   Reducer reducer(judge, options);
//   Expected<Reduction> done = reducer.Reduce(std::move(program));
//   done->program; done->record; done->to.Text();      // "1 op, 4 elements, 6 lines"
//
// A candidate is verified before the target sees it. The search ends when no smaller program ends in the same way, when
// time is up, or when `stop` returns true. Candidates share warm workers. A program may depend on state that earlier
// programs left in them. Accepted programs are therefore run again in fresh workers, and if one ends otherwise there,
// the search returns to an earlier program.
#ifndef OPBYOP_REDUCTION_REDUCER_H_
#define OPBYOP_REDUCTION_REDUCER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "reduction/edit.h"
#include "reduction/ending.h"
#include "reduction/judge.h"
#include "reduction/program.h"

namespace opbyop::reduction {

struct Reduction {
  Program program;
  CaseRecord record;  // of the program, from the judge
  Ending ending;
  std::string op;  // of the case by which the program is judged: "model", "stablehlo.add"
  std::string policy;
  ProgramSize from;
  ProgramSize to;
  bool flaky = false;      // it did not always end in the same way: each candidate had to do so twice
  bool fresh = false;      // it did not end in the same way in fresh workers: each candidate got its own workers
  bool complete = false;   // no smaller program is left to try
  int64_t candidates = 0;  // candidates that the target ran
  int64_t invalid = 0;     // candidates that were invalid, or had no end, and were not run
  std::string inputs_why;  // why inputs were not fixed; empty if they were
};

struct ReducerOptions {
  std::chrono::seconds time_limit{300};
  std::filesystem::path policy_file;  // where a policy of fixed inputs is written, if one is needed
  std::function<bool()> stop = [] { return false; };
  std::function<void(const std::string&)> say = [](const std::string&) {};  // called often with the current step
  // Called with every program that is better than those before, including the first.
  std::function<Expected<void>(const Reduction&)> keep = [](const Reduction&) -> Expected<void> { return {}; };
};

class Reducer {
 public:
  Reducer(Judge& judge, ReducerOptions options);

  // Returns kNothingToDo if the program does not fail. Other errors: workers that do not start, or errors of `keep`.
  Expected<Reduction> Reduce(Program program);

 private:
  using Clock = std::chrono::steady_clock;
  using Enumerate = std::function<Edits(const Program&)>;

  Expected<void> FindEnding();
  void NarrowPolicy(const CaseRecord& record);
  bool HasSameEnding(const Program& candidate, CaseRecord& record);
  bool Accept(Program candidate, CaseRecord record);
  bool Try(const Edit& edit);
  bool Sweep(const Enumerate& enumerate);
  bool ShortenRun();
  bool ReduceOnce();
  bool HasSameEndingAlone(const Program& program, CaseRecord& record);
  bool ReturnToReproducing();
  void TryJudgingAsOp();
  bool FixInputs();
  bool Over();
  std::vector<int64_t> Wrong() const;

  Judge& judge_;
  ReducerOptions options_;
  Reduction best_;
  Clock::time_point deadline_;
  std::set<std::string> seen_;  // digests of candidates that were tried
  std::vector<Program> trail_;  // programs accepted since the last one that held in fresh workers, which is the first
  bool alone_ = false;          // whether a program was already run in fresh workers
  std::optional<Error> error_;
};

}  // namespace opbyop::reduction

#endif  // OPBYOP_REDUCTION_REDUCER_H_
