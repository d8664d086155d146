// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/summary/shared_traits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "support/text/count_text.h"

namespace opbyop::reports {
namespace {

constexpr int64_t kFewestRows = 3;
constexpr size_t kFewestCases = 2;
constexpr int64_t kLongDimension = int64_t{1} << 16;

// Sizes of vectors and tiles, smallest first: a size that is no multiple of the first is none of the others.
constexpr std::array<int64_t, 3> kTiles = {8, 32, 128};

constexpr std::string_view kEmpty = "an empty tensor";
constexpr std::string_view kScalars = "scalars alone";
constexpr std::string_view kLong = "a dimension above ";
constexpr std::string_view kNoMultiple = "an innermost dimension that is no multiple of ";
constexpr std::string_view kOfRank = "a tensor of rank ";

void AddShape(const std::vector<int64_t>& shape, std::set<std::string>& classes) {
  classes.insert(shape.empty() ? std::string("a scalar") : fmt::format("{}{}", kOfRank, shape.size()));
  if (std::ranges::find(shape, 0) != shape.end()) classes.insert(std::string(kEmpty));
  if (std::ranges::any_of(shape, [](int64_t d) { return d > kLongDimension; })) {
    classes.insert(fmt::format("{}{}", kLong, Grouped(kLongDimension)));
  }
  // A single element cannot be divided.
  if (shape.empty() || shape.back() <= 1) return;
  for (const int64_t tile : kTiles) {
    if (shape.back() % tile != 0) classes.insert(fmt::format("{}{}", kNoMultiple, tile));
  }
}

// How many shapes a class covers, the fewest first. Of two classes that separate the rows equally well, the narrower is
// reported.
size_t BreadthOf(const std::string& what) {
  std::vector<std::string> classes = {std::string(kEmpty), std::string(kScalars), std::string(kLong)};
  for (const int64_t tile : kTiles) classes.push_back(fmt::format("{}{}", kNoMultiple, tile));
  classes.emplace_back(kOfRank);
  const auto is_of = [&](const std::string& name) { return what.starts_with(name); };
  return static_cast<size_t>(std::ranges::find_if(classes, is_of) - classes.begin());
}

}  // namespace

CaseTraits TraitsOf(const Case& c) {
  std::set<std::string> types, shapes;
  bool only_scalars = true;
  const auto add = [&](const TensorType& type) {
    types.insert(type.dtype);
    AddShape(type.shape, shapes);
    only_scalars &= type.shape.empty();
  };
  for (const TensorType& type : c.inputs) add(type);
  for (const TensorType& type : c.outputs) add(type);
  if (only_scalars && !types.empty()) shapes.insert(std::string(kScalars));
  return {{types.begin(), types.end()}, {shapes.begin(), shapes.end()}};
}

std::string SharedText(const SharedTrait& shared, size_t ops) {
  const std::string of = ops == 1 ? "of the op" : "of these ops";
  const std::string others = shared.passing == 1 ? fmt::format("the only row {} that passes", of)
                                                 : fmt::format("{} rows {} that pass", Grouped(shared.passing), of);
  std::string text = fmt::format("all {} have {}", Grouped(shared.red), shared.what);
  if (shared.passing_with > 0) return fmt::format("{}, as have {} of {}", text, Grouped(shared.passing_with), others);
  return shared.passing == 1 ? fmt::format("{}, and {} has not", text, others)
                             : fmt::format("{}, and none of {}", text, others);
}

SharedTraits::SharedTraits(const View& view) : view_(view) {
  // Ops without a red row are left out.
  std::set<std::string_view> red;
  for (const RowResult& row : view.rows) {
    if (IsProblem(row.status)) red.insert(row.op);
  }
  for (const RowResult& row : view.rows) {
    const bool passes = row.status == Status::kPass;
    if (!red.contains(row.op) || !(passes || IsProblem(row.status))) continue;
    const auto [numbers, is_new] = of_case_.try_emplace(row.case_index);
    if (is_new) numbers->second = NumbersOf(*row.c);
    if (!passes) continue;
    Passing& passing = passing_[row.op];
    ++passing.rows;
    for (const uint32_t number : numbers->second) ++passing.with[number];
  }
}

SharedTraits::Numbers SharedTraits::NumbersOf(const Case& c) {
  Numbers numbers;
  const auto add = [&](bool is_type, const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace({is_type, name}, static_cast<uint32_t>(names_.size()));
    if (is_new) {
      names_.push_back(name);
      is_type_.push_back(is_type);
    }
    numbers.push_back(at->second);
  };
  const CaseTraits traits = TraitsOf(c);
  for (const std::string& type : traits.types) add(true, type);
  for (const std::string& shape : traits.shapes) add(false, shape);
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<SharedTrait> SharedTraits::Of(const std::vector<const RowResult*>& red) const {
  if (static_cast<int64_t>(red.size()) < kFewestRows) return {};
  std::set<size_t> cases;
  std::set<std::string> ops;
  Numbers common = Of(*red.front());
  for (const RowResult* row : red) {
    ops.insert(row->op);
    if (!cases.insert(row->case_index).second) continue;
    Numbers both;
    std::ranges::set_intersection(common, Of(*row), std::back_inserter(both));
    common = std::move(both);
  }
  if (cases.size() < kFewestCases) return {};
  std::vector<SharedTrait> best;
  for (const uint32_t number : common) {
    SharedTrait shared = {.what = names_[number], .is_type = is_type_[number], .red = static_cast<int64_t>(red.size())};
    for (const std::string& op : ops) {
      const auto passing = passing_.find(op);
      if (passing == passing_.end()) continue;
      shared.passing += passing->second.rows;
      const auto with = passing->second.with.find(number);
      if (with != passing->second.with.end()) shared.passing_with += with->second;
    }
    const int64_t without = shared.passing - shared.passing_with;
    if (without == 0 || (!shared.is_type && without <= shared.passing_with)) continue;
    const auto same_kind = std::ranges::find(best, shared.is_type, &SharedTrait::is_type);
    if (same_kind == best.end()) {
      best.push_back(std::move(shared));
    } else if (std::pair(shared.passing_with, BreadthOf(shared.what)) <
               std::pair(same_kind->passing_with, BreadthOf(same_kind->what))) {
      *same_kind = std::move(shared);
    }
  }
  std::ranges::sort(best, [](const SharedTrait& a, const SharedTrait& b) { return a.is_type > b.is_type; });
  return best;
}

std::vector<std::string> SharedTraits::Sentences() const {
  std::map<std::string, std::vector<const RowResult*>> by_op;
  std::vector<const RowResult*> all;
  for (const RowResult& row : view_.rows) {
    if (!IsProblem(row.status)) continue;
    by_op[row.op].push_back(&row);
    all.push_back(&row);
  }
  std::vector<std::tuple<int64_t, bool, std::string>> sentences;  // most rows first; types before shapes
  for (const auto& [op, rows] : by_op) {
    for (const SharedTrait& shared : Of(rows)) {
      sentences.emplace_back(-shared.red, !shared.is_type,
                             fmt::format("{}: of its red rows {}", op, SharedText(shared)));
    }
  }
  std::ranges::sort(sentences);
  std::vector<std::string> texts;
  for (auto& [rows, is_shape, text] : sentences) texts.push_back(std::move(text));
  if (by_op.size() > 1) {
    for (const SharedTrait& shared : Of(all)) {
      texts.push_back(fmt::format("of the red rows of all ops {}", SharedText(shared, by_op.size())));
    }
  }
  return texts;
}

}  // namespace opbyop::reports
