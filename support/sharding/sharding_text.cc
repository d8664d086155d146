// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/sharding/sharding_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "support/text/safe_text.h"

namespace opbyop {
namespace {

using Numbers = std::vector<int64_t>;

constexpr std::string_view kReplicatedRest = " last_tile_dim_replicate";

bool TakeFront(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool TakeIntegers(std::string_view& text, Numbers& list) {
  do {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), list.emplace_back());
    if (error != std::errc() || list.back() < 0) return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  } while (TakeFront(text, ","));
  return true;
}

bool TakeBracketed(std::string_view& text, std::string_view open, std::string_view close, Numbers& list) {
  return TakeFront(text, open) && TakeIntegers(text, list) && TakeFront(text, close);
}

// "<=[2,4]T(1,0)": the numbers 0 to 7 in that shape, transposed.
bool TakeIota(std::string_view& text, Numbers& ids) {
  Numbers sizes;
  Numbers order;
  if (!TakeFront(text, "<=") || !TakeBracketed(text, "[", "]", sizes)) return false;
  const std::optional<int64_t> count = DeviceCount(sizes);
  if (!count) return false;
  if (TakeFront(text, "T")) {
    if (!TakeBracketed(text, "(", ")", order)) return false;
  } else {
    order.resize(sizes.size());
    std::iota(order.begin(), order.end(), 0);
  }
  Numbers sorted = order;
  std::ranges::sort(sorted);
  if (order.size() != sizes.size()) return false;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) return false;
  }
  Numbers strides(sizes.size(), 1);
  for (size_t i = sizes.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * sizes[i + 1];
  ids.assign(static_cast<size_t>(*count), 0);
  int64_t repeats = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const auto at = static_cast<size_t>(*axis);
    for (size_t i = 0; i < ids.size(); ++i) ids[i] += static_cast<int64_t>(i) / repeats % sizes[at] * strides[at];
    repeats *= sizes[at];
  }
  return true;
}

// The axes along which device ids at the positions 0, 1, ... of a dimension lie; nullopt if they are no digits.
std::optional<Axes> AxesOf(std::span<const int64_t> ids) {
  Axes minor_first;
  Numbers rest(ids.begin(), ids.end());
  while (rest.size() > 1) {
    const int64_t stride = rest[1] - rest[0];
    size_t run = 1;
    while (run < rest.size() && rest[run] == rest[0] + static_cast<int64_t>(run) * stride) ++run;
    if (stride <= 0 || rest.size() % run != 0) return std::nullopt;
    Numbers firsts;
    for (size_t i = 0; i < rest.size(); i += run) {
      for (size_t k = 0; k < run; ++k) {
        if (rest[i + k] != rest[i] + static_cast<int64_t>(k) * stride) return std::nullopt;
      }
      firsts.push_back(rest[i]);
    }
    minor_first.push_back({stride, static_cast<int64_t>(run)});
    rest = std::move(firsts);
  }
  Axes axes;
  for (auto axis = minor_first.rbegin(); axis != minor_first.rend(); ++axis) AppendAxis(axes, *axis);
  return axes;
}

// "devices=[2,4]<=[8]" and what may follow it, without the braces.
std::optional<Sharding> ReadTiles(std::string_view text, size_t rank) {
  Numbers tiles;
  Numbers ids;
  if (!TakeFront(text, "devices=") || !TakeBracketed(text, "[", "]", tiles)) return std::nullopt;
  if (!(text.starts_with("<=") ? TakeIota(text, ids) : TakeIntegers(text, ids))) return std::nullopt;
  const bool replicated = text == kReplicatedRest || text == " last_tile_dims={replicated}";
  if (!replicated && !text.empty()) return std::nullopt;
  const std::optional<int64_t> count = DeviceCount(tiles);
  if (tiles.size() != rank + (replicated ? 1 : 0) || !count || ids.size() != static_cast<size_t>(*count)) {
    return std::nullopt;
  }
  Sharding sharding;
  Numbers expected(1, 0);  // the ids, if each tile dimension adds its own part to them
  int64_t repeats = *count;
  for (const int64_t tile : tiles) {
    repeats /= tile;
    Numbers along;
    for (int64_t i = 0; i < tile; ++i) along.push_back(ids[static_cast<size_t>(i * repeats)] - ids[0]);
    std::optional<Axes> axes = AxesOf(along);
    if (!axes) return std::nullopt;
    sharding.emplace_back(std::move(axes));
    Numbers next;
    for (const int64_t base : expected) {
      for (const int64_t offset : along) next.push_back(base + offset);
    }
    expected = std::move(next);
  }
  if (ids[0] != 0 || expected != ids) return std::nullopt;
  sharding.resize(rank);
  return sharding;
}

// The place values of a number system of which all axes are digits, least first, and the number of devices behind them;
// empty if there is none.
Numbers PlacesOf(const Division& division, int64_t devices) {
  Numbers places = {1, devices};
  for (const Axes& axes : division) {
    for (const Axis& axis : axes) places.insert(places.end(), {axis.stride, axis.stride * axis.size});
  }
  std::ranges::sort(places);
  const auto repeated = std::ranges::unique(places);
  places.erase(repeated.begin(), repeated.end());
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i] % places[i - 1] != 0) return {};
  }
  return places.back() == devices ? places : Numbers();
}

// "<=[2,4]T(1,0)", of digits in the order of the tiles.
std::string IotaText(const Numbers& sizes, const Numbers& order) {
  Numbers merged;           // sizes, major first
  Numbers place_of;         // in `merged`, of each digit
  std::vector<bool> joins;  // whether a digit continues the one before it
  for (size_t digit = 0; digit < sizes.size(); ++digit) {
    const auto at = std::ranges::find(order, static_cast<int64_t>(digit));
    joins.push_back(at != order.begin() && *(at - 1) == static_cast<int64_t>(digit) - 1);
    if (joins.back()) {
      merged.back() *= sizes[digit];
    } else {
      merged.push_back(sizes[digit]);
    }
    place_of.push_back(static_cast<int64_t>(merged.size()) - 1);
  }
  if (merged.size() == 1) return fmt::format("<=[{}]", merged[0]);
  Numbers shown;
  for (const int64_t digit : order) {
    if (!joins[static_cast<size_t>(digit)]) shown.push_back(place_of[static_cast<size_t>(digit)]);
  }
  return fmt::format("<=[{}]T({})", fmt::join(merged, ","), fmt::join(shown, ","));
}

std::string ListText(const Division& division, int64_t devices) {
  // The devices in the order of their parts; those with the same parts follow each other.
  Numbers ids(static_cast<size_t>(devices));
  std::iota(ids.begin(), ids.end(), 0);
  std::ranges::sort(ids, {}, [&](int64_t device) {
    Numbers key;
    for (const Axes& axes : division) key.push_back(PartOf(axes, device));
    key.push_back(device);
    return key;
  });
  return fmt::format("{}", fmt::join(ids, ","));
}

}  // namespace

Expected<Sharding> ParseSharding(std::string_view text, size_t rank) {
  if (text.empty()) return Sharding(rank, Axes());  // an OpSharding message of default values: replicated
  const bool braced = text.size() >= 2 && text.front() == '{' && text.back() == '}';
  const std::string_view inside = braced ? text.substr(1, text.size() - 2) : text;
  if (braced && (inside == "manual" || inside == "unknown")) return Sharding{};
  if (braced && (inside == "replicated" || inside.starts_with("maximal "))) return Sharding(rank, Axes());
  if (std::optional<Sharding> tiles = braced ? ReadTiles(inside, rank) : std::nullopt) return std::move(*tiles);
  // Old exports hold a serialized message instead of text.
  return MakeError(ExitCode::kUnsupported,
                   fmt::format("mhlo.sharding = \"{}\" is not understood, for a tensor of rank {}; expected tiles such "
                               "as {{devices=[2,4]<=[8]}}, whose devices differ in digits of their numbers",
                               SafeText(text), rank));
}

Expected<Division> ParseDivision(std::string_view text, size_t rank, int64_t devices) {
  const Expected<Sharding> read = ParseSharding(text, rank);
  if (read && read->size() == rank && std::ranges::all_of(*read, [](const auto& axes) { return axes.has_value(); })) {
    Division division;
    for (const std::optional<Axes>& axes : *read) division.push_back(*axes);
    if (ToText(division, devices) == text) return division;
  }
  return MakeError(ExitCode::kBadInput,
                   fmt::format("'{}' is no sharding of a tensor of rank {} on {} devices, in its canonical form; "
                               "expected one such as {{devices=[2,4]<=[8]}}",
                               SafeText(text), rank, devices));
}

std::string ToText(const Division& division, int64_t devices) {
  if (IsWhole(division)) return "{replicated}";
  Numbers tiles;
  int64_t parts = 1;
  for (const Axes& axes : division) {
    tiles.push_back(PartsOf(axes));
    parts *= tiles.back();
  }
  const bool replicated = parts < devices;
  if (replicated) tiles.push_back(devices / parts);
  const std::string_view rest = replicated ? kReplicatedRest : "";
  const Numbers places = PlacesOf(division, devices);
  if (places.empty()) {
    return fmt::format("{{devices=[{}]{}{}}}", fmt::join(tiles, ","), ListText(division, devices), rest);
  }
  Numbers sizes;  // of the digits, major first
  for (size_t i = places.size() - 1; i > 0; --i) sizes.push_back(places[i] / places[i - 1]);
  Numbers order;
  const auto digit_of = [&](size_t place) { return static_cast<int64_t>(places.size() - 2 - place); };
  for (const Axes& axes : division) {
    for (const Axis& axis : axes) {
      for (size_t place = places.size() - 1; place-- > 0;) {
        if (places[place] >= axis.stride && places[place] < axis.stride * axis.size) order.push_back(digit_of(place));
      }
    }
  }
  for (int64_t digit = 0; digit < static_cast<int64_t>(sizes.size()); ++digit) {
    if (std::ranges::find(order, digit) == order.end()) order.push_back(digit);
  }
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(tiles, ","), IotaText(sizes, order), rest);
}

}  // namespace opbyop
