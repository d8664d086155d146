// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace opbyop::reference::factors {

double Excess(double x) { return x <= 0 ? 0 : x; }

double Sides(const DenseMatrix& x) { return static_cast<double>(x.rows + x.columns); }

double LeastNormal(const FactorParts& parts) { return std::ldexp(1.0, parts.format.min_exponent); }

double Limit(const FactorParts& parts, double steps, double norm) {
  const bool judged = norm <= std::sqrt(parts.format.max_finite);
  return judged ? steps * (parts.unit * norm + std::sqrt(LeastNormal(parts))) : kOpen;
}

Requirement ByColumns(const FactorParts& parts, std::string result, std::string rule, const DenseMatrix& error,
                      double steps, const std::vector<double>& norms) {
  Requirement check{std::move(result), std::move(rule), ColumnNorms(error), {}, {error.columns}};
  for (const double norm : norms) check.limits.push_back(Limit(parts, steps, norm));
  return check;
}

Requirement ByColumns(const FactorParts& parts, std::string result, std::string rule, const DenseMatrix& error,
                      double steps, double norm) {
  return ByColumns(parts, std::move(result), std::move(rule), error, steps,
                   std::vector<double>(static_cast<size_t>(error.columns), norm));
}

double OwnLimit(const FactorParts& parts, double steps, double scale) {
  return std::isfinite(scale) ? steps * (parts.unit * scale + std::sqrt(LeastNormal(parts))) : 0;
}

Requirement ByElements(const FactorParts& parts, std::string result, std::string rule, const DenseMatrix& error,
                       double steps, const DenseMatrix& scale) {
  Requirement check{std::move(result), std::move(rule), {}, {}, {error.rows, error.columns}};
  for (const Number& element : error.elements) check.errors.push_back(std::abs(element));
  for (const Number& element : scale.elements) check.limits.push_back(OwnLimit(parts, steps, std::abs(element)));
  return check;
}

Requirement Exactly(std::string result, std::string rule, std::vector<double> errors) {
  const auto count = static_cast<int64_t>(errors.size());
  std::vector<double> limits(errors.size(), 0);
  return {std::move(result), std::move(rule), std::move(errors), std::move(limits), {count}};
}

bool IsJudged(const FactorParts& parts, double norm) {
  return norm == 0 || (norm >= std::sqrt(LeastNormal(parts)) && Limit(parts, 1, norm) != kOpen);
}

void AddInfo(const FactorParts& parts, double expected, Checks& checks) {
  if (!parts.Has("info")) return;
  const double info = parts["info"](0, 0).real();
  checks.push_back(Exactly("info", fmt::format("info is {:g}", expected), {std::abs(info - expected)}));
}

Checks If(bool judged, Checks checks) {
  if (judged) return checks;
  for (Requirement& check : checks) std::ranges::fill(check.limits, kOpen);
  return checks;
}

Requirement Orthonormal(const FactorParts& parts, std::string result, std::string rule, const DenseMatrix& q,
                        double steps) {
  return ByColumns(parts, std::move(result), std::move(rule),
                   Adjoint(q) * q - DenseMatrix::Identity(q.columns, q.columns), steps, 1);
}

}  // namespace opbyop::reference::factors
