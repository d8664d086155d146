// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stores operands that ops had when the model was run: compressed tensors next to a manifest, named by their content.
//
//   Expected<std::string> name = StoreCaptured("out/nightly/captured", input);   // sha256 of the stored bytes
//   Expected<InputData> same = LoadCaptured("out/nightly/captured", name, type, shape);
//
// A file `<sha256>.zst` is one zstd frame of the elements in stored form (support/dtype.h). Equal tensors share one
// file. A file that is read is checked against its name.
#ifndef OPBYOP_REFERENCE_INPUTS_CAPTURED_H_
#define OPBYOP_REFERENCE_INPUTS_CAPTURED_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reference/inputs/inputs.h"

namespace opbyop::reference {

struct Stored {
  std::string name;
  int64_t bytes = 0;  // bytes added to the folder; 0 if the tensor was already there
};

Expected<Stored> StoreCaptured(const std::filesystem::path& folder, const InputData& data);

Expected<InputData> LoadCaptured(const std::filesystem::path& folder, const std::string& name, ElementType type,
                                 const Shape& shape);

// The file `captured/index.json` next to a folder of cases. It lists the files with the operands of each case.
//
//   {"schema": "opbyop-captured/1", "cases": {"add_2x3_f32_1a2b3c4d": ["<sha256>", "<sha256>"]}}
class CapturedIndex {
 public:
  // Loads the index of a split's folder. Returns an empty index if there is none, kUnsupported for another schema, and
  // kBadInput if the file is not JSON.
  static Expected<CapturedIndex> Load(const std::filesystem::path& split_folder);
  Expected<void> Save() const;

  const std::filesystem::path& folder() const { return folder_; }
  // Returns the files of a case, or nullptr if nothing was captured for it.
  const std::vector<std::string>* Find(const std::string& case_id) const;
  void Set(const std::string& case_id, std::vector<std::string> names) { cases_[case_id] = std::move(names); }

  // Gives a case the operands that another index has for `theirs`; the files are linked, or copied between file systems.
  // Returns false if that index has none, or if the case already has them.
  Expected<bool> Adopt(const std::string& case_id, const CapturedIndex& other, const std::string& theirs);

  // Loads the operands of a per-op program, in order of the arguments of @main.
  Expected<std::vector<InputData>> Inputs(mlir::ModuleOp module, const std::vector<std::string>& names) const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> cases_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_CAPTURED_H_
