// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The score of a target on a set of cases, for publication: how many of them pass, by op and by type, and everything
// that makes two scores comparable.
//
//   const ScoreCard card = MakeScoreCard(view);
//   WriteFile("scorecard.json", ScoreCardJson(card));   // opbyop-scorecard/1
//   WriteFile("badge.svg", ScoreBadge(card));
//
// Scores are comparable if they have the same manifest (its digest), policies and seed; for a suite, its version and
// level are enough. Unsupported and inconclusive cases are no passes: the score is passed cases of all.
#ifndef OPBYOP_REPORTS_SUMMARY_SCORECARD_H_
#define OPBYOP_REPORTS_SUMMARY_SCORECARD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "reports/view/rows.h"

namespace opbyop::reports {

inline constexpr std::string_view kScoreCardSchema = "opbyop-scorecard/1";

// How distinct cases ended. Rows of one case count once, by the worst of them.
struct Score {
  int64_t cases = 0;
  int64_t passed = 0;
  int64_t unsupported = 0;
  // fails, crashes and every other status that makes a run red; the rest is inconclusive or expected to fail
  int64_t red = 0;

  void Add(Status status);
  double rate() const { return cases == 0 ? 0 : static_cast<double>(passed) / static_cast<double>(cases); }
};

struct ScoreCard {
  std::string title;  // "12 models", "suite stablehlo 1.0 full"
  std::optional<SuiteInfo> suite;
  std::string target;
  std::string toolchain;
  std::string policies;
  std::string manifest_digest;  // sha256
  std::string run_id;
  std::string revision;   // of opbyop
  bool executes = false;  // false: a pass only means that the case was compiled
  bool complete = false;  // whether the run ended
  bool selected = false;  // whether the run left cases out: then it is no score of the whole
  Score total;
  std::map<std::string, Score> by_op;                              // OpLabel
  std::map<std::string, Score> by_type;                            // ResultType
  std::map<std::string, std::map<std::string, Score>> by_op_type;  // a heat map
};

ScoreCard MakeScoreCard(const View& view);

// "stablehlo 1.0 full"
std::string SuiteText(const SuiteInfo& suite);

std::string ScoreCardJson(const ScoreCard& card);
std::string ScoreCardMarkdown(const ScoreCard& card);

// A one-line image: what was run, and the share that passes.
std::string ScoreBadge(const ScoreCard& card);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_SUMMARY_SCORECARD_H_
