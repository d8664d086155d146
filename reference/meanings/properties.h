// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Properties that the results of a factorization or selection must have, whichever of the right answers a device gives.
// Derivations: docs/numerics/factorizations.md.
//
//   const Property* qr = FindProperty("qr");
//   FactorParts parts{.values = {{"a", a}, {"packed", packed}, {"tau", tau}}, .format = FormatOf(ElementType::kF32)};
//   for (const Requirement& check : qr->judge(parts)) ...   // check.errors[i] <= check.limits[i] for every i
//
// A call has its operands and results by name, as a file of definitions gives them (reference/meanings/meanings.h).
// Vectors are matrices of one column, and numbers have one element.
#ifndef OPBYOP_REFERENCE_MEANINGS_PROPERTIES_H_
#define OPBYOP_REFERENCE_MEANINGS_PROPERTIES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/meanings/dense_matrix.h"
#include "reference/tensor/element_type.h"

namespace opbyop::reference {

// One matrix of a batch, with all that belongs to it.
struct FactorParts {
  std::map<std::string, DenseMatrix, std::less<>> values;  // operands and results; those that a call lacks are absent
  std::map<std::string, double, std::less<>> options;      // 1 and 0 for true and false
  FloatFormat format = FormatOf(ElementType::kF32);        // of the matrix, or of its parts
  bool complex = false;
  double unit = 0;  // unit roundoff of the device's arithmetic, at least that of the format

  bool Has(std::string_view name) const { return values.contains(name); }
  const DenseMatrix& operator[](std::string_view name) const { return values.find(name)->second; }
  double Option(std::string_view name, double otherwise = 0) const {
    const auto found = options.find(name);
    return found == options.end() ? otherwise : found->second;
  }
};

// A demand on a result: every error is at most its limit. An infinite limit demands nothing.
struct Requirement {
  std::string result;  // the result that is blamed
  std::string rule;    // "A V = V diag(w) within 60 n u |A|"
  std::vector<double> errors;
  std::vector<double> limits;
  std::vector<int64_t> shape;  // of both
};

// The sizes of operands and results by name, without those of the batch. A number has none, a vector one.
using Sizes = std::map<std::string, std::vector<int64_t>, std::less<>>;

struct Property {
  std::string_view name;
  // The operands and results with their sizes, separated by spaces: "a[n,m] packed[n,m] tau[k]". A letter is the same
  // size everywhere, and k is the smaller of n and m. Those that end in `?` may be absent, and of those that are
  // separated by `|` a call has one: "v[m,q]|vh[q,m]", "w[n]|wr[n]+wi[n]".
  std::string_view parts;
  std::vector<std::string_view> options;
  std::vector<Requirement> (*judge)(const FactorParts& parts);
  // Changes drawn operands so that the results are defined. nullptr: any matrix will do.
  void (*prepare)(FactorParts& parts) = nullptr;
  std::string_view at_most = "";  // "tm kp": t is at most m, and k at most p
  int power = 3;                  // a judgement takes time that grows with this power of the longest side
};

// Returns nullptr if there is none of that name.
const Property* FindProperty(std::string_view name);
const std::vector<Property>& Properties();

// Returns why operands and results of these sizes cannot be those of the property, empty if they can.
std::string WhyNoParts(const Property& property, const Sizes& sizes);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_MEANINGS_PROPERTIES_H_
