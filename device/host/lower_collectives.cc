// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop-lower-collectives: rewrites collectives between the processes of a grid. All that processes do together is an
// exchange (exchange.h): each gets the tensors of its whole group. The rest is StableHLO on these tensors:
//
//   all_reduce    the computation, mapped over the tensors in the order of the group
//   collective_reduce  the same for the first process of the group, zeros for the others
//   all_gather    their concatenation
//   all_to_all    the concatenation of the part of each that has the place of the process in the group
//
// A module without a grid (kGridAttribute) is not changed. Ops that are left are refused by the lowering for a single
// process.
#include <llvm/ADT/TypeSwitch.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/TypeUtilities.h>

#include <algorithm>
#include <vector>

#include "device/host/exchange.h"
#include "device/host/hlo_builder.h"
#include "device/host/passes.h"
#include "ir/replica_groups.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::RankedTensorType;
using mlir::Value;
using Tensors = llvm::SmallVector<Value>;

struct Grid {
  int64_t replicas = 1;
  int64_t partitions = 1;

  int64_t processes() const { return replicas * partitions; }
  int64_t Number(int64_t replica, int64_t partition) const { return replica * partitions + partition; }
};

// The groups of processes that the ids of an op stand for.
IdGroups ProcessGroups(const IdGroups& ids, GroupIds kind, const Grid& grid) {
  if (kind == GroupIds::kProcesses) return ids;
  IdGroups groups;
  const bool by_partition = kind == GroupIds::kPartitions;
  for (const std::vector<int64_t>& row : ids) {
    if (kind == GroupIds::kReplicasOfPartitions) {
      std::vector<int64_t>& group = groups.emplace_back();
      for (int64_t partition = 0; partition < grid.partitions; ++partition) {
        for (const int64_t replica : row) group.push_back(grid.Number(replica, partition));
      }
      continue;
    }
    for (int64_t other = 0; other < (by_partition ? grid.replicas : grid.partitions); ++other) {
      std::vector<int64_t>& group = groups.emplace_back();
      for (const int64_t id : row) group.push_back(by_partition ? grid.Number(other, id) : grid.Number(id, other));
    }
  }
  return groups;
}

// Whether each process is at most once in the groups, and in the grid.
bool AreOfGrid(const IdGroups& groups, const Grid& grid) {
  std::vector<bool> seen(static_cast<size_t>(grid.processes()));
  for (const std::vector<int64_t>& group : groups) {
    for (const int64_t process : group) {
      if (process < 0 || process >= grid.processes() || seen[static_cast<size_t>(process)]) return false;
      seen[static_cast<size_t>(process)] = true;
    }
  }
  return true;
}

bool IsStatic(mlir::Operation* op) {
  return llvm::all_of(llvm::concat<const mlir::Type>(op->getOperandTypes(), op->getResultTypes()), [](mlir::Type type) {
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  });
}

// One collective, its groups, and the ops that replace it.
class Collective {
 public:
  Collective(mlir::Operation* op, const Grid& grid, mlir::ImplicitLocOpBuilder& builder)
      : op_(op), grid_(grid), b_(builder), h_(builder) {}

  // Reads the groups. False if the op cannot be rewritten.
  bool ReadGroups() {
    Expected<IdGroups> ids = ReplicaGroupsOf(op_);
    if (!ids) return false;
    for (std::vector<int64_t>& row : *ids) std::erase_if(row, [](int64_t id) { return id < 0; });
    std::erase_if(*ids, [](const auto& row) { return row.empty(); });
    const GroupIds kind = GroupIdsOf(op_);
    if (ids->empty()) {
      const int64_t count = kind == GroupIds::kProcesses    ? grid_.processes()
                            : kind == GroupIds::kPartitions ? grid_.partitions
                                                            : grid_.replicas;
      for (int64_t id = 0; id < count; ++id) {
        if (id == 0) ids->emplace_back();
        ids->front().push_back(id);
      }
    }
    groups_ = ProcessGroups(*ids, kind, grid_);
    return AreOfGrid(groups_, grid_);
  }

  bool HasGroupsOfAll() const {
    size_t members = 0;
    for (const auto& group : groups_) members += group.size();
    return static_cast<int64_t>(members) == grid_.processes();
  }

  bool HasEqualGroups() const {
    return llvm::all_equal(llvm::map_range(groups_, [](const auto& group) { return group.size(); }));
  }

  int64_t size() const {
    return static_cast<int64_t>(std::ranges::max(groups_, {}, &std::vector<int64_t>::size).size());
  }

  // The tensors of the members of the group, in its order.
  Tensors Members(Value own) { return Unstacked(Stacked(own, groups_), own); }

  // The members of all processes, for pairs.
  Value OfAllProcesses(Value own) {
    IdGroups all(1);
    for (int64_t process = 0; process < grid_.processes(); ++process) all.front().push_back(process);
    return Stacked(own, all);
  }

  // A number of the process that a table has, as a scalar of i32.
  Value OfProcess(llvm::ArrayRef<int32_t> table) {
    const auto type = RankedTensorType::get({static_cast<int64_t>(table.size())}, b_.getI32Type());
    Value numbers = stablehlo::ConstantOp::create(b_, mlir::DenseElementsAttr::get(type, table));
    Value at = Process();
    Value one = stablehlo::DynamicSliceOp::create(b_, RankedTensorType::get({1}, b_.getI32Type()), numbers,
                                                  mlir::ValueRange(at), llvm::ArrayRef<int64_t>{1});
    return h_.Reshape(one, {});
  }

  Value Process() {
    const auto type = RankedTensorType::get({}, b_.getI32Type());
    auto call = stablehlo::CustomCallOp::create(b_, mlir::TypeRange(type), mlir::ValueRange(), Named(kProcessCall));
    return call->getResult(0);
  }

  // The place of the process in its group; -1 if it is in none.
  Value Position() {
    std::vector<int32_t> table(static_cast<size_t>(grid_.processes()), -1);
    for (const auto& group : groups_) {
      for (size_t i = 0; i < group.size(); ++i) table[static_cast<size_t>(group[i])] = static_cast<int32_t>(i);
    }
    return OfProcess(table);
  }

  // The number of members of the process's group; 0 if it is in none.
  Value GroupSize() {
    std::vector<int32_t> table(static_cast<size_t>(grid_.processes()), 0);
    for (const auto& group : groups_) {
      for (const int64_t process : group) table[static_cast<size_t>(process)] = static_cast<int32_t>(group.size());
    }
    return OfProcess(table);
  }

  // Whether a scalar of i32 is in this relation to a number.
  Value Compares(Value scalar, stablehlo::ComparisonDirection direction, int64_t number) {
    return h_.Compare(direction, scalar, h_.Splat({}, b_.getI32Type(), static_cast<double>(number)));
  }

  Value Select(Value condition, Value then, Value otherwise) {
    return stablehlo::SelectOp::create(b_, then.getType(), mlir::ValueRange{condition, then, otherwise});
  }

  // Part number `part` of `size` elements along a dimension.
  Value Part(Value operand, int64_t dimension, Value part, int64_t size) {
    llvm::SmallVector<int64_t> shape(StaticShape(operand));
    shape[static_cast<size_t>(dimension)] = size;
    Value zero = h_.Splat({}, b_.getI32Type(), 0);
    Value start = h_.Binary<stablehlo::MulOp>(part, h_.Splat({}, b_.getI32Type(), static_cast<double>(size)));
    Tensors starts(shape.size(), zero);
    starts[static_cast<size_t>(dimension)] = start;
    return stablehlo::DynamicSliceOp::create(b_, RankedTensorType::get(shape, mlir::getElementTypeOrSelf(operand)),
                                             operand, starts, shape);
  }

  // The computation of the op over the tensors of the group's members, from the left.
  Value Folded(Tensors tensors) {
    mlir::Region& computation = op_->getRegion(0);
    mlir::Type element = mlir::getElementTypeOrSelf(computation.getArgument(0).getType());
    for (Value& tensor : tensors) tensor = h_.Convert(tensor, element);
    Value sum = tensors.front();
    const Value members = HasEqualGroups() ? Value() : GroupSize();
    llvm::SmallVector<int64_t> dimensions;
    for (int64_t d = 0; d < mlir::cast<RankedTensorType>(sum.getType()).getRank(); ++d) dimensions.push_back(d);
    for (const auto [number, next] : llvm::drop_begin(llvm::enumerate(tensors))) {
      auto map =
          stablehlo::MapOp::create(b_, sum.getType(), mlir::ValueRange{sum, next}, b_.getDenseI64ArrayAttr(dimensions));
      mlir::IRMapping mapping;
      computation.cloneInto(&map->getRegion(0), mapping);
      Value longer =
          members ? Compares(members, stablehlo::ComparisonDirection::GT, static_cast<int64_t>(number)) : Value();
      sum = longer ? Select(longer, map->getResult(0), sum) : map->getResult(0);
    }
    return sum;
  }

  Hlo& h() { return h_; }

 private:
  llvm::SmallVector<mlir::NamedAttribute, 1> Named(llvm::StringRef target) {
    return {b_.getNamedAttr("call_target_name", b_.getStringAttr(target))};
  }

  Value Stacked(Value own, const IdGroups& groups) {
    const int64_t columns = static_cast<int64_t>(std::ranges::max(groups, {}, &std::vector<int64_t>::size).size());
    std::vector<int64_t> ids;
    for (const auto& group : groups) {
      ids.insert(ids.end(), group.begin(), group.end());
      ids.resize((&group - groups.data() + 1) * columns, -1);
    }
    llvm::SmallVector<int64_t> shape = {columns};
    llvm::append_range(shape, StaticShape(own));
    const auto type = RankedTensorType::get(shape, mlir::getElementTypeOrSelf(own));
    auto call = stablehlo::CustomCallOp::create(b_, mlir::TypeRange(type), mlir::ValueRange(own), Named(kExchangeCall));
    const auto matrix = RankedTensorType::get({static_cast<int64_t>(groups.size()), columns}, b_.getI64Type());
    call->setAttr(kGroupsAttribute, mlir::DenseIntElementsAttr::get(matrix, llvm::ArrayRef(ids)));
    return call->getResult(0);
  }

  Tensors Unstacked(Value stack, Value own) {
    Tensors members;
    for (int64_t i = 0; i < StaticShape(stack).front(); ++i) {
      members.push_back(h_.Reshape(h_.Slice(stack, 0, i, 1), StaticShape(own)));
    }
    return members;
  }

  mlir::Operation* op_;
  const Grid& grid_;
  mlir::ImplicitLocOpBuilder& b_;
  Hlo h_;
  IdGroups groups_;
};

// Returns the values that replace an op; none if it stays.
class Lowering {
 public:
  Lowering(mlir::Operation* op, const Grid& grid)
      : op_(op), grid_(grid), builder_(op->getLoc(), op), collective_(op, grid, builder_) {}

  Tensors Results() {
    if (!IsStatic(op_)) return {};
    return llvm::TypeSwitch<mlir::Operation*, Tensors>(op_)
        .Case([&](stablehlo::AllReduceOp) { return Reduce(); })
        .Case([&](stablehlo::CollectiveReduceOp op) { return op.getHasDynamicRoot() ? Tensors() : ReduceToFirst(); })
        .Case([&](stablehlo::ReduceScatterOp op) { return Scatter(static_cast<int64_t>(op.getScatterDimension())); })
        .Case([&](stablehlo::AllGatherOp op) { return Gather(static_cast<int64_t>(op.getAllGatherDim())); })
        .Case([&](stablehlo::AllToAllOp op) { return Exchange(op); })
        .Case([&](stablehlo::CollectiveBroadcastOp op) { return op.getHasDynamicRoot() ? Tensors() : Broadcast(); })
        .Case([&](stablehlo::CollectivePermuteOp) { return Permute(); })
        .Case([&](stablehlo::PartitionIdOp) { return Id([&](int64_t p) { return p % grid_.partitions; }); })
        .Case([&](stablehlo::ReplicaIdOp) { return Id([&](int64_t p) { return p / grid_.partitions; }); })
        .Default([](mlir::Operation*) { return Tensors(); });
  }

 private:
  // The reduction over each group, for its members.
  Tensors Folded() {
    Tensors results;
    for (auto [operand, result] : llvm::zip_equal(op_->getOperands(), op_->getResults())) {
      results.push_back(collective_.h().Convert(collective_.Folded(collective_.Members(operand)),
                                                mlir::getElementTypeOrSelf(result.getType())));
    }
    return results;
  }

  Tensors Reduce() {
    if (!collective_.ReadGroups() || !collective_.HasGroupsOfAll()) return {};
    return Folded();
  }

  // Zeros for all processes but the first one of each group.
  Tensors ReduceToFirst() {
    if (!collective_.ReadGroups()) return {};
    Tensors results = Folded();
    Value first = collective_.Compares(collective_.Position(), stablehlo::ComparisonDirection::EQ, 0);
    for (Value& result : results) {
      Value zeros = collective_.h().Splat(StaticShape(result), mlir::getElementTypeOrSelf(result), 0);
      result = collective_.Select(first, result, zeros);
    }
    return results;
  }

  Tensors Scatter(int64_t dimension) {
    Tensors sum = Reduce();
    if (sum.empty() || !collective_.HasEqualGroups()) return {};
    const int64_t size = mlir::cast<RankedTensorType>(op_->getResult(0).getType()).getDimSize(dimension);
    return {collective_.Part(sum.front(), dimension, collective_.Position(), size)};
  }

  Tensors Gather(int64_t dimension) {
    if (!collective_.ReadGroups() || !collective_.HasGroupsOfAll() || !collective_.HasEqualGroups()) return {};
    Tensors results;
    for (auto [operand, result] : llvm::zip_equal(op_->getOperands(), op_->getResults())) {
      results.push_back(Concatenated(collective_.Members(operand), dimension, result.getType()));
    }
    return results;
  }

  Tensors Exchange(stablehlo::AllToAllOp op) {
    if (!collective_.ReadGroups() || !collective_.HasGroupsOfAll() || !collective_.HasEqualGroups()) return {};
    const auto split = static_cast<int64_t>(op.getSplitDimension());
    if (static_cast<int64_t>(op.getSplitCount()) != collective_.size()) return {};
    Value position = collective_.Position();
    Tensors results;
    for (auto [operand, result] : llvm::zip_equal(op_->getOperands(), op_->getResults())) {
      Tensors parts = collective_.Members(operand);
      for (Value& part : parts) {
        part =
            collective_.Part(part, split, position, StaticShape(part)[static_cast<size_t>(split)] / collective_.size());
      }
      results.push_back(Concatenated(parts, static_cast<int64_t>(op.getConcatDimension()), result.getType()));
    }
    return results;
  }

  // The first member's tensor; zeros for a process that is in no group.
  Tensors Broadcast() {
    if (!collective_.ReadGroups()) return {};
    Tensors results;
    for (Value operand : op_->getOperands()) results.push_back(collective_.Members(operand).front());
    return results;
  }

  Tensors Permute() {
    const IdGroups pairs = ProcessGroups(RowsOf(op_, "source_target_pairs"), GroupIdsOf(op_), grid_);
    std::vector<int32_t> sources(static_cast<size_t>(grid_.processes()), -1);
    for (const std::vector<int64_t>& pair : pairs) {
      if (!AreOfGrid({{pair[0]}}, grid_) || !AreOfGrid({{pair[1]}}, grid_)) return {};
      sources[static_cast<size_t>(pair[1])] = static_cast<int32_t>(pair[0]);
    }
    Value own = op_->getOperand(0);
    Hlo& h = collective_.h();
    Value source = collective_.OfProcess(sources);
    Value none = collective_.Compares(source, stablehlo::ComparisonDirection::LT, 0);
    Value sent = h.Reshape(collective_.Part(collective_.OfAllProcesses(own), 0, source, 1), StaticShape(own));
    Value zeros = h.Splat(StaticShape(own), mlir::getElementTypeOrSelf(own), 0);
    return {collective_.Select(none, zeros, sent)};
  }

  template <typename Number>
  Tensors Id(Number number) {
    std::vector<int32_t> ids;
    for (int64_t process = 0; process < grid_.processes(); ++process)
      ids.push_back(static_cast<int32_t>(number(process)));
    return {
        collective_.h().Convert(collective_.OfProcess(ids), mlir::getElementTypeOrSelf(op_->getResult(0).getType()))};
  }

  Value Concatenated(const Tensors& parts, int64_t dimension, mlir::Type type) {
    return stablehlo::ConcatenateOp::create(builder_, type, parts, static_cast<uint64_t>(dimension));
  }

  mlir::Operation* op_;
  const Grid& grid_;
  mlir::ImplicitLocOpBuilder builder_;
  Collective collective_;
};

class LowerCollectives : public mlir::PassWrapper<LowerCollectives, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerCollectives)

  llvm::StringRef getArgument() const final { return "opbyop-lower-collectives"; }
  llvm::StringRef getDescription() const final { return "Rewrite collectives between several processes as exchanges"; }

  void getDependentDialects(mlir::DialectRegistry& registry) const override {
    registry.insert<stablehlo::StablehloDialect>();
  }

  void runOnOperation() override {
    const auto numbers = getOperation()->getAttrOfType<mlir::DenseI64ArrayAttr>(kGridAttribute);
    if (!numbers) return;
    const Grid grid{numbers[0], numbers[1]};
    llvm::SmallVector<mlir::Operation*> ops;
    getOperation().walk([&](mlir::Operation* op) {
      if (op->getName().getDialectNamespace() == "stablehlo") ops.push_back(op);
    });
    for (mlir::Operation* op : ops) {
      const Tensors results = Lowering(op, grid).Results();
      if (results.empty()) continue;
      op->replaceAllUsesWith(results);
      op->erase();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> CreateLowerCollectivesPass() { return std::make_unique<LowerCollectives>(); }

}  // namespace opbyop::host
