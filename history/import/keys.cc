// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/import/keys.h"

#include <fmt/format.h>

#include "manifests/cases/manifest.h"
#include "reports/view/op_label.h"
#include "reports/view/page_number.h"
#include "support/text/safe_text.h"

namespace opbyop::history {
namespace {

constexpr size_t kLongestText = 2000;

}  // namespace

std::string KeyText(std::string_view text) { return SafeText(Shorten(text, kLongestText)); }

Expected<void> Keys::Load(Table& table, const std::string& name, const std::string& columns, size_t width) {
  if (generation_ < 0) {
    table.keys.clear();
    table.last = 0;
    const Expected<void> done =
        db_.Query(fmt::format("SELECT id, {} FROM {}", columns, name), {}, [&](const Record& record) {
          table.keys.emplace(record.Text(1), record.Integer(0));
          table.last = std::max(table.last, record.Integer(0));
        });
    if (!done) return done;
  }
  Expected<std::unique_ptr<RowWriter>> writer = db_.Write(name, width);
  if (!writer) return Unexpected(writer.error());
  table.writer = std::move(*writer);
  return {};
}

Expected<void> Keys::Begin() {
  const Expected<int64_t> generation = QueryInteger(db_, "SELECT number FROM generations", {});
  if (!generation) return Unexpected(generation.error());
  if (*generation != generation_) generation_ = -1;
  known_causes_.clear();
  failure_ = {};
  const std::string row_text = "CAST(case_id AS TEXT) || ' ' || CAST(model_id AS TEXT)";
  Expected<void> done = Load(labels_, "labels", "name", 2);
  if (done) done = Load(models_, "models", "name", 3);
  if (done) done = Load(cases_, "cases", "name", 8);
  if (done) done = Load(rows_, "model_rows", row_text, 3);
  if (done) done = Load(causes_, "causes", "name", 6);
  if (done) done = Load(expectations_, "expectations", "reason || '\n' || issue || '\n' || owner || '\n' || since", 5);
  if (!done) return done;
  generation_ = *generation;
  return {};
}

Expected<void> Keys::Finish() {
  for (Table* table : {&labels_, &models_, &cases_, &rows_, &causes_, &expectations_}) {
    if (failure_) failure_ = table->writer->Finish();
    table->writer.reset();
  }
  if (failure_) failure_ = db_.Query("UPDATE generations SET number = number + 1", {});
  ++generation_;
  return failure_;
}

int64_t Keys::Find(Table& table, const std::string& text, bool& is_new) {
  const auto [at, added] = table.keys.try_emplace(text, table.last + 1);
  if (added) ++table.last;
  is_new = added;
  return at->second;
}

void Keys::Write(Table& table, const Values& row) {
  if (!failure_) return;
  failure_ = table.writer->Add(row);
}

int64_t Keys::Label(std::string_view text) {
  const std::string name = KeyText(text);
  bool is_new = false;
  const int64_t key = Find(labels_, name, is_new);
  if (is_new) Write(labels_, {key, name});
  return key;
}

int64_t Keys::Model(const opbyop::Model& model) {
  const std::string name = KeyText(model.name);
  bool is_new = false;
  const int64_t key = Find(models_, name, is_new);
  if (is_new) Write(models_, {key, name, KeyText(model.frontend)});
  return key;
}

int64_t Keys::CaseOf(const Case& c) {
  bool is_new = false;
  const int64_t key = Find(cases_, c.id, is_new);
  if (is_new) {
    Write(cases_, {key, c.id, KeyText(reports::OpLabel(c)), std::string(reports::KindLabel(c.kind)),
                   c.outputs.empty() ? std::string() : KeyText(c.outputs.front().dtype),
                   KeyText(reports::SignatureText(c)), c.flops, c.bytes});
  }
  return key;
}

int64_t Keys::RowOf(int64_t case_key, int64_t model_key) {
  bool is_new = false;
  const int64_t key = Find(rows_, fmt::format("{} {}", case_key, model_key), is_new);
  if (is_new) Write(rows_, {key, case_key, model_key});
  return key;
}

const CauseKey& Keys::CauseOf(const reports::RowResult& row) {
  reports::Cause cause = reports::CauseOf(row);
  const auto known = known_causes_.find(cause);
  if (known != known_causes_.end()) return known->second;
  CauseKey found;
  found.id = reports::CauseId(cause);
  bool is_new = false;
  found.key = Find(causes_, found.id, is_new);
  if (is_new) {
    Write(causes_, {found.key, found.id, static_cast<int64_t>(cause.status), KeyText(cause.stage),
                    KeyText(cause.fingerprint), KeyText(row.diagnostic)});
  }
  return known_causes_.emplace(std::move(cause), std::move(found)).first->second;
}

int64_t Keys::Expectation(const BaselineEntry& entry) {
  const std::string reason = KeyText(entry.reason), issue = KeyText(entry.issue), owner = KeyText(entry.owner),
                    since = KeyText(entry.since);
  bool is_new = false;
  const int64_t key = Find(expectations_, fmt::format("{}\n{}\n{}\n{}", reason, issue, owner, since), is_new);
  if (is_new) Write(expectations_, {key, reason, issue, owner, since});
  return key;
}

int64_t Keys::CauseById(const std::string& id) const {
  const auto found = causes_.keys.find(id);
  return found == causes_.keys.end() ? 0 : found->second;
}

}  // namespace opbyop::history
