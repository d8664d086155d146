// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The keys that a history uses for models, cases, rows, causes and other texts. New keys are written when they are
// first used.
//
//   Keys keys(*db);
//   keys.Begin();                       // in a transaction
//   const int64_t row = *keys.RowOf(row_result);
//   keys.Finish();                      // before it is committed
//
// Keys that a transaction adds are valid only once it was committed: call Forget after Rollback.
#ifndef OPBYOP_HISTORY_IMPORT_KEYS_H_
#define OPBYOP_HISTORY_IMPORT_KEYS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "history/database/database.h"
#include "reports/view/cause.h"
#include "reports/view/rows.h"

namespace opbyop::history {

struct CauseKey {
  int64_t key = 0;
  std::string id;
};

// A text as the history keeps it: valid UTF-8 of limited length.
std::string KeyText(std::string_view text);

// Returns NULL for the key 0, which means that there is nothing.
inline Value KeyOrNull(int64_t key) { return key == 0 ? Value() : Value(key); }

class Keys {
 public:
  explicit Keys(Database& db) : db_(db) {}

  // Reads all keys, unless the history has not changed since they were read.
  Expected<void> Begin();
  // Writes new keys, and marks the history as changed for other holders of keys.
  Expected<void> Finish();
  void Forget() { generation_ = -1; }

  int64_t Label(std::string_view text);
  int64_t Model(const opbyop::Model& model);
  int64_t CaseOf(const Case& c);
  int64_t RowOf(int64_t case_key, int64_t model_key);
  // The cause of a row that does not pass.
  const CauseKey& CauseOf(const reports::RowResult& row);
  int64_t Expectation(const BaselineEntry& entry);

  // The key of the group with this id; 0 for none.
  int64_t CauseById(const std::string& id) const;

 private:
  struct Table {
    std::unordered_map<std::string, int64_t> keys;
    int64_t last = 0;
    std::unique_ptr<RowWriter> writer;
  };

  Expected<void> Load(Table& table, const std::string& name, const std::string& columns, size_t width);
  // The key of `text`. If it has none yet, `is_new` is set, and it gets the next key.
  int64_t Find(Table& table, const std::string& text, bool& is_new);
  void Write(Table& table, const Values& row);

  Database& db_;
  int64_t generation_ = -1;
  Table labels_, models_, cases_, rows_, causes_, expectations_;
  std::map<reports::Cause, CauseKey> known_causes_;  // of this import
  Expected<void> failure_;                           // the first failure; Finish returns it
};

}  // namespace opbyop::history

#endif  // OPBYOP_HISTORY_IMPORT_KEYS_H_
