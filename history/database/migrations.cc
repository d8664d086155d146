// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history/database/migrations.h"

#include <fmt/format.h>

#include "manifests/status/status.h"

namespace opbyop::history {
namespace {

Error TooNew(const std::string& name, int64_t version, size_t known) {
  return {
      ExitCode::kUnsupported,
      fmt::format("{}: its schema has version {}, this opbyop knows {}: a later opbyop made it", name, version, known)};
}

// Writes the meaning of statuses, as manifests/status/status.h has it. Done at each opening for writing.
Expected<void> WriteStatuses(Database& db) {
  std::string script;
  for (const Status status : kAllStatuses) {
    script += fmt::format("INSERT INTO statuses VALUES ({}, '{}', {:d}, {:d}, {:d}) ON CONFLICT (id) DO NOTHING;\n",
                          static_cast<int>(status), ToString(status), IsProblem(status), IsBlocking(status),
                          IsUnjudged(status));
  }
  return db.Run(script);
}

Expected<void> Apply(Database& db, const Migration& migration, int64_t number) {
  Expected<Transaction> transaction = Transaction::Begin(db);
  if (!transaction) return Unexpected(transaction.error());
  const Expected<int64_t> version = db.SchemaVersion();
  if (!version) return Unexpected(version.error());
  if (*version >= number) return {};  // another process applied it in the meantime
  if (const Expected<void> done = db.Run(db.Dialect(std::string(migration.script))); !done) {
    const bool is_first = number == 1;
    return MakeError(is_first ? ExitCode::kBadInput : done.error().code,
                     fmt::format("{} ({}){}", done.error().message, migration.name,
                                 is_first ? ": is it the database of another program?" : ""));
  }
  if (number == 1) {
    if (const Expected<void> done = WriteStatuses(db); !done) return done;
  }
  if (const Expected<void> done = db.SetSchemaVersion(number); !done) return done;
  return transaction->Commit();
}

}  // namespace

Expected<void> Migrate(Database& db, std::span<const Migration> migrations, const std::string& name) {
  const Expected<int64_t> version = db.SchemaVersion();
  if (!version) return Unexpected(version.error());
  if (*version > static_cast<int64_t>(migrations.size())) return Unexpected(TooNew(name, *version, migrations.size()));
  for (auto number = *version + 1; number <= static_cast<int64_t>(migrations.size()); ++number) {
    const Expected<void> done = Apply(db, migrations[static_cast<size_t>(number) - 1], number);
    if (!done) return done;
  }
  return {};
}

Expected<void> CheckSchema(Database& db, std::span<const Migration> migrations, const std::string& name) {
  const Expected<int64_t> version = db.SchemaVersion();
  if (!version) return Unexpected(version.error());
  if (*version > static_cast<int64_t>(migrations.size())) return Unexpected(TooNew(name, *version, migrations.size()));
  if (*version == static_cast<int64_t>(migrations.size())) return {};
  return MakeError(ExitCode::kBadInput,
                   *version == 0
                       ? fmt::format("{}: holds no history: `opbyop history import RUN` makes one", name)
                       : fmt::format("{}: its schema has version {}, this opbyop wants {}: the next `opbyop history "
                                     "import` brings it up to date",
                                     name, *version, migrations.size()));
}

}  // namespace opbyop::history
