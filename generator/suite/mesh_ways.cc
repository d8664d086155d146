// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/mesh_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "ir/sharding/factor_axes.h"
#include "ir/sharding/sharding_rule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace opbyop::generator {
namespace {

Axes AxisOf(int64_t stride, int64_t size) { return size > 1 ? Axes{{.stride = stride, .size = size}} : Axes{}; }

// The axes of both as those of one dimension, `first` major.
Axes Joined(Axes first, const Axes& second) {
  for (const auto& axis : second) AppendAxis(first, axis);
  return first;
}

std::vector<int64_t> SizesOrNone(mlir::Value value) {
  const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return tensor ? tensor.getShape().vec() : std::vector<int64_t>{};
}

// Factors of an op without a rule: each dimension of the first result, with those of other values of its rank that have
// the same place and size.
ShardingRule RuleByPlace(mlir::Operation* op) {
  ShardingRule rule;
  const std::vector<int64_t> shape = op->getNumResults() > 0 ? SizesOrNone(op->getResult(0)) : std::vector<int64_t>{};
  rule.factors = static_cast<int>(shape.size());
  const auto factors = [&](mlir::Value value) {
    const std::vector<int64_t> sizes = SizesOrNone(value);
    ShardingRule::Factors list(sizes.size(), ShardingRule::kWhole);
    for (size_t i = 0; sizes.size() == shape.size() && i < shape.size(); ++i) {
      if (sizes[i] == shape[i]) list[i] = static_cast<int>(i);
    }
    return list;
  };
  for (const mlir::Value operand : op->getOperands()) rule.operands.push_back(factors(operand));
  for (const mlir::Value result : op->getResults()) rule.results.push_back(factors(result));
  return rule;
}

// The dimensions of an op that a mesh can divide, and its divisions by them.
class Divider {
 public:
  Divider(mlir::Operation* op, const Mesh& mesh, bool uneven) : op_(op), mesh_(mesh), uneven_(uneven) {
    std::optional<ShardingRule> rule = RuleOf(op);
    has_rule_ = rule.has_value();
    rule_ = rule ? std::move(*rule) : RuleByPlace(op);
    for (int factor = 0; factor < rule_.factors; ++factor) {
      if (IsUsable(factor)) usable_.push_back(factor);
    }
  }

  Divided Make(Way way) const {
    switch (way) {
      case Way::kBatch:
        return OverOneOrTwo([&](int f) { return OperandsWith(f) > 1 && IsInResult(f); },
                            "no dimension is one of several operands and of the result");
      case Way::kResult:
        return OverOneOrTwo([&](int f) { return OperandsWith(f) < 2 && IsInResult(f); },
                            "no dimension of the result is that of one operand alone");
      case Way::kContracting:
        return OverOneOrTwo(
            [&](int f) { return !IsInResult(f); },
            has_rule_ ? "it combines no dimension" : "no sharding rule says which dimensions it combines");
      case Way::kOperandsDifferently:
        return Differently();
      case Way::kPartialReplication:
        return OverFirst({PartOfAxis()});
      case Way::kTwoAxes:
        return OverFirst({Joined(mesh_.X(), mesh_.Y()), Joined(mesh_.Y(), mesh_.X())});
      case Way::kOneAxisTwice:
        return OneAxisTwice();
      case Way::kWhole:
        return OverWhole();
      case Way::kResharded:
        return Resharded();
      case Way::kUneven:
        return Uneven();
    }
    return {};
  }

 private:
  bool IsOpen(size_t operand) const { return llvm::isa<mlir::BlockArgument>(op_->getOperand(operand)); }
  bool Divides(mlir::Value value, size_t dimension) const {
    const int64_t size = SizesOrNone(value)[dimension];
    return size > 0 && (uneven_ ? size % mesh_.columns != 0 : size % mesh_.devices() == 0);
  }

  size_t OperandsWith(int factor) const {
    size_t count = 0;
    for (size_t i = 0; i < rule_.operands.size(); ++i) {
      if (IsOpen(i) && llvm::is_contained(rule_.operands[i], factor)) ++count;
    }
    return count;
  }
  bool IsInResult(int factor) const {
    return std::ranges::any_of(rule_.results, [&](const auto& list) { return llvm::is_contained(list, factor); });
  }
  bool IsUsable(int factor) const {
    std::set<int64_t> sizes;
    const auto fits = [&](const auto& lists, const auto& values) {
      for (size_t i = 0; i < lists.size(); ++i) {
        for (size_t d = 0; d < lists[i].size(); ++d) {
          if (lists[i][d] != factor) continue;
          if (!Divides(values[i], d)) return false;
          sizes.insert(SizesOrNone(values[i])[d]);
        }
      }
      return !uneven_ || sizes.size() < 2;  // else their parts do not correspond
    };
    return (OperandsWith(factor) > 0 || IsInResult(factor)) && fits(rule_.operands, op_->getOperands()) &&
           fits(rule_.results, op_->getResults());
  }

  OpDivision By(const FactorAxes& axes) const {
    OpDivision division;
    for (const auto& factors : rule_.operands) division.operands.push_back(DivisionOf(factors, axes));
    for (const auto& factors : rule_.results) division.results.push_back(DivisionOf(factors, axes));
    return division;
  }
  OpDivision By(std::initializer_list<std::pair<int, Axes>> list) const {
    FactorAxes axes(static_cast<size_t>(rule_.factors));
    for (const auto& [factor, of] : list) axes[static_cast<size_t>(factor)] = of;
    return By(axes);
  }

  Divided OverOneOrTwo(const std::function<bool(int)>& takes, const char* reason) const {
    std::vector<int> factors;
    std::ranges::copy_if(usable_, std::back_inserter(factors), takes);
    if (factors.empty()) return {{}, reason};
    Divided divided{{By({{factors.front(), mesh_.Y()}})}, ""};
    if (factors.size() > 1)
      divided.divisions.push_back(By({{factors.front(), mesh_.X()}, {factors.back(), mesh_.Y()}}));
    return divided;
  }

  Divided OverFirst(const std::vector<Axes>& choices) const {
    if (usable_.empty()) return {{}, "no dimension of an operand is one of the result"};
    Divided divided;
    for (const Axes& axes : choices) divided.divisions.push_back(By({{usable_.front(), axes}}));
    return divided;
  }

  // The least divisor of the number of devices along y, above 1.
  int64_t Divisor() const {
    int64_t divisor = 2;
    while (divisor < mesh_.columns && mesh_.columns % divisor != 0) ++divisor;
    return divisor;
  }
  // The major part of y; x if y has no parts.
  Axes PartOfAxis() const {
    const int64_t divisor = Divisor();
    return divisor < mesh_.columns ? AxisOf(mesh_.columns / divisor, divisor) : mesh_.X();
  }

  Divided OneAxisTwice() const {
    const int64_t divisor = Divisor();
    if (divisor >= mesh_.columns) return {{}, "the second axis of the mesh has no parts"};
    const auto share = [&](int a, int b) {
      const auto both = [&](const auto& list) { return llvm::is_contained(list, a) && llvm::is_contained(list, b); };
      return std::ranges::any_of(rule_.operands, both) || std::ranges::any_of(rule_.results, both);
    };
    for (const int a : usable_) {
      for (const int b : usable_) {
        if (a >= b || !share(a, b)) continue;
        const Axes major = AxisOf(mesh_.columns / divisor, divisor), minor = AxisOf(1, mesh_.columns / divisor);
        return {{By({{a, major}, {b, minor}})}, ""};
      }
    }
    return {{}, "no tensor has two dimensions that can be divided"};
  }

  Divided Differently() const {
    std::vector<std::pair<size_t, size_t>> places;  // operand and dimension
    for (size_t i = 0; i < rule_.operands.size() && places.size() < 2; ++i) {
      const size_t rank = rule_.operands[i].size();
      for (size_t n = 0; IsOpen(i) && n < rank; ++n) {
        const size_t d = places.empty() ? n : rank - 1 - n;  // the first dimension of one, the last of the other
        if (!Divides(op_->getOperand(static_cast<unsigned>(i)), d)) continue;
        places.emplace_back(i, d);
        break;
      }
    }
    if (places.size() < 2) return {{}, "no two operands have dimensions that can be divided"};
    OpDivision division = By({});
    const auto [first, d] = places[0];
    if (const int factor = rule_.operands[first][d]; llvm::is_contained(usable_, factor)) {
      division.results = By({{factor, mesh_.X()}}).results;
    }
    division.operands[first][d] = mesh_.X();
    division.operands[places[1].first][places[1].second] = mesh_.Y();
    return {{std::move(division)}, ""};
  }

  // One dimension of an operand, one of a result, and a dimension of each operand together.
  Divided OverWhole() const {
    Divided divided;
    OpDivision together = By({});
    const auto add = [&](const auto& lists, const auto& values, std::vector<Division> OpDivision::* side) {
      std::vector<OpDivision> found;
      for (size_t i = 0; i < lists.size(); ++i) {
        if (!llvm::isa<mlir::BlockArgument>(values[i]) && side == &OpDivision::operands) continue;
        for (size_t d = 0; d < lists[i].size(); ++d) {
          if (lists[i][d] != ShardingRule::kWhole || !Divides(values[i], d)) continue;
          found.push_back(By({}));
          (found.back().*side)[i][d] = mesh_.Y();
          if (side == &OpDivision::operands && IsWhole(together.operands[i])) together.operands[i][d] = mesh_.Y();
        }
      }
      if (!found.empty()) divided.divisions.push_back(found.front());
      if (found.size() > 1) divided.divisions.push_back(found.back());
    };
    add(rule_.operands, op_->getOperands(), &OpDivision::operands);
    if (std::ranges::count_if(together.operands, IsWhole) + 1 < std::ssize(together.operands)) {
      divided.divisions.push_back(together);
    }
    add(rule_.results, op_->getResults(), &OpDivision::results);
    if (divided.divisions.empty()) divided.reason = "each of its dimensions divides";
    return divided;
  }

  // A dimension that operands and result share is divided over y; another one of the result is, or the same over x.
  Divided Resharded() const {
    std::vector<int> shared;
    std::ranges::copy_if(usable_, std::back_inserter(shared),
                         [&](int f) { return OperandsWith(f) > 0 && IsInResult(f); });
    if (shared.empty()) return {{}, "no dimension of an operand is one of the result"};
    Divided divided;
    const auto add = [&](int factor, int other) {
      OpDivision division = By({{factor, mesh_.Y()}});
      division.results = By({{other, other == factor ? mesh_.X() : mesh_.Y()}}).results;
      divided.divisions.push_back(std::move(division));
    };
    add(shared.back(), shared.front());
    if (shared.size() > 1) add(shared.front(), shared.back());
    return divided;
  }

  // A dimension of the result, one that is combined, and one that the op needs whole. Without the last two, one of the
  // operands alone.
  Divided Uneven() const {
    Divided divided;
    const auto in_result = std::ranges::find_if(usable_, [&](int f) { return IsInResult(f); });
    const auto combined = std::ranges::find_if(usable_, [&](int f) { return !IsInResult(f); });
    if (in_result != usable_.end()) divided.divisions.push_back(By({{*in_result, mesh_.Y()}}));
    if (combined != usable_.end()) divided.divisions.push_back(By({{*combined, mesh_.Y()}}));
    if (const Divided whole = OverWhole(); !whole.divisions.empty())
      divided.divisions.push_back(whole.divisions.front());
    if (divided.divisions.size() == 1 && in_result != usable_.end()) {
      OpDivision gathered = divided.divisions.front();
      gathered.results = By({}).results;
      divided.divisions.push_back(std::move(gathered));
    }
    if (divided.divisions.empty()) divided.reason = "no dimension of an operand or a result can be divided unevenly";
    return divided;
  }

  mlir::Operation* op_;
  const Mesh& mesh_;
  bool uneven_ = false;
  bool has_rule_ = false;
  ShardingRule rule_;
  std::vector<int> usable_;  // factors of which every dimension can be divided
};

}  // namespace

Axes Mesh::X() const { return AxisOf(columns, rows); }
Axes Mesh::Y() const { return AxisOf(1, columns); }
std::string Mesh::Text() const { return fmt::format("{}x{}", rows, columns); }

std::optional<Mesh> ParseMesh(std::string_view text) {
  Mesh mesh;
  llvm::StringRef rest(text);
  if (rest.consumeInteger(10, mesh.rows) || !rest.consume_front("x") || rest.consumeInteger(10, mesh.columns) ||
      !rest.empty()) {
    return std::nullopt;
  }
  const auto fits = [](int64_t size) { return size >= 1 && size <= kMostMeshDevices; };
  if (!fits(mesh.rows) || !fits(mesh.columns) || mesh.devices() < 2 || !fits(mesh.devices())) return std::nullopt;
  return mesh;
}

std::string_view ToString(Way way) {
  switch (way) {
    case Way::kBatch:
      return "batch";
    case Way::kResult:
      return "result";
    case Way::kContracting:
      return "contracting";
    case Way::kOperandsDifferently:
      return "both operands differently";
    case Way::kPartialReplication:
      return "partial replication";
    case Way::kTwoAxes:
      return "two axes over one dimension";
    case Way::kOneAxisTwice:
      return "one axis over two dimensions";
    case Way::kWhole:
      return "whole dimension";
    case Way::kResharded:
      return "resharded result";
    case Way::kUneven:
      return "uneven";
  }
  return "";
}

Divided Divide(Way way, mlir::Operation* op, const Mesh& mesh) {
  Divided divided = Divider(op, mesh, way == Way::kUneven).Make(way);
  std::erase_if(divided.divisions, [](const OpDivision& d) {
    return std::ranges::all_of(d.operands, IsWhole) && std::ranges::all_of(d.results, IsWhole);
  });
  if (divided.divisions.empty() && divided.reason.empty()) divided.reason = "the mesh has one axis";
  return divided;
}

}  // namespace opbyop::generator
