// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/shard/op_sharding.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/op_info.h"
#include "ir/sdy/sdy.h"
#include "ir/sharding/manual_divisions.h"
#include "ir/sharding/read_sharding.h"
#include "ir/sharding/sharding_rule.h"
#include "support/files/sha256.h"
#include "support/sharding/sharding_text.h"

namespace opbyop::generator {
namespace {

// Whether devices cannot run the op as one of a single program on whole tensors.
bool IsBetweenPartitions(mlir::Operation* op, int64_t devices, ProcessGrid& grid) {
  if (auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(op)) {
    const Expected<ManualDivisions> divisions = DivisionsOf(manual);
    return !divisions || divisions->devices != devices;
  }
  const OpKind kind = KindOf(op->getName().getStringRef());
  const bool is_distributed = kind == OpKind::kCollective || kind == OpKind::kSharding;
  return (is_distributed && !StatesSharding(op)) || grid.Concerns(op);
}

}  // namespace

OpShardings::OpShardings(mlir::ModuleOp module) : grid_(module), shardings_(PropagateShardings(module)) {}

std::vector<std::string> OpShardings::NotDivided() const {
  std::vector<std::string> notes = NotesOf(shardings_);
  if (shardings_.any() && grid_.replicas() > 1) {
    notes.push_back(
        fmt::format("all values: the program has {} replicas, of which each would be divided", grid_.replicas()));
  }
  std::ranges::copy(without_text_, std::back_inserter(notes));
  return notes;
}

bool OpShardings::Add(mlir::Value value, std::vector<Division>& divisions, CaseSharding& sharding) {
  const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  Division& division = divisions.emplace_back();
  if (!tensor) return true;
  for (size_t i = 0; i < static_cast<size_t>(tensor.getRank()); ++i) {
    division.push_back(shardings_.AxesOf(value, i).vec());
  }
  if (!shardings_.IsStated(value)) sharding.source = ShardingSource::kRules;
  const std::string text = ToText(division, sharding.partitions);
  if (ParseDivision(text, division.size(), sharding.partitions) && CanDivide(tensor.getShape(), division)) {
    return true;
  }
  std::string note = fmt::format("{}: its division is none of {} devices: {}; the ops that have it are whole",
                                 NameOfValue(value), sharding.partitions, text);
  without_text_.insert(std::move(note));
  return false;
}

int64_t OpShardings::devices() const {
  if (!shardings_.any() || grid_.replicas() > 1) return 1;
  return std::max(shardings_.devices(), static_cast<int64_t>(std::min<uint64_t>(grid_.partitions(), kMostDevices)));
}

std::shared_ptr<const CaseSharding> OpShardings::Of(llvm::ArrayRef<mlir::Value> inputs, mlir::ValueRange outputs) {
  CaseSharding sharding{.partitions = devices(), .inputs = {}, .outputs = {}};
  for (mlir::Value input : inputs) {
    if (!Add(input, sharding.inputs, sharding)) return nullptr;
  }
  for (mlir::Value output : outputs) {
    if (!Add(output, sharding.outputs, sharding)) return nullptr;
  }
  const auto whole = [](const std::vector<Division>& list) { return std::ranges::all_of(list, IsWhole); };
  if (whole(sharding.inputs) && whole(sharding.outputs)) return nullptr;
  return std::make_shared<const CaseSharding>(std::move(sharding));
}

std::shared_ptr<const CaseSharding> OpShardings::Of(mlir::Operation* op, const CaseInputs& inputs) {
  if (devices() < 2 || IsBetweenPartitions(op, devices(), grid_)) return nullptr;
  llvm::SmallVector<mlir::Value> arguments;
  for (const CaseInputs::Input& input : inputs.inputs) {
    if (!input.folded) arguments.push_back(input.value);
  }
  return Of(arguments, op->getResults());
}

std::shared_ptr<const CaseSharding> OpShardings::Of(mlir::FunctionOpInterface main) {
  if (devices() < 2) return nullptr;
  mlir::Block& body = main.getFunctionBody().front();
  return Of(llvm::SmallVector<mlir::Value>(body.getArguments()), body.getTerminator()->getOperands());
}

std::string WithSharding(std::string_view plain, const CaseSharding& sharding) {
  return fmt::format("{}\n{} partitions\n{}\n->\n{}", plain, sharding.partitions,
                     fmt::join(TextsOf(sharding.inputs, sharding.partitions), "\n"),
                     fmt::join(TextsOf(sharding.outputs, sharding.partitions), "\n"));
}

Digest WithSharding(const Digest& plain, const CaseSharding& sharding) {
  const std::string hex = Sha256Hex(WithSharding(plain.Hex(), sharding));
  constexpr size_t kDigits = 16;
  return {std::stoull(hex.substr(0, kDigits), nullptr, 16), std::stoull(hex.substr(kDigits, kDigits), nullptr, 16)};
}

}  // namespace opbyop::generator
