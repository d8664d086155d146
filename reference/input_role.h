// What the readers of a program's argument demand of its elements.
//
//   InputRole role = RoleOfArgument(main.getArgument(0));
#ifndef OPBYOP_REFERENCE_INPUT_ROLE_H_
#define OPBYOP_REFERENCE_INPUT_ROLE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "mlir/IR/Value.h"
#include "reference/shape_operand.h"
#include "reference/sparse_pattern.h"

namespace opbyop {

// Positions in another tensor, per component of an index vector.
struct IndexRole {
  std::vector<int64_t> limits;   // component c lies in [0, limits[c]]
  int64_t component_stride = 0;  // elements between components; 0 for scalar indices
  int64_t component_count = 1;
  bool unique = false;  // no two index vectors alike
};

enum class Matrix { kNone, kPositiveDefinite, kTriangular };

// A range of integers that reaches so far has no ends: every bit of them is drawn.
inline constexpr double kEveryBit = 0x1p64;

struct InputRole {
  double low = -2;
  double high = 2;
  double away = 0;      // |x| is at least this
  bool ranged = false;  // low and high were demanded by an op
  bool distinct = false;
  bool stable = false;    // with `distinct`: equal ones have a defined order, so that they may happen where asked for
  bool coarse = false;    // few different values, so that equality happens: compare
  bool holds = false;     // predicates that are true
  bool specials = false;  // NaN and infinities among them: is_finite
  Matrix matrix = Matrix::kNone;
  std::optional<IndexRole> index;
  std::vector<ElementRange> elements;  // of a shape, a range of its own for each element
  std::optional<SparsePattern> sums;  // its elements are added up

  // Whether an element may be zero.
  bool TakesZero() const {
    return !distinct && !coarse && !specials && matrix == Matrix::kNone && !index && elements.empty() && away == 0 &&
           low <= 0 && high >= 0;
  }
};

// Follows the argument through reshapes, broadcasts, conversions and calls to the ops that compute with it.
InputRole RoleOfArgument(mlir::Value argument);

}  // namespace opbyop

#endif  // OPBYOP_REFERENCE_INPUT_ROLE_H_
