// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the answers of the workers mean for a case: rules, no processes.
#ifndef OPBYOP_HARNESS_WORKER_VERDICT_H_
#define OPBYOP_HARNESS_WORKER_VERDICT_H_

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/worker/worker.h"
#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"

namespace opbyop::harness {

// True where the target takes cases to a device.
bool HasDevice(const Target& target);

// The target's stages that run before the device, in order.
std::vector<std::string> CompileStages(const Target& target);

// Those of `stages` that come after `stage`; all where it is none of them.
std::vector<std::string> StagesAfter(const std::string& stage, std::vector<std::string> stages);

// What a death is blamed on until the worker begins a stage of those that are to run.
std::string FirstStage(const std::vector<std::string>& stages);

// Lays a worker's answer over the record: stages, and where the answer is not a pass, status, stage,
// diagnostic, signal and log.
void ApplyAnswer(const Answer& answer, CaseRecord& record);

// Lays the answer to a request over the record and holds the worker to it, verb by verb: all that is known of the case
// from `compile`, `inputs`, `execute` and `compare`, whoever asked. Of a case that has not passed so far there is
// nothing to ask. `stages`: those that were to run.
//
// The reference never accuses: where it gives no inputs the set is `skipped`, where it cannot judge what the device
// computed it is `inconclusive`, however the reference ended (CaseRecord::reference).
void ApplyCompile(const Answer& answer, const std::vector<std::string>& stages, CaseRecord& record);
void ApplyInputs(const Answer& drawn, CaseRecord& record);
// `dir` holds the device's outputs.
void ApplyExecute(const Answer& answer, const Target& target, const Case& c, const std::filesystem::path& dir,
                  CaseRecord& record);
void ApplyCompare(const Answer& answer, const Case& c, CaseRecord& record);

// Lays the answer to `release` over the record of a case that has ended: a worker that dies of it, or refuses, fails
// the stage that the answer blames. What failed before stays as it failed, and says this as well.
void ApplyRelease(const Answer& answer, CaseRecord& record);

// The last stage that the target began for the case; empty: none.
std::string LastTargetStage(const CaseRecord& record);

// A worker may not pass over a stage in silence: a pass that lacks one of `expected` becomes a failure of it.
void RequireStages(const std::vector<std::string>& expected, CaseRecord& record);

// A passing execution whose outputs are no files with a tensor each becomes a failure of stage execute: nobody may
// read them. `dir` holds the device's outputs.
void RequireOutputs(const Case& c, const std::filesystem::path& dir, CaseRecord& record);

// Inputs of which the reference gave neither a digest nor a file were not made: the set is skipped. A file that had a
// digest is another's to remove. `dir` holds the files, of the first `digests` of which there are digests.
void RequireInputs(const Case& c, const std::filesystem::path& dir, size_t digests, CaseRecord& record);

// A worker that does not know `artifact` saves nothing, or executes what it compiled itself, if anything: the case is
// unsupported, with that as its reason.
void RequireSaved(const Answer& answer, const std::string& target, CaseRecord& record);
void RequireLoaded(const Answer& answer, const std::string& target, CaseRecord& record);

// How many processes execute a case.
inline constexpr int64_t kProcessesOfARun = 1;

// An op that nobody here knows has no meaning to be judged by: what compiles is inconclusive. It proves nothing against
// a compiler that does not know it either: what fails to compile is unsupported. Not of `ir` that the compiler made
// itself.
void JudgeUnknown(const Case& c, bool is_ir, CaseRecord& record);

// A case that has been compiled and names processes that are not there is not loaded.
void RequireProcesses(const Case& c, CaseRecord& record);

// Judges the answer to `compile` of a program that must be refused. A diagnostic is a pass, and the record keeps it
// with the stage that gave it. Success is a failure of the last of `stages`. Whether the target refuses exactly what is
// wrong is known once the valid program beside it was compiled: `twin` is empty if that succeeded, else it says how it
// ended.
void ApplyRefusal(const Answer& answer, const std::vector<std::string>& stages, const Breach& breach,
                  CaseRecord& record);
void RequireValidTwin(const std::string& twin, CaseRecord& record);

// True where the case failed as it may fail at random: its worker died, or the device ran and failed or was wrong; and
// where the reference died. What a compiler says of a case it says again.
bool MayPassAgain(const CaseRecord& record);

// True where the worker died while the device had the case: the device may need to be brought back.
bool DiedOnDevice(const CaseRecord& record);

// True where the worker behind the target's own may have died: started again by a request, it would be ended with what
// that request started, and so is started with a fresh worker.
bool LosesDeviceWorker(const CaseRecord& record, const Target& target);

// Takes over the comparisons of a `compare` answer that is laid over the record and holds the reference to them: its
// numbers weigh more than its word, and where it does not compare what it should, nothing is judged.
void ApplyComparisons(const Answer& answer, const Case& c, CaseRecord& record);

// Turns a pass that proves nothing into `inconclusive`, with the reason. `is_zero` says of an output of the device
// whether all of its bytes are zero; `dir` holds these outputs.
void RequireProof(const Case& c, const std::function<bool(int64_t output)>& is_zero, CaseRecord& record);
void RequireProof(const Case& c, const std::filesystem::path& dir, CaseRecord& record);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_VERDICT_H_
