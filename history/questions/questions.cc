// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/questions/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "manifests/formats/glob.h"
#include "reports/summary/summary.h"
#include "support/text/count_text.h"
#include "support/text/csv_cell.h"
#include "support/text/safe_text.h"

namespace opbyop::history {
namespace {

using Kind = Column::Kind;

constexpr size_t kLongText = 100;
constexpr size_t kToMinutes = 16;  // of RFC 3339

std::vector<Question> AllQuestions() {
  return {
      {"rank",
       "Which cause to fix first: models that turn ready, then models, ops and device time that it blocks.",
       "GROUP",
       {{"group"},
        {"series"},
        {"status"},
        {"stage"},
        {"turns ready", Kind::kCount},
        {"models", Kind::kCount},
        {"ops", Kind::kCount},
        {"rows", Kind::kCount},
        {"cases", Kind::kCount},
        {"kinds of op", Kind::kCount},
        {"device", Kind::kMicroseconds},
        {"rows without time", Kind::kCount},
        {"owner"},
        {"issue"},
        {"diagnostic", Kind::kLong}},
       R"sql(
        SELECT cause, series, status, stage, unlocked, models, ops, rows_count, cases, op_kinds, device_us,
          untimed_rows, owner, issue, diagnostic
        FROM cause_ranks WHERE $1 = '' OR series = $1
        ORDER BY unlocked DESC, models DESC, ops DESC, coalesce(device_us, 0) DESC, cause)sql",
       "nothing blocks a model"},
      {"groups",
       "The causes in all runs, over targets and time: when each appeared first and last, and in "
       "how many rows.",
       "GROUP",
       {{"group"},
        {"status"},
        {"stage"},
        {"runs", Kind::kCount},
        {"series", Kind::kCount},
        {"rows at most", Kind::kCount},
        {"first", Kind::kDate},
        {"last", Kind::kDate},
        {"fingerprint", Kind::kLong}},
       R"sql(
        SELECT cause, status, stage, count(*), count(DISTINCT series), max(rows_count), min(started), max(started),
          fingerprint
        FROM cause_history WHERE $1 = '' OR series = $1
        GROUP BY cause, status, stage, fingerprint
        ORDER BY max(started) DESC, max(rows_count) DESC, cause)sql",
       "every row of every run passed"},
      {"flaky",
       "Rows that changed between red and not red repeatedly, or between equal runs, in the last 30 runs.",
       "ROW",
       {{"row"},
        {"series"},
        {"changes", Kind::kCount},
        {"between equal runs", Kind::kCount},
        {"passed when tried again", Kind::kCount},
        {"first", Kind::kDate},
        {"last", Kind::kDate}},
       R"sql(
        SELECT model || '__' || case_name, series, flips, alike, retried, first_run, last_run
        FROM flaky WHERE $1 = '' OR series = $1
        ORDER BY alike DESC, flips DESC, 1)sql",
       "no row is flaky"},
      {"trend",
       "A line for each run, newest first: how many rows passed, and what it changed.",
       "RUN",
       {{"run"},
        {"started", Kind::kDate},
        {"series"},
        {"rows", Kind::kCount},
        {"pass", Kind::kShare},
        {"red", Kind::kCount},
        {"broke", Kind::kCount},
        {"unsupported now", Kind::kCount},
        {"lost", Kind::kCount},
        {"slower", Kind::kCount},
        {"less exact", Kind::kCount},
        {"new", Kind::kCount},
        {"gone", Kind::kCount},
        {"fixed", Kind::kCount},
        {"faster", Kind::kCount},
        {"all times", Kind::kDrift},
        {"toolchain", Kind::kLong}},
       R"sql(
        SELECT run, started, series, rows_count, pass_rate, red, broke, unsupported_now, lost, slower, worse,
          new_rows, gone, fixed, faster, drift, toolchain
        FROM trend WHERE $1 = '' OR series = $1
        ORDER BY started DESC, run DESC)sql",
       "the history has no run"},
      {"changes",
       "What each run changed since the one before it, by kind, op and cause.",
       "RUN",
       {{"run"},
        {"started", Kind::kDate},
        {"series"},
        {"kind"},
        {"op"},
        {"rows", Kind::kCount},
        {"models", Kind::kCount},
        {"group"},
        {"first row"},
        {"diagnostic", Kind::kLong}},
       R"sql(
        SELECT run, started, series, kind, op, count(*), count(DISTINCT model), coalesce(after_cause, before_cause),
          min(model || '__' || case_name), min(diagnostic)
        FROM run_changes WHERE $1 = '' OR series = $1
        GROUP BY run, started, series, kind, op, coalesce(after_cause, before_cause)
        ORDER BY started DESC, run DESC, kind, count(*) DESC, op)sql",
       "no run changed anything"},
      {"since",
       "The run and the toolchain since which each red row is red.",
       "ROW",
       {{"row"},
        {"series"},
        {"status"},
        {"stage"},
        {"group"},
        {"since", Kind::kDate},
        {"run"},
        {"toolchain", Kind::kLong},
        {"last good toolchain", Kind::kLong},
        {"owner"},
        {"issue"}},
       R"sql(
        SELECT model || '__' || case_name, series, status, stage, cause, coalesce(since_started, 'its first run'),
          since_run, since_toolchain, last_good_toolchain, owner, issue
        FROM red_since WHERE $1 = '' OR series = $1
        ORDER BY coalesce(since_started, '') DESC, 1)sql",
       "no row is red"},
      {"ready",
       "How far each model is: how many of its ops are not blocked.",
       "MODEL",
       {{"model"},
        {"series"},
        {"ready", Kind::kShare},
        {"ops", Kind::kCount},
        {"ops left", Kind::kCount},
        {"rows", Kind::kCount},
        {"pass", Kind::kCount},
        {"red", Kind::kCount},
        {"not split", Kind::kLong}},
       R"sql(
        SELECT model, series, ready_share, ops, blocked_ops, rows_count, passed, red, error
        FROM readiness WHERE $1 = '' OR series = $1
        ORDER BY ready_share DESC, model)sql",
       "the history has no model"},
      {"left",
       "The ops, with their shapes, that are still to be supported for each model.",
       "MODEL",
       {{"model"},
        {"series"},
        {"op"},
        {"shapes", Kind::kLong},
        {"ops", Kind::kCount},
        {"status"},
        {"stage"},
        {"group"},
        {"owner"},
        {"issue"}},
       R"sql(
        SELECT model, series, op, signature, ops, status, stage, cause, owner, issue
        FROM readiness_gaps WHERE $1 = '' OR series = $1
        ORDER BY model, ops DESC, op, signature)sql",
       "every model is ready"},
      {"slowest",
       "The slowest cases of each stage in the newest runs; `device` is one execution on the device, `first call` the "
       "only execution of a case, with what the program loads in it.",
       "CASE",
       {{"case"},
        {"series"},
        {"stage"},
        {"op"},
        {"time", Kind::kMicroseconds},
        {"of the stage", Kind::kShare},
        {"shapes", Kind::kLong}},
       R"sql(
        SELECT c.name, r.series, coalesce(l.name, 'device'), c.op, t.us, t.part, c.signature
        FROM latest_runs r CROSS JOIN run_slowest t JOIN cases c ON c.id = t.case_id
        LEFT JOIN labels l ON l.id = t.stage_id WHERE t.run_id = r.id AND ($1 = '' OR r.series = $1)
        ORDER BY t.us DESC, c.name, 3)sql",
       "no stage of the newest runs is kept"},
      {"types",
       "The statuses of each op's rows by element type, in the newest runs.",
       "OP",
       {{"op"},
        {"series"},
        {"type"},
        {"rows", Kind::kCount},
        {"pass", Kind::kCount},
        {"red", Kind::kCount},
        {"block", Kind::kCount},
        {"ops", Kind::kCount}},
       R"sql(
        SELECT y.op, r.series, y.dtype, sum(y.rows_count), sum(CASE WHEN s.name = 'pass' THEN y.rows_count ELSE 0 END),
          sum(s.red * y.rows_count), sum(s.blocks * y.rows_count), sum(y.ops)
        FROM latest_runs r CROSS JOIN run_op_types y JOIN statuses s ON s.id = y.status_id
        WHERE y.run_id = r.id AND ($1 = '' OR r.series = $1)
        GROUP BY y.op, r.series, y.dtype
        ORDER BY sum(s.blocks * y.rows_count) DESC, sum(y.rows_count) DESC, y.op, y.dtype, r.series)sql",
       "the history has no results"},
      {"shapes",
       "The rows that do not pass in the newest runs, by op, element type and shape.",
       "OP",
       {{"op"},
        {"series"},
        {"type"},
        {"shapes", Kind::kLong},
        {"status"},
        {"stage"},
        {"group"},
        {"rows", Kind::kCount},
        {"models", Kind::kCount},
        {"ops", Kind::kCount},
        {"first row"}},
       R"sql(
        SELECT c.op, r.series, c.dtype, c.signature, s.name, l.name, g.name, count(*), count(DISTINCT m.model_id),
          sum(x.ops), min(o.name || '__' || c.name)
        FROM latest_runs r CROSS JOIN results x
        JOIN statuses s ON s.id = x.status_id AND s.name <> 'pass' JOIN model_rows m ON m.id = x.row_id
        JOIN cases c ON c.id = m.case_id JOIN models o ON o.id = m.model_id JOIN labels l ON l.id = x.stage_id
        LEFT JOIN causes g ON g.id = x.cause_id
        WHERE x.run_id = r.id AND x.cause_id IS NOT NULL AND ($1 = '' OR r.series = $1)
        GROUP BY c.op, r.series, c.dtype, c.signature, s.name, l.name, g.name
        ORDER BY count(*) DESC, c.op, c.signature, r.series, s.name, l.name, g.name)sql",
       "every row passes"},
  };
}

std::string TimeText(double microseconds) {
  constexpr double kSecond = 1e6;
  return microseconds < kSecond ? fmt::format("{:.3g} ms", microseconds / 1000)
                                : fmt::format("{:.3f} s", microseconds / kSecond);
}

std::string CellText(const Record& record, int column, Kind kind) {
  if (record.IsNull(column)) return "";
  switch (kind) {
    case Kind::kText:
      return SafeText(record.Text(column));
    case Kind::kLong:
      return SafeText(Shorten(record.Text(column), kLongText));
    case Kind::kCount:
      return Grouped(record.Integer(column));
    case Kind::kShare:
      return reports::Percent(record.Real(column));
    case Kind::kDrift:
      return fmt::format("{:+.1f} %", 100 * std::expm1(record.Real(column)));
    case Kind::kMicroseconds:
      return TimeText(record.Real(column));
    case Kind::kDate:
      return SafeText(record.Text(column).substr(0, kToMinutes));
  }
  return "";
}

}  // namespace

std::span<const Question> Questions() {
  static const std::vector<Question> questions = AllQuestions();
  return questions;
}

const Question* FindQuestion(std::string_view verb) {
  const auto found = std::ranges::find(Questions(), verb, &Question::verb);
  return found == Questions().end() ? nullptr : &*found;
}

Expected<void> AskEach(Database& db, const Question& question, const std::string& series, const RecordVisitor& visit) {
  return db.Query(std::string(question.query), {series}, visit);
}

Expected<Answer> Ask(Database& db, const Question& question, const Scope& scope) {
  Answer answer;
  for (const Column& column : question.columns) answer.table.head.emplace_back(column.title);
  const Expected<void> done = AskEach(db, question, scope.series, [&](const Record& record) {
    if (!scope.name.empty() && !GlobMatches(scope.name, record.Text(0))) return;
    if (scope.most > 0 && answer.table.body.size() >= static_cast<size_t>(scope.most)) {
      ++answer.left_out;
      return;
    }
    reports::Cells& cells = answer.table.body.emplace_back();
    for (size_t i = 0; i < question.columns.size(); ++i) {
      cells.push_back(CellText(record, static_cast<int>(i), question.columns[i].kind));
    }
  });
  if (!done) return Unexpected(done.error());
  return answer;
}

std::string TableCsv(const reports::Table& table) {
  std::string out;
  const auto line = [&](const reports::Cells& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out += ',';
      out += CsvCell(cells[i]);
    }
    out += "\r\n";
  };
  line(table.head);
  for (const reports::Cells& cells : table.body) line(cells);
  return out;
}

}  // namespace opbyop::history
