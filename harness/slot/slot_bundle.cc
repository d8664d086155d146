// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cases of a bundle: compiled here and executed elsewhere, or the reverse.
#include <fmt/format.h>

#include <utility>

#include "harness/bundle/artifact_store.h"
#include "harness/bundle/compiled_run.h"
#include "harness/slot/slot_attempt.h"
#include "harness/worker/verdict.h"

namespace opbyop::harness {

// Adds the artifact of a case that has passed so far to the bundle.
void Slot::SaveArtifact(const Answer& compiled, Attempt& attempt) const {
  CaseRecord& record = attempt.record;
  if (!attempt.passing()) return;
  RequireDevices(attempt.c, target_.hello(), record);
  if (!attempt.passing()) return;
  RequireSaved(compiled, settings_.target->name, record);
  if (!attempt.passing()) return;
  const auto refuse = [&](const Error& error) {
    record.status = Status::kFail;
    record.diagnostic = error.message;
  };
  const Expected<std::string> program = ProgramDigest(settings_.manifest_folder / attempt.c.file);
  if (!program) return refuse(program.error());
  record.program_sha256 = *program;
  if (const Expected<void> taken = settings_.saves->Store(attempt.dir, record); !taken) refuse(taken.error());
}

// Takes the artifact from the bundle instead of compiling the case.
void Slot::TakeCompiled(Attempt& attempt) {
  CaseRecord& record = attempt.record;
  BeginWith(*settings_.compiled->Find(attempt.c.id), record);
  if (const Expected<void> copied = settings_.compiled->artifacts().CopyTo(record, attempt.dir); !copied) {
    record.status = Status::kFail;
    record.stage = kLoadStage;
    record.diagnostic = copied.error().message;
    return;
  }
  attempt.drawn = Draw(attempt);
}

std::optional<CaseRecord> Slot::EndedBefore(const Case& c) const {
  if (settings_.compiled == nullptr) return std::nullopt;
  const CaseRecord* compiled = settings_.compiled->Find(c.id);
  if (compiled != nullptr && CompiledRun::MayExecute(*compiled)) return std::nullopt;
  if (compiled != nullptr) return *compiled;
  CaseRecord missing;
  missing.id = c.id;
  missing.diagnostic = "the case was not compiled";
  return missing;
}

}  // namespace opbyop::harness
