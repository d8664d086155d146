// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Demands on the results of a factorization, and their limits (docs/numerics/factorizations.md).
//
//   const double steps = kDirect * Sides(a);
//   Checks checks = {ByColumns(parts, "packed", "Q R = A", a - q * r, steps, ColumnNorms(a))};
//   AddInfo(parts, 0, checks);
//   return If(IsJudged(parts, Norm(a)), std::move(checks));
#ifndef OPBYOP_REFERENCE_MEANINGS_LIMITS_H_
#define OPBYOP_REFERENCE_MEANINGS_LIMITS_H_

#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "reference/meanings/properties.h"

namespace opbyop::reference::factors {

using Number = std::complex<double>;
using Checks = std::vector<Requirement>;

inline constexpr double kOpen = std::numeric_limits<double>::infinity();
// Roundings that an element of a factor goes through, per row and column of the matrix: by a fixed number of
// reflections or eliminations, and by iterations until convergence.
inline constexpr double kDirect = 10;
inline constexpr double kIterative = 30;

// x, or 0 if it is not above 0. NaN stays NaN.
double Excess(double x);

double Sides(const DenseMatrix& x);

double LeastNormal(const FactorParts& parts);

// The limit of an error that is `steps` roundings of something of this norm. Nothing is demanded where squares of the
// norm overflow, or of a matrix that is not finite. Squares vanish below the root of the least normal number.
double Limit(const FactorParts& parts, double steps, double norm);

// The limit relative to what the device itself gave. Nothing excuses what is not finite.
double OwnLimit(const FactorParts& parts, double steps, double scale);

// Whether squares of numbers of this size are numbers of the type.
bool IsJudged(const FactorParts& parts, double norm);

// One error for each column, relative to a norm of each or of all.
Requirement ByColumns(const FactorParts& parts, std::string result, std::string rule, const DenseMatrix& error,
                      double steps, const std::vector<double>& norms);
Requirement ByColumns(const FactorParts& parts, std::string result, std::string rule, const DenseMatrix& error,
                      double steps, double norm);

// One error for each element, relative to an element of `scale`, which the device gave.
Requirement ByElements(const FactorParts& parts, std::string result, std::string rule, const DenseMatrix& error,
                       double steps, const DenseMatrix& scale);

Requirement Exactly(std::string result, std::string rule, std::vector<double> errors);

// The columns are orthogonal and of norm 1.
Requirement Orthonormal(const FactorParts& parts, std::string result, std::string rule, const DenseMatrix& q,
                        double steps);

// Info, if the call gives it.
void AddInfo(const FactorParts& parts, double expected, Checks& checks);

// The demands, if the matrix is one for which there are any.
Checks If(bool judged, Checks checks);

}  // namespace opbyop::reference::factors

#endif  // OPBYOP_REFERENCE_MEANINGS_LIMITS_H_
