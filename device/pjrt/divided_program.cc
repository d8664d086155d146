// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/pjrt/divided_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <protozero/exception.hpp>
#include <protozero/pbf_message.hpp>
#include <utility>

#include "support/wire_type.h"

namespace opbyop::pjrt {
namespace {

// Field numbers of xla/service/hlo.proto and xla/xla_data.proto.
enum class WithConfig : protozero::pbf_tag_type { kModule = 1 };
enum class Module : protozero::pbf_tag_type { kShape = 4, kResultSharding = 12, kArgumentSharding = 14 };
enum class Signature : protozero::pbf_tag_type { kArgument = 1, kResult = 2 };
enum class Shape : protozero::pbf_tag_type { kType = 2, kDimensions = 3, kElement = 4 };
enum class Sharding : protozero::pbf_tag_type {
  kType = 1,
  kTiles = 3,
  kDevices = 4,
  kElement = 5,
  kReplicatesLast = 6,
  kLastTiles = 8,
  kIota = 9,
  kPermutation = 10
};

constexpr int32_t kTupleShape = 13;

// The types of an OpSharding.
constexpr int32_t kReplicated = 0;
constexpr int32_t kTupleSharding = 2;
constexpr int32_t kTiled = 3;

// Tuples in tuples: no program that a case becomes has more.
constexpr int kDeepest = 8;

using Numbers = std::vector<int64_t>;

Numbers NumbersOf(const protozero::iterator_range<protozero::pbf_reader::const_int64_iterator>& packed) {
  return {packed.begin(), packed.end()};
}

// The shapes of a result: several if it is a tuple.
std::vector<Numbers> ShapesOf(protozero::pbf_message<Shape> shape, int depth = 0) {
  std::vector<Numbers> elements;
  Numbers dimensions;
  int32_t type = 0;
  while (shape.next()) {
    switch (shape.tag_and_type()) {
      case Varint(Shape::kType):
        type = shape.get_enum();
        break;
      case Bytes(Shape::kDimensions):
        dimensions = NumbersOf(shape.get_packed_int64());
        break;
      case Bytes(Shape::kElement):
        if (depth == kDeepest) return {};
        std::ranges::move(ShapesOf(shape.get_message(), depth + 1), std::back_inserter(elements));
        break;
      default:
        shape.skip();
    }
  }
  if (type != kTupleShape) elements = {std::move(dimensions)};
  return elements;
}

// The texts of a result's sharding: several if it is a tuple. A sharding of another kind, such as one device's, has the
// text of its number.
std::vector<std::string> TextsOf(protozero::pbf_message<Sharding> sharding, int depth = 0) {
  std::vector<std::string> elements;
  Numbers tiles, devices, iota, permutation;
  int32_t type = kReplicated;
  bool replicates_last = false, has_last_tiles = false;
  while (sharding.next()) {
    switch (sharding.tag_and_type()) {
      case Varint(Sharding::kType):
        type = sharding.get_enum();
        break;
      case Bytes(Sharding::kTiles):
        tiles = NumbersOf(sharding.get_packed_int64());
        break;
      case Bytes(Sharding::kDevices):
        devices = NumbersOf(sharding.get_packed_int64());
        break;
      case Bytes(Sharding::kElement):
        if (depth == kDeepest) return {};
        std::ranges::move(TextsOf(sharding.get_message(), depth + 1), std::back_inserter(elements));
        break;
      case Varint(Sharding::kReplicatesLast):
        replicates_last = sharding.get_bool();
        break;
      case Bytes(Sharding::kLastTiles):
        has_last_tiles = true;
        sharding.skip();
        break;
      case Bytes(Sharding::kIota):
        iota = NumbersOf(sharding.get_packed_int64());
        break;
      case Bytes(Sharding::kPermutation): {
        const auto packed = sharding.get_packed_int32();
        permutation.assign(packed.begin(), packed.end());
        break;
      }
      default:
        sharding.skip();
    }
  }
  if (type == kTupleSharding) return elements;
  if (type == kReplicated) return {"{replicated}"};
  if (type != kTiled || has_last_tiles) return {fmt::format("{{sharding of type {}}}", type)};
  std::string order = fmt::format("{}", fmt::join(devices, ","));
  if (!iota.empty()) order = fmt::format("<=[{}]", fmt::join(iota, ","));
  if (permutation.size() > 1) order += fmt::format("T({})", fmt::join(permutation, ","));
  return {fmt::format("{{devices=[{}]{}{}}}", fmt::join(tiles, ","), order,
                      replicates_last ? " last_tile_dim_replicate" : "")};
}

std::vector<DividedTensor> Pair(std::vector<Numbers> shapes, std::vector<std::string> shardings) {
  std::vector<DividedTensor> tensors;
  tensors.reserve(shapes.size());
  const bool are_stated = shapes.size() == shardings.size();
  for (size_t i = 0; i < shapes.size(); ++i) {
    tensors.push_back({std::move(shapes[i]), are_stated ? std::move(shardings[i]) : std::string()});
  }
  return tensors;
}

Expected<DividedProgram> ReadModule(protozero::pbf_message<Module> module) {
  std::vector<Numbers> arguments, results;
  std::vector<std::string> argument_texts, result_texts;
  bool has_signature = false;
  while (module.next()) {
    switch (module.tag_and_type()) {
      case Bytes(Module::kShape): {
        has_signature = true;
        protozero::pbf_message<Signature> signature = module.get_message();
        while (signature.next()) {
          if (signature.tag_and_type() == Bytes(Signature::kArgument)) {
            std::ranges::move(ShapesOf(signature.get_message()), std::back_inserter(arguments));
          } else if (signature.tag_and_type() == Bytes(Signature::kResult)) {
            results = ShapesOf(signature.get_message());
          } else {
            signature.skip();
          }
        }
        break;
      }
      case Bytes(Module::kResultSharding):
        result_texts = TextsOf(module.get_message());
        break;
      case Bytes(Module::kArgumentSharding):
        std::ranges::move(TextsOf(module.get_message()), std::back_inserter(argument_texts));
        break;
      default:
        module.skip();
    }
  }
  if (!has_signature) {
    return MakeError(ExitCode::kUnsupported, "the plugin's optimized program does not say the shapes of its arguments");
  }
  return DividedProgram{Pair(std::move(arguments), std::move(argument_texts)),
                        Pair(std::move(results), std::move(result_texts))};
}

}  // namespace

Expected<DividedProgram> ReadDividedProgram(const Program& program) {
  try {
    if (program.format == "hlo") return ReadModule(protozero::pbf_message<Module>(program.code));
    if (program.format == "hlo_with_config") {
      protozero::pbf_message<WithConfig> with_config(program.code);
      if (with_config.next(WithConfig::kModule, protozero::pbf_wire_type::length_delimited)) {
        return ReadModule(with_config.get_message());
      }
    }
  } catch (const protozero::exception& error) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("the plugin's optimized program is no protocol buffer: {}", error.what()));
  }
  return MakeError(
      ExitCode::kUnsupported,
      fmt::format("the plugin's optimized program has the format '{}', and how it divides its arguments is "
                  "read from hlo and hlo_with_config only",
                  program.format));
}

}  // namespace opbyop::pjrt
