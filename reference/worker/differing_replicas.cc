// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/differing_replicas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

namespace opbyop::reference {
namespace {

bool IsNan(const Tensor& t, int64_t i) {
  const auto at = static_cast<size_t>(i);
  if (t.kind() == ElementKind::kFloat) return std::isnan(t.data<double>()[at]);
  if (t.kind() != ElementKind::kComplex) return false;
  const Complex v = t.data<Complex>()[at];
  return std::isnan(v.real()) || std::isnan(v.imag());
}

// The first element in which the two differ. `expected` is the reference's value of both.
std::optional<int64_t> FirstDifference(const Tensor& expected, std::span<const std::byte> a,
                                       std::span<const std::byte> b) {
  const auto width = static_cast<size_t>(StoredBytes(expected.type()));
  for (size_t at = 0; a.size() == b.size() && at < a.size();) {
    at = static_cast<size_t>(std::ranges::mismatch(a.subspan(at), b.subspan(at)).in1 - a.begin());
    if (at == a.size()) break;
    const auto element = static_cast<int64_t>(at / width);
    if (!IsNan(expected, element)) return element;
    at = static_cast<size_t>(element + 1) * width;
  }
  return std::nullopt;
}

std::string TextAt(const Tensor& expected, std::span<const std::byte> bytes, int64_t element) {
  const auto width = static_cast<size_t>(StoredBytes(expected.type()));
  const auto value = TensorFromBytes(expected.type(), {}, bytes.subspan(static_cast<size_t>(element) * width, width));
  return value ? ElementText(*value, 0) : "?";
}

}  // namespace

Expected<std::string> FindDifferingReplicas(const Grid& grid, const Values& results,
                                            const std::function<Expected<NpyFile>(size_t number)>& read) {
  const size_t of_each = results.size() / static_cast<size_t>(grid.processes());
  std::map<const Bound*, size_t> first;  // the first result with this bound, which results of one value share
  for (size_t number = 0; number < results.size(); ++number) {
    if (!results[number].is_tensor()) continue;
    const Tensor& expected = results[number].tensor();
    if (!expected.bound()) continue;  // every bit of it has been compared
    const auto [known, is_new] = first.try_emplace(expected.bound().get(), number);
    if (is_new || !expected.IsSameValueAs(results[known->second].tensor())) continue;
    const Expected<NpyFile> own = read(number);
    if (!own) return Unexpected(own.error());
    const Expected<NpyFile> other = read(known->second);
    if (!other) return Unexpected(other.error());
    const std::optional<int64_t> element = FirstDifference(expected, own->bytes(), other->bytes());
    if (!element) continue;
    return fmt::format(
        "process {}, output {}[{}]: got {}, process {} got {}, and both are the sum of one group: "
        "`sums_of_replicas: may_differ` of the target's file declares that a device adds up in "
        "another order on each process",
        number / of_each, number % of_each, fmt::join(IndexOf(*element, expected.shape()), ","),
        TextAt(expected, own->bytes(), *element), known->second / of_each, TextAt(expected, other->bytes(), *element));
  }
  return std::string();
}

}  // namespace opbyop::reference
