// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ways in which an op can be divided over the devices of a mesh of two axes, x and y. They follow from the op's
// sharding rule (ir/sharding/sharding_rule.h); without a rule, dimensions of one size in one place correspond.
//
//   const Mesh mesh{.rows = 2, .columns = 4};
//   const Divided divided = Divide(Way::kContracting, dot, mesh);
//   // divided.divisions[0].operands[0] == {{}, {{.stride = 1, .size = 4}}}; else divided.reason says why there is none
#ifndef OPBYOP_GENERATOR_SUITE_MESH_WAYS_H_
#define OPBYOP_GENERATOR_SUITE_MESH_WAYS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/IR/Operation.h"
#include "support/sharding/axes.h"

namespace opbyop::generator {

struct Mesh {
  int64_t rows = 1;     // devices along x
  int64_t columns = 1;  // devices along y, which are neighbours

  int64_t devices() const { return rows * columns; }
  Axes X() const;  // empty if the axis has one device
  Axes Y() const;
  std::string Text() const;  // "2x4"
};

inline constexpr int64_t kMostMeshDevices = 4096;  // of the largest topologies that are compiled for

// Reads "2x4". nullopt if the text has another form, or fewer than 2 or more than kMostMeshDevices devices.
std::optional<Mesh> ParseMesh(std::string_view text);

enum class Way {
  kBatch,                // a dimension of several operands and of the result
  kResult,               // a dimension of one operand and of the result, or of the result alone
  kContracting,          // a dimension that the op combines
  kOperandsDifferently,  // two operands, each over another axis
  kPartialReplication,   // over a part of an axis; the other devices have copies
  kTwoAxes,              // one dimension over both axes, in both orders
  kOneAxisTwice,         // two dimensions over the two parts of one axis
  kWhole,                // a dimension of which the op needs all in one place
  kResharded,            // the result in another way than the operands
  kUneven,               // a dimension into parts of which the last are smaller, or empty
};
inline constexpr std::array kWays = {
    Way::kBatch,   Way::kResult,       Way::kContracting, Way::kOperandsDifferently, Way::kPartialReplication,
    Way::kTwoAxes, Way::kOneAxisTwice, Way::kWhole,       Way::kResharded,           Way::kUneven};

// "batch", "both operands differently"
std::string_view ToString(Way way);

struct OpDivision {
  std::vector<Division> operands;  // empty for a value that is no tensor
  std::vector<Division> results;

  friend bool operator==(const OpDivision&, const OpDivision&) = default;
};

struct Divided {
  std::vector<OpDivision> divisions;
  std::string reason;  // why there are none
};

// Only operands that are arguments are divided. A dimension is if its size is a multiple of the number of devices, or with
// kUneven if it is no multiple of the devices along y.
Divided Divide(Way way, mlir::Operation* op, const Mesh& mesh);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_MESH_WAYS_H_
