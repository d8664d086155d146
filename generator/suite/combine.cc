// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/suite/combine.h"

#include <algorithm>
#include <set>
#include <utility>

namespace opbyop::generator {
namespace {

using Row = std::vector<size_t>;  // index of a value, for each axis

// The first, the last and evenly spread values in between.
Axis EvenlySampled(const Axis& axis, size_t most) {
  if (axis.size() <= most || most == 0) return axis;
  Axis thin;
  for (size_t i = 0; i < most; ++i) thin.push_back(axis[most == 1 ? 0 : i * (axis.size() - 1) / (most - 1)]);
  return thin;
}

// In each round, every value of each axis occurs at least once. Each round shifts the axes relative to the longest one.
std::vector<Row> EachChoice(const std::vector<Axis>& axes, size_t rounds) {
  size_t longest = 0;
  for (size_t a = 0; a < axes.size(); ++a) longest = axes[a].size() > axes[longest].size() ? a : longest;
  const size_t count = axes.empty() ? 1 : axes[longest].size();
  std::set<Row> seen;
  std::vector<Row> rows;
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < count; ++i) {
      Row row;
      for (size_t a = 0; a < axes.size(); ++a) {
        row.push_back((i + (a == longest ? 0 : round * (a + 1))) % axes[a].size());
      }
      if (seen.insert(row).second) rows.push_back(std::move(row));
    }
  }
  return rows;
}

// The pairs of values of two axes that no row contains yet.
class OpenPairs {
 public:
  explicit OpenPairs(const std::vector<Axis>& axes) {
    for (size_t a = 0; a < axes.size(); ++a) {
      for (size_t b = a + 1; b < axes.size(); ++b) {
        for (size_t i = 0; i < axes[a].size(); ++i) {
          for (size_t j = 0; j < axes[b].size(); ++j) open_.insert({{a, i}, {b, j}});
        }
      }
    }
  }

  bool empty() const { return open_.empty(); }
  auto first() const { return *open_.begin(); }
  bool Has(size_t a, size_t i, size_t b, size_t j) const {
    return a < b ? open_.contains({{a, i}, {b, j}}) : open_.contains({{b, j}, {a, i}});
  }
  void Close(const Row& row) {
    for (size_t a = 0; a < row.size(); ++a) {
      for (size_t b = a + 1; b < row.size(); ++b) open_.erase({{a, row[a]}, {b, row[b]}});
    }
  }

 private:
  using Value = std::pair<size_t, size_t>;  // axis, index
  std::set<std::pair<Value, Value>> open_;
};

// A greedy algorithm: each row takes the first open pair, then from every other axis the value that closes most pairs.
std::vector<Row> AllPairs(const std::vector<Axis>& axes) {
  if (axes.size() < 2) return EachChoice(axes, 1);
  std::vector<Row> rows;
  OpenPairs open(axes);
  while (!open.empty()) {
    const auto [left, right] = open.first();
    Row row(axes.size(), 0);
    std::vector<bool> chosen(axes.size(), false);
    row[left.first] = left.second;
    row[right.first] = right.second;
    chosen[left.first] = chosen[right.first] = true;
    for (size_t a = 0; a < axes.size(); ++a) {
      if (chosen[a]) continue;
      size_t most = 0;
      for (size_t k = 0; k < axes[a].size(); ++k) {
        const size_t i = (k + rows.size()) % axes[a].size();  // so that ties do not always go to the first
        size_t closed = k == 0 ? 1 : 0;
        for (size_t b = 0; b < axes.size(); ++b) closed += chosen[b] && open.Has(a, i, b, row[b]) ? 2 : 0;
        if (closed > most) {
          most = closed;
          row[a] = i;
        }
      }
      chosen[a] = true;
    }
    open.Close(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<Binding> Combine(const Recipe& recipe, Level level) {
  std::vector<Axis> axes = recipe.over;
  if (level == Level::kSmoke) {
    for (Axis& axis : axes) axis = EvenlySampled(axis, recipe.smoke);
  }
  const std::vector<Row> rows = level == Level::kSmoke    ? EachChoice(axes, 1)
                                : recipe.full.has_value() ? EachChoice(axes, *recipe.full)
                                                          : AllPairs(axes);
  std::vector<Binding> bindings;
  for (const Row& row : rows) {
    Binding& binding = bindings.emplace_back();
    binding.covers = recipe.covers;
    for (size_t a = 0; a < row.size(); ++a) {
      const Binding& value = axes[a][row[a]];
      for (const auto& [name, text] : value.values) binding.values.insert_or_assign(name, text);
      binding.covers.insert(binding.covers.end(), value.covers.begin(), value.covers.end());
    }
  }
  return bindings;
}

}  // namespace opbyop::generator
