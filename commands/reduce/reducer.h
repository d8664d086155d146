// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The smallest program that still ends the same way: delta debugging over the edits of commands/reduce/edit.h.
//
//   Reducer reducer(judge, options);
//   Expected<Reduction> done = reducer.Reduce(std::move(program));
//   done->program; done->record; done->to.Text();      // "1 op, 4 elements, 6 lines"
//
// A candidate is verified before the target sees it. What is left once nothing smaller ends so, or time is up, or
// `stop` says so, is the result. Candidates share warm workers. A program that reads what earlier ones left in them may
// end otherwise alone, so what was accepted is run again in fresh ones, and the search goes back where it must.
#ifndef OPBYOP_COMMANDS_REDUCE_REDUCER_H_
#define OPBYOP_COMMANDS_REDUCE_REDUCER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "commands/reduce/edit.h"
#include "commands/reduce/ending.h"
#include "commands/reduce/judge.h"
#include "commands/reduce/program.h"

namespace opbyop::reduction {

struct Reduction {
  Program program;
  CaseRecord record;  // of the program, as the judge had it
  Ending ending;
  std::string op;  // of the case that the program is judged as: "model", "stablehlo.add"
  std::string policy;
  ProgramSize from;
  ProgramSize to;
  bool flaky = false;      // it did not always end so: each candidate had to do so twice
  bool fresh = false;      // it did not end so in fresh workers: each candidate had workers of its own
  bool complete = false;   // nothing smaller is left to try
  int64_t candidates = 0;  // that the target ran
  int64_t invalid = 0;     // that it never saw
  std::string inputs_why;  // why inputs were not fixed, where they were not
};

struct ReducerOptions {
  std::chrono::seconds time_limit{300};
  std::filesystem::path policy_file;  // where a policy of fixed inputs is written, where one is needed
  std::function<bool()> stop = [] { return false; };
  std::function<void(const std::string&)> say = [](const std::string&) {};  // what it does, often
  // Called with every program that is better than those before, the first included.
  std::function<Expected<void>(const Reduction&)> keep = [](const Reduction&) -> Expected<void> { return {}; };
};

class Reducer {
 public:
  Reducer(Judge& judge, ReducerOptions options);

  // kNothingToDo where the program does not fail. Other errors: workers that do not start, or those of `keep`.
  Expected<Reduction> Reduce(Program program);

 private:
  using Clock = std::chrono::steady_clock;
  using Enumerate = std::function<Edits(const Program&)>;

  Expected<void> FindEnding();
  void NarrowPolicy(const CaseRecord& record);
  bool EndsAlike(const Program& candidate, CaseRecord& record);
  bool Accept(Program candidate, CaseRecord record);
  bool Try(const Edit& edit);
  bool Sweep(const Enumerate& enumerate);
  bool ShortenRun();
  bool ReduceOnce();
  bool EndsTheSameAlone(const Program& program, CaseRecord& record);
  bool GoBack();
  void TakeAsOp();
  bool FixInputs();
  bool Over();
  std::vector<int64_t> Wrong() const;

  Judge& judge_;
  ReducerOptions options_;
  Reduction best_;
  Clock::time_point deadline_;
  std::set<std::string> seen_;  // digests of candidates that were tried
  std::vector<Program> trail_;  // accepted since the last one that held in fresh workers, which is the first
  bool alone_ = false;          // whether that was seen
  std::optional<Error> error_;
};

}  // namespace opbyop::reduction

#endif  // OPBYOP_COMMANDS_REDUCE_REDUCER_H_
