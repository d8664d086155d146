// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "support/files/file.h"
#include "support/files/npy.h"
#include "support/text/csv_cell.h"

namespace opbyop::reference {
namespace {

// Returns the name as part of a file name: characters other than letters, digits and a few signs become '_'.
std::string FileStem(std::string_view name) {
  std::string stem(name);
  std::ranges::replace_if(
      stem, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-'; }, '_');
  return stem;
}

// False for a value that holds the results of many executions of its op at once.
bool IsOneExecution(mlir::Type type, const Tensor& tensor) {
  auto ranked = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return !ranked || ranked.getRank() == tensor.rank();
}

}  // namespace

Expected<ProbeKind> ParseProbeKind(std::string_view text) {
  if (text == "marked") return ProbeKind::kMarked;
  if (text == "all") return ProbeKind::kAll;
  return MakeError(ExitCode::kUsage, fmt::format("--probe={}: must be 'marked' or 'all'", text));
}

ProbeWriter::ProbeWriter(std::filesystem::path dir, ProbeKind kind) : dir_(std::move(dir)), kind_(kind) {}

Expected<void> ProbeWriter::Observe(const OpContext& context, const Values& results) {
  const bool marked = context.name == "interpreter.probe";
  if (kind_ == ProbeKind::kNone || (kind_ == ProbeKind::kMarked && !marked)) return {};
  std::string name(context.name);
  if (auto id = context.op->getAttrOfType<mlir::StringAttr>("probe_id"); marked && id) name = id.getValue().str();
  const int64_t iteration = iterations_[context.op]++;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_tensor()) continue;
    const Tensor& tensor = results[i].tensor();
    if (!IsOneExecution(context.op->getResult(static_cast<unsigned>(i)).getType(), tensor)) continue;
    const std::string file = fmt::format("probe_{}_{}.npy", written_++, FileStem(name));
    if (const Expected<void> done = WriteNpy(dir_ / file, tensor.tensor_type(), TensorToBytes(tensor)); !done) {
      return done;
    }
    index_ += fmt::format("{},{},{},{},{},{},{}\n", file, CsvCell(name), iteration, i, NameOf(tensor.type()),
                          fmt::join(tensor.shape(), "x"), CsvCell(PlaceOf(context.op)));
  }
  return {};
}

Expected<void> ProbeWriter::Finish() const {
  return WriteFile(dir_ / "index.csv", "file,name,iteration,result,dtype,shape,location\n" + index_);
}

}  // namespace opbyop::reference
