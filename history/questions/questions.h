// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The questions that a history answers. Each is a query on a view of history/database/schema, with a description of its
// columns.
//
//   const Question* question = FindQuestion("rank");
//   Expected<Answer> answer = Ask(*db, *question, {.series = "host", .most = 20});
#ifndef OPBYOP_HISTORY_QUESTIONS_QUESTIONS_H_
#define OPBYOP_HISTORY_QUESTIONS_QUESTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history/database/database.h"
#include "reports/view/table.h"

namespace opbyop::history {

struct Scope {
  std::string series;  // "host"; empty: all
  std::string name;    // a glob over the first column; empty: all
  int64_t most = 20;   // lines; 0: all
};

struct Column {
  enum class Kind {
    kText,
    kLong,  // a text that a terminal needs cut
    kCount,
    kShare,  // 0 to 1, as per cent
    kDrift,  // a logarithm, as a signed percentage
    kMicroseconds,
    kDate,
  };
  std::string_view title;
  Kind kind = Kind::kText;
};

struct Question {
  std::string_view verb;
  std::string_view help;
  std::string_view named;  // what Scope::name selects
  std::vector<Column> columns;
  std::string_view query;  // $1: the series, or empty
  std::string_view empty;  // the text if there is no answer
};

std::span<const Question> Questions();

// Returns nullptr if there is none.
const Question* FindQuestion(std::string_view verb);

struct Answer {
  reports::Table table;
  int64_t left_out = 0;  // number of lines beyond Scope::most
};

Expected<Answer> Ask(Database& db, const Question& question, const Scope& scope);

// Answers with a record for each line, which has the values of the columns, not their texts.
Expected<void> AskEach(Database& db, const Question& question, const std::string& series, const RecordVisitor& visit);

// Comma-separated values (RFC 4180), with a line of titles.
std::string TableCsv(const reports::Table& table);

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_QUESTIONS_QUESTIONS_H_
