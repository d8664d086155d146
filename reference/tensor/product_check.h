// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Freivalds' test of a library's product C of a narrow matrix S and a wide one W (docs/numerics/rules.md): r C must be
// (r S) W, for rows r of random signs. Its own sums are plain loops in double.
//
//   const ProductCheck check(narrow, Taken::kValue);
//   ProductCheck::Sums sums(columns);
//   for (...) check.Add(first, panel_of_w, sums);
//   if (!check.IsRight(sums, c, columns, SumType::kF64)) ...   // the library is wrong
#ifndef OPBYOP_REFERENCE_TENSOR_PRODUCT_CHECK_H_
#define OPBYOP_REFERENCE_TENSOR_PRODUCT_CHECK_H_

#include <cstdint>
#include <vector>

#include "reference/tensor/counter_stream.h"
#include "reference/tensor/gemm.h"
#include "reference/tensor/panel.h"

namespace opbyop::reference {

inline constexpr int64_t kMostTermsInF32 = 256;

// The type in which a library has added up: kF32 parts of at most kMostTermsInF32 terms, whose sums are added in double.
enum class SumType : uint8_t { kF64, kF32 };

class ProductCheck {
 public:
  // Reads all of the narrow matrix once.
  ProductCheck(const GemmOperand& narrow, Taken taken);

  // Sums of a block of columns of W.
  struct Sums {
    std::vector<double> products, moduli;
    explicit Sums(int64_t columns)
        : products(static_cast<size_t>(kTests * columns)), moduli(static_cast<size_t>(columns)) {}
  };

  // Adds the part of W that has the inner positions from `first` on. Changes the panel.
  void Add(int64_t first, Panel& wide, Sums& sums) const;

  // Whether the columns c[rows x columns] are the product, but for the rounding of sums.
  bool IsRight(const Sums& sums, const double* c, int64_t columns, SumType type) const;

 private:
  static constexpr int64_t kTests = 3;

  void Weigh(const CounterStream& stream, const double* row, int64_t i);

  int64_t rows_, depth_;
  std::vector<double> signs_, weights_, factors_, moduli_;
};

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_PRODUCT_CHECK_H_
