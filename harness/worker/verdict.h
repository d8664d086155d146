// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns the answers of the workers into the verdict on a case. Starts no processes.
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
#include "protocol/hello.h"

namespace opbyop::harness {

// True if the target runs cases on a device.
bool HasDevice(const Target& target);

// The target's stages that run before the device, in order.
std::vector<std::string> CompileStages(const Target& target);

// Returns those of `stages` that come after `stage`; all if it is none of them.
std::vector<std::string> StagesAfter(const std::string& stage, std::vector<std::string> stages);

// Returns the stage that a death is blamed on until the worker starts one of `stages`.
std::string FirstStage(const std::vector<std::string>& stages);

// Adds a worker's answer to the record: its stages, and if it is not a pass, its status, stage, diagnostic, signal and
// log.
void ApplyAnswer(const Answer& answer, CaseRecord& record);

// Adds the answer to a request to the record and applies the rules for that verb: `compile`, `inputs`, `execute` or
// `compare`. A case that has not passed so far must not be sent another request. `stages` are those that had to run.
//
// A failure of the reference is never a failure of the target. If it gives no inputs the set is `skipped`; if it cannot
// judge what the device computed, the set is `inconclusive`, however the reference ended (CaseRecord::reference).
void ApplyCompile(const Answer& answer, const std::vector<std::string>& stages, CaseRecord& record);
void ApplyInputs(const Answer& drawn, CaseRecord& record);
// `dir` holds the device's outputs.
void ApplyExecute(const Answer& answer, const Target& target, const Case& c, const std::filesystem::path& dir,
                  CaseRecord& record);
void ApplyCompare(const Answer& answer, const Case& c, CaseRecord& record);

// Adds the answer to `release` to the record of a case that has ended. A worker that dies of it, or refuses, fails the
// stage that the answer blames. A case that failed before keeps its failure, and its diagnostic says this as well.
void ApplyRelease(const Answer& answer, CaseRecord& record);

// Returns the last stage that the target started for the case; empty: none.
std::string LastTargetStage(const CaseRecord& record);

// Turns a pass that lacks one of the `expected` stages into a failure of that stage.
void RequireStages(const std::vector<std::string>& expected, CaseRecord& record);

// Turns a passing execution into a failure of stage execute if an output is not a tensor file, because reading it would
// not be safe. `dir` holds the device's outputs.
void RequireOutputs(const Case& c, const std::filesystem::path& dir, CaseRecord& record);

// Skips the set if an input has neither a digest from the reference nor a file. A file with a digest may have been
// removed by another process and is not checked. `dir` holds the files; the first `digests` of them have digests.
void RequireInputs(const Case& c, const std::filesystem::path& dir, size_t digests, CaseRecord& record);

// Make a case unsupported, with the reason, if the worker does not know the field `artifact`: such a worker saves
// nothing, and executes at most what it compiled itself.
void RequireSaved(const Answer& answer, const std::string& target, CaseRecord& record);
void RequireLoaded(const Answer& answer, const std::string& target, CaseRecord& record);

// An op that is unknown here cannot be judged. If the case compiles it is inconclusive. If it does not compile it is
// unsupported, because a compiler need not know the op either. Does not apply to IR that the compiler made itself
// (`is_ir`).
void JudgeUnknown(const Case& c, bool is_ir, CaseRecord& record);

// Whether the worker has the devices to run the case, and divides its tensors among them if it is sharded.
bool HasDevices(const Case& c, const protocol::Hello& hello);

// Stops a case before it is loaded if the worker has not. A program that names processes without a grid is compiled for
// one, so that its failure to compile is no fault of the compiler's.
void RequireDevices(const Case& c, const protocol::Hello& hello, CaseRecord& record);

// Judges the answer to `compile` of a program that must be refused. A diagnostic is a pass, and the record keeps it
// with the stage that gave it. Success is a failure of the last of `stages`. RequireValidTwin checks that the target
// does not refuse the valid counterpart of the program as well: `twin` is empty if that compiled, else it says how it
// ended.
void ApplyRefusal(const Answer& answer, const std::vector<std::string>& stages, const Breach& breach,
                  CaseRecord& record);
void RequireValidTwin(const std::string& twin, CaseRecord& record);

// True if the case may have failed at random: its worker died, the device failed or computed wrongly, or the reference
// died. A failure that a compiler reports is not random.
bool MayPassOnRetry(const CaseRecord& record);

// True if the worker died while the case was on the device: the device may need to be recovered.
bool DiedOnDevice(const CaseRecord& record);

// True if the worker behind the target's own worker may have died. A request must not start it again: it would be ended
// with what that request started. It is started with a fresh worker instead.
bool LosesDeviceWorker(const CaseRecord& record, const Target& target);

// Takes over the comparisons of a `compare` answer that has been added to the record. The numbers in them count more
// than the reference's status. If it does not compare all outputs, nothing is judged.
void ApplyComparisons(const Answer& answer, const Case& c, CaseRecord& record);

// Turns a pass that proves nothing into `inconclusive`, with the reason. `is_zero` says whether all bytes of an output
// of the device are zero, by its number among those of all processes; `dir` holds these outputs.
void RequireProof(const Case& c, const std::function<bool(int64_t output)>& is_zero, CaseRecord& record);
void RequireProof(const Case& c, const std::filesystem::path& dir, CaseRecord& record);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_VERDICT_H_
