// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds what the ops that read an argument of a program demand of its elements.
//
//   InputRole role = RoleOfArgument(main.getArgument(0));
#ifndef OPBYOP_REFERENCE_INPUTS_INPUT_ROLE_H_
#define OPBYOP_REFERENCE_INPUTS_INPUT_ROLE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Value.h"
#include "reference/eval/region_form.h"
#include "reference/inputs/lines.h"
#include "reference/inputs/shape_operand.h"
#include "reference/inputs/sparse_pattern.h"

namespace opbyop::reference {

// The elements are positions in another tensor, one for each component of an index vector.
struct IndexRole {
  std::vector<int64_t> limits;   // component c lies in [0, limits[c]]
  int64_t component_stride = 0;  // elements between components; 0 for scalar indices
  int64_t component_count = 1;
  bool unique = false;  // no two index vectors are equal
  // If index vectors must be sorted: the components in the order in which vectors are compared, which is that of the
  // operand's dimensions. Else empty.
  std::vector<size_t> sorted_by;

  // The limit of element number `element` of the indices.
  int64_t LimitOf(size_t element) const {
    if (limits.empty()) return 0;
    const size_t component =
        component_stride == 0 ? 0
                              : static_cast<size_t>(static_cast<int64_t>(element) / component_stride % component_count);
    return limits[std::min(component, limits.size() - 1)];
  }
};

enum class Matrix { kNone, kPositiveDefinite, kTriangular, kUnitTriangular };

// A range of integers from -kEveryBit to kEveryBit is unlimited: every bit is drawn.
inline constexpr double kEveryBit = 0x1p64;

struct InputRole {
  double low = -2;
  double high = 2;
  double away = 0;       // |x| is at least this
  double epsilon = 0;    // for a variance: the constant added to it, which matters if the variance is as small
  int64_t feature = 0;   // for the argument of a normalization: elements of one feature that follow each other
  int64_t features = 1;  // the number of features, each of which has its own variance
  bool ranged = false;   // an op demands low and high
  bool distinct = false;
  bool stable = false;    // with `distinct`: equal elements have a defined order, so that policies may draw them
  double grid = 0;        // values are multiples of this, so that some are equal: compare
  bool holds = false;     // predicates that must be true
  bool specials = false;  // some are NaN or infinite: is_finite
  Matrix matrix = Matrix::kNone;
  std::optional<IndexRole> index;
  std::vector<ElementRange> elements;  // for a shape: the range of each element
  // The specification leaves the result open below `least`, above `most`, and at zero if `nonzero`. No policy draws
  // such values.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool nonzero = false;
  // The argument is the initial value of a reduction by this function, and is drawn as its identity. The specification
  // leaves open how often any other value enters the result.
  std::optional<Combine> initial;
  bool whole = false;   // integers only, as for the order of a derivative
  bool amount = false;  // amounts of a shift: below the width
  // The greatest number of elements that go into one element of a result. 1 if elements are taken one by one, or moved.
  int64_t elements_per_result = 1;
  bool alone = false;                 // the program is the one op that reads it
  std::optional<SparsePattern> sums;  // its elements are added up
  std::optional<Lines> lines;         // they are combined, picked or sorted

  // Whether the specification defines the result for this value.
  bool IsSpecified(double value) const {
    if (std::isnan(value)) return std::isinf(least) && std::isinf(most) && !whole;
    return value >= least && value <= most && !(nonzero && value == 0) && !(whole && value != std::rint(value));
  }

  // Whether an element may be zero.
  bool TakesZero() const {
    return !distinct && grid == 0 && !specials && matrix == Matrix::kNone && !index && elements.empty() && away == 0 &&
           low <= 0 && high >= 0;
  }
};

// The demand of a definition of a custom call on an operand, as the ops that read it may not show.
struct DeclaredInput {
  Matrix matrix = Matrix::kNone;
  // The least and the greatest value. No policy draws others.
  std::optional<std::pair<double, double>> range;
};

// The attribute that has it, of a function's argument: "triangular", "positive_definite" or [least, greatest], as
// integers or floats (reference/meanings/meanings.h). A call has an array of them, and of units for operands of which
// nothing is demanded.
inline constexpr char kInputAttribute[] = "opbyop.input";

// Returns nullopt if the attribute is null or has no such value.
std::optional<DeclaredInput> DeclaredInputOf(mlir::Attribute attribute);
mlir::Attribute ToAttribute(const DeclaredInput& declared, mlir::MLIRContext* context);

// Returns nullopt if no matrix that can be declared has this name.
std::optional<Matrix> MatrixNamed(std::string_view name);

// Follows the argument through reshapes, broadcasts, conversions and calls to the ops that compute with it.
InputRole RoleOfArgument(mlir::Value argument);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_INPUTS_INPUT_ROLE_H_
