// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A warm worker that compiles and executes cases of a target, one after the other, each in a folder of its own. For
// programs that run cases without slots.
//
//   Expected<std::unique_ptr<CaseClient>> client = CaseClient::StartOnDevice(target, "chain", out / "cases");
//   Expected<ScratchDir> dir = (*client)->MakeFolder(c.id, bytes);
//   CaseRecord record{.id = c.id};
//   (*client)->Keep(c, text, dir->path(), c.inputs, record);
//   if (record.status == Status::kPass) (*client)->worker().Execute(c, request, record);
//
// If the worker dies, only its current case is lost (harness/worker/target_client.h).
#ifndef OPBYOP_HARNESS_WORKER_CASE_CLIENT_H_
#define OPBYOP_HARNESS_WORKER_CASE_CLIENT_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/worker/scratch.h"
#include "harness/worker/target_client.h"
#include "manifests/cases/case.h"
#include "manifests/results/result.h"
#include "manifests/targets/target.h"
#include "support/expected.h"
#include "support/tensor_type.h"

namespace opbyop::harness {

class CaseClient {
 public:
  // Starts the worker. `slot` names its folder, the only one that it may write to. Programs of cases are in `cases`.
  // Opens a scratch if none is given.
  static Expected<std::unique_ptr<CaseClient>> Start(const Target& target, std::string_view slot,
                                                     std::filesystem::path cases = {},
                                                     std::unique_ptr<Scratch> scratch = nullptr);
  // The same for a target that must execute here: kUnsupported if it only compiles.
  static Expected<std::unique_ptr<CaseClient>> StartOnDevice(const Target& target, std::string_view slot,
                                                             std::filesystem::path cases);

  TargetClient& worker() { return client_; }
  const TargetClient& worker() const { return client_; }

  // Makes a folder for a request, for about `bytes` of files.
  Expected<ScratchDir> MakeFolder(std::string_view name, int64_t bytes) { return scratch_->Make(name, bytes, slot_); }
  // The same, but where the worker may not write.
  Expected<ScratchDir> MakeOwnFolder(std::string_view name, int64_t bytes) { return scratch_->Make(name, bytes); }

  // Compiles the case in `dir` for inputs of these types, and leaves the verdict in the record. `text` returns its
  // program, and is called only if the program is not in `cases` yet. The answer is nullopt if the worker was not asked.
  std::optional<Answer> Compile(protocol::CompileVerb compile, const Case& c, const std::function<std::string()>& text,
                                const std::filesystem::path& dir, const std::vector<TensorType>& inputs,
                                CaseRecord& record);

  // The same, and asks the worker to keep the case. Does nothing if the worker has it.
  std::optional<Answer> Keep(const Case& c, const std::function<std::string()>& text, const std::filesystem::path& dir,
                             const std::vector<TensorType>& inputs, CaseRecord& record);

  // How Keep ended for a case that does not compile; it need not be tried again. nullptr if there was no such end.
  const CaseRecord* Refused(const std::string& case_id) const;

 private:
  CaseClient(const Target& target, WorkerSpec spec, std::string_view slot, std::filesystem::path cases,
             std::unique_ptr<Scratch> scratch);

  Expected<std::filesystem::path> FileOf(const Case& c, const std::function<std::string()>& text) const;

  std::string slot_;
  std::filesystem::path cases_;
  std::unique_ptr<Scratch> scratch_;
  TargetClient client_;
  std::map<std::string, CaseRecord> refused_;
};

// Ends the case in this stage because of an error of this program: unsupported or failed.
void EndWithError(std::string_view stage, const Error& error, CaseRecord& record);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_CASE_CLIENT_H_
