// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ir/bytecode/bytecode_rows.h"

#include <algorithm>
#include <vector>

#include "ir/bytecode/bytecode_cursor.h"

namespace opbyop {
namespace {

constexpr char kAbsent = '\x01';  // encodes an absent optional attribute, and the length of an empty list
constexpr uint64_t kGather = 7, kScatter = 11;
constexpr size_t kListsBefore = 2, kListsOfShortForm = 3;

// An optional attribute was added at `place` of a row that had `numbers` numbers before.
struct AddedNumber {
  std::string_view op;
  size_t numbers;
  size_t place;
};
constexpr AddedNumber kAddedNumbers[] = {
    {"chlo.top_k", 1, 0},                      // is_stable, 1.19
    {"sdy.all_reduce", 2, 2},                  // reduction_op
    {"sdy.reduce_scatter", 2, 2},              // reduction_op
    {"stablehlo.collective_broadcast", 2, 1},  // has_dynamic_root, 1.20
    {"stablehlo.custom_call", 8, 8},           // result_tilings, 1.18
    {"stablehlo.dot_general", 2, 0},           // algorithm, 1.6
    {"stablehlo.recv", 2, 2},                  // source_target_pairs, 1.12
    {"stablehlo.send", 2, 2},                  // source_target_pairs, 1.12
};

// Builtin types that have codes since MLIR 23, in the order of the codes.
constexpr uint64_t kFirstSmallFloat = 21;
constexpr std::string_view kSmallFloats[] = {"tf32",       "f8E5M2",     "f8E4M3",        "f8E4M3FN",
                                             "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E3M4",
                                             "f4E2M1FN",   "f6E2M3FN",   "f6E3M2FN",      "f8E8M0FNU"};

// Returns the place of each number in `bytes`, and the end. Returns nullopt if the bytes are not all numbers.
std::optional<std::vector<size_t>> PlacesOfNumbers(std::string_view bytes) {
  std::vector<size_t> places;
  BytecodeCursor cursor(bytes);
  while (!cursor.empty()) {
    places.push_back(bytes.size() - cursor.size());
    if (!cursor.VarInt()) return std::nullopt;
  }
  places.push_back(bytes.size());
  return places;
}

std::string With(std::string_view bytes, size_t place, size_t count) {
  std::string text(bytes);
  text.insert(place, count, kAbsent);
  return text;
}

// Moves the cursor past an array in the form in which MLIR stores the sizes of segments: a count, then all elements or,
// if few are not 0, only these.
bool SkipSegments(BytecodeCursor& cursor) {
  const auto head = cursor.VarIntWithFlag();
  if (!head || !cursor.Holds(head->value)) return false;
  uint64_t numbers = head->value;
  // In the short form the number of bits of an index comes before the elements.
  if (head->flag && numbers > 0) ++numbers;
  for (uint64_t i = 0; i < numbers; ++i) {
    if (!cursor.VarInt()) return false;
  }
  return true;
}

// A row of chlo.scan has dimension, is_associative, is_reverse, scan_dim_size (since 1.16.2), and the segments of
// operands and results. The segments are sizes after scan_dim_size; in version 5 of bytecode they are two attributes
// before it. At the place of scan_dim_size an older row has the count of the two sizes, which is even. An optional
// attribute is never written as an even number.
std::optional<std::string> CurrentScanRow(uint64_t bytecode_version, std::string_view row,
                                          const std::vector<size_t>& places) {
  constexpr size_t kBefore = 3, kNumbersOfVersion5 = 5;
  const size_t numbers = places.size() - 1;
  if (bytecode_version < 6) {
    return numbers == kNumbersOfVersion5 ? std::optional(With(row, row.size(), 1)) : std::nullopt;
  }
  if (numbers <= kBefore) return std::nullopt;
  const auto are_segments = [&](size_t place) {
    BytecodeCursor cursor(row.substr(place));
    return SkipSegments(cursor) && SkipSegments(cursor) && cursor.empty();
  };
  const uint64_t head = *BytecodeCursor(row.substr(places[kBefore])).VarInt();
  const bool is_old =
      head != 0 && are_segments(places[kBefore]) && (head % 2 == 0 || !are_segments(places[kBefore + 1]));
  return is_old ? std::optional(With(row, places[kBefore], 1)) : std::nullopt;
}

}  // namespace

std::optional<std::string> CurrentRow(std::string_view op, uint64_t bytecode_version, std::string_view row) {
  const bool is_scan = op == "chlo.scan";
  const AddedNumber* added = std::ranges::find(kAddedNumbers, op, &AddedNumber::op);
  if (!is_scan && added == std::end(kAddedNumbers)) return std::nullopt;
  const std::optional<std::vector<size_t>> places = PlacesOfNumbers(row);
  if (!places) return std::nullopt;
  if (is_scan) return CurrentScanRow(bytecode_version, row, *places);
  if (places->size() != added->numbers + 1) return std::nullopt;
  return With(row, (*places)[added->place], 1);
}

// Older dimension numbers of gather and scatter lack the two lists of batching dimensions, which are between the second
// and the third list.
std::optional<std::string> CurrentAttribute(std::string_view dialect, std::string_view entry) {
  if (dialect != "stablehlo") return std::nullopt;
  BytecodeCursor cursor(entry);
  const std::optional<uint64_t> code = cursor.VarInt();
  if (code != kGather && code != kScatter) return std::nullopt;
  size_t place = 0;
  for (size_t list = 0; list < kListsOfShortForm; ++list) {
    if (list == kListsBefore) place = entry.size() - cursor.size();
    const std::optional<uint64_t> count = cursor.Count();
    for (uint64_t i = 0; count && i < *count; ++i) {
      if (!cursor.VarInt()) return std::nullopt;
    }
    if (!count) return std::nullopt;
  }
  const bool is_short = cursor.VarInt().has_value() && cursor.empty();
  return is_short ? std::optional(With(entry, place, 2)) : std::nullopt;
}

std::optional<std::string> TextOfType(std::string_view dialect, std::string_view entry) {
  if (dialect != "builtin") return std::nullopt;
  BytecodeCursor cursor(entry);
  const std::optional<uint64_t> code = cursor.VarInt();
  const bool is_small =
      code && cursor.empty() && *code >= kFirstSmallFloat && *code - kFirstSmallFloat < std::size(kSmallFloats);
  return is_small ? std::optional(std::string(kSmallFloats[*code - kFirstSmallFloat]) + '\0') : std::nullopt;
}

}  // namespace opbyop
