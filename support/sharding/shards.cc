// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/sharding/shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace opbyop {
namespace {

std::vector<int64_t> PartsOfDevice(const Division& division, int64_t device) {
  std::vector<int64_t> parts;
  for (const Axes& axes : division) parts.push_back(PartOf(axes, device));
  return parts;
}

std::vector<int64_t> IndexOf(int64_t element, std::span<const int64_t> shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = element % shape[i];
    element /= shape[i];
  }
  return index;
}

}  // namespace

std::vector<int64_t> ShardShape(std::span<const int64_t> shape, const Division& division) {
  std::vector<int64_t> local(shape.begin(), shape.end());
  for (size_t i = 0; i < local.size(); ++i) {
    const int64_t parts = PartsOf(division[i]);
    local[i] = local[i] / parts + (local[i] % parts != 0 ? 1 : 0);
  }
  return local;
}

bool CanDivide(std::span<const int64_t> shape, const Division& division) {
  if (shape.size() != division.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!division[i].empty() && shape[i] <= 0) return false;
  }
  return true;
}

bool DividesEvenly(std::span<const int64_t> shape, const Division& division) {
  if (!CanDivide(shape, division)) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] % PartsOf(division[i]) != 0) return false;
  }
  return true;
}

int64_t ShardedTensor::ShardBytes() const {
  int64_t bytes = element_bytes;
  for (const int64_t size : ShardShape(shape, division)) bytes *= size;
  return bytes;
}

template <typename Copy>
void ShardedTensor::EachRun(int64_t device, const Copy& copy) const {
  const std::vector<int64_t> local = ShardShape(shape, division);
  const std::vector<int64_t> parts = PartsOfDevice(division, device);
  std::vector<int64_t> own;  // the sizes of the part without its padding
  own.reserve(shape.size());
  for (size_t i = 0; i < shape.size(); ++i)
    own.push_back(std::clamp<int64_t>(shape[i] - parts[i] * local[i], 0, local[i]));
  if (std::ranges::find(own, 0) != own.end()) return;
  // The dimensions from `inner` on are whole, so that a row of dimension `inner - 1` is one run.
  size_t inner = shape.size();
  while (inner > 0 && division[inner - 1].empty()) --inner;
  int64_t element = element_bytes;  // of dimension `inner - 1`
  for (size_t i = inner; i < shape.size(); ++i) element *= shape[i];
  if (inner == 0) return copy(0, 0, element);
  const size_t last = inner - 1;
  const std::span outer(own.data(), last);
  int64_t runs = 1;
  for (const int64_t size : outer) runs *= size;
  for (int64_t number = 0; number < runs; ++number) {
    const std::vector<int64_t> index = IndexOf(number, outer);
    int64_t from = 0, to = 0;  // rows of the part and of the whole tensor
    for (size_t i = 0; i < last; ++i) {
      from = from * local[i] + index[i];
      to = to * shape[i] + parts[i] * local[i] + index[i];
    }
    copy(from * local[last] * element, (to * shape[last] + parts[last] * local[last]) * element, own[last] * element);
  }
}

std::vector<std::byte> ShardedTensor::Take(std::span<const std::byte> whole, int64_t device) const {
  std::vector<std::byte> part(static_cast<size_t>(ShardBytes()));
  if (!padding.empty() && !DividesEvenly(shape, division)) {
    for (size_t i = 0; i < part.size(); ++i) part[i] = padding[i % padding.size()];
  }
  EachRun(device, [&](int64_t to, int64_t from, int64_t bytes) {
    std::copy_n(whole.begin() + from, bytes, part.begin() + to);
  });
  return part;
}

Expected<void> ShardedTensor::Join(const std::vector<std::span<const std::byte>>& parts,
                                   std::span<std::byte> whole) const {
  std::map<std::vector<int64_t>, size_t> first_with;  // device, by the parts that it has
  std::optional<Error> differs;
  for (size_t device = 0; device < parts.size(); ++device) {
    const auto [first, is_new] = first_with.try_emplace(PartsOfDevice(division, static_cast<int64_t>(device)), device);
    EachRun(static_cast<int64_t>(device), [&](int64_t from, int64_t to, int64_t bytes) {
      const auto run = parts[device].subspan(static_cast<size_t>(from), static_cast<size_t>(bytes));
      const auto there = whole.subspan(static_cast<size_t>(to), static_cast<size_t>(bytes));
      if (is_new) {
        std::ranges::copy(run, there.begin());
        return;
      }
      const auto [own, other] = std::ranges::mismatch(run, there);
      if (differs || own == run.end()) return;
      const int64_t element = (to + (own - run.begin())) / element_bytes;
      differs = Error{ExitCode::kUnexpectedResult,
                      fmt::format("process {} has other bits than process {} for element [{}], which the sharding "
                                  "gives to both",
                                  device, first->second, fmt::join(IndexOf(element, shape), ", "))};
    });
  }
  if (differs) return Unexpected(*differs);
  return {};
}

int64_t ShardedTensor::DeviceOf(std::span<const int64_t> index, int64_t devices) const {
  const std::vector<int64_t> local = ShardShape(shape, division);
  std::vector<int64_t> wanted;
  wanted.reserve(local.size());
  for (size_t i = 0; i < local.size(); ++i) wanted.push_back(index[i] / local[i]);
  for (int64_t device = 0; device < devices; ++device) {
    if (PartsOfDevice(division, device) == wanted) return device;
  }
  return 0;
}

}  // namespace opbyop
