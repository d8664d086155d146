// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/eval/contraction.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/bounds/bound.h"
#include "reference/bounds/elementwise.h"
#include "reference/bounds/integer_errors.h"
#include "reference/eval/product_sums.h"
#include "reference/eval/random_order.h"
#include "reference/tensor/block_pool.h"
#include "reference/tensor/compensated_sum.h"
#include "reference/tensor/panel.h"
#include "reference/tensor/parallel.h"

namespace opbyop::reference {
namespace {

constexpr double kWorthThreads = 4e6;  // multiply-adds
// If a larger share of the elements is nonzero, counting the terms is not worth another matrix product.
constexpr double kWorthCounting = 0.875;

// Converts an operand to the storage kind of the result: integers become doubles if the result is a float.
Tensor InKind(const Tensor& t, ElementKind kind) {
  if (t.kind() == kind) return t;
  const ElementType type = kind == ElementKind::kFloat     ? ElementType::kF64
                           : kind == ElementKind::kComplex ? ElementType::kC128
                                                           : ElementType::kI64;
  Tensor out = Tensor::Make(type, t.shape());
  WithStorage(t.kind(), [&]<typename From>() {
    WithStorage(kind, [&]<typename To>() {
      MapUnary<To, From>(t, out, [&](From v) -> To {
        if constexpr (std::is_same_v<From, Complex>) {
          if constexpr (std::is_same_v<To, Complex>) return v;
          return static_cast<To>(v.real());
        } else {
          return static_cast<To>(v);
        }
      });
    });
  });
  out.set_bound(t.bound());
  return out;
}

// The multiply-adds of a block.
double WorkOf(const Contraction& x) {
  return static_cast<double>(x.row_places.size()) * static_cast<double>(x.column_places.size()) *
         static_cast<double>(x.lhs_inner.size());
}

double GreatestInteger(const Tensor& integers) {
  double greatest = 0;
  ForValues<int64_t>(integers, [&](int64_t, std::span<const int64_t> values) {
    for (const int64_t v : values) greatest = std::max(greatest, std::fabs(static_cast<double>(v)));
  });
  return greatest;
}

// Calls store(element of the result, row, column) for all elements of a block.
template <typename Fn>
void Place(const Contraction& x, const ContractionBlock& block, Fn&& store) {
  for (size_t i = 0; i < x.row_places.size(); ++i) {
    const int64_t row = block.result_base + x.row_places[i];
    for (size_t j = 0; j < x.column_places.size(); ++j) store(static_cast<size_t>(row + x.column_places[j]), i, j);
  }
}

// Adds the products of two operands' numbers to `out`, or stores them there, for all blocks.
void Products(const Contraction& x, const StoredNumbers& lhs, const StoredNumbers& rhs, const GemmOptions& options,
              bool add, std::span<double> out) {
  const size_t n = x.column_places.size();
  const bool in_place = !add && HasRowMajorBlocks(x);
  const auto run = [&](int64_t begin, int64_t end, int inner_threads) {
    GemmOptions inner = options;
    inner.threads = inner_threads;
    PooledNumbers c(in_place ? 0 : x.row_places.size() * n);
    for (int64_t b = begin; b < end; ++b) {
      const ContractionBlock& block = x.blocks[static_cast<size_t>(b)];
      Gemm({lhs.From(block.lhs_base), x.lhs_outer, x.lhs_inner}, {rhs.From(block.rhs_base), x.rhs_outer, x.rhs_inner},
           in_place ? out.data() + block.result_base : c.data(), inner);
      if (in_place) continue;
      Place(x, block, [&](size_t to, size_t i, size_t j) {
        const double sum = c[i * n + j];
        out[to] = add ? out[to] + sum : sum;
      });
    }
  };
  // Blocks write to different elements, so threads may divide them.
  const auto count = static_cast<int64_t>(x.blocks.size());
  const double work = static_cast<double>(count) * WorkOf(x);
  if (count < options.threads || work < kWorthThreads) return run(0, count, options.threads);
  ForChunks(count, options.threads, [&](int64_t begin, int64_t end) { run(begin, end, 1); });
}

// Products of integers and complex numbers, term by term.
template <typename T, typename Acc, typename Fn>
void PlainProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs, Tensor& out, Fn&& finish) {
  const T* a = lhs.data<T>().data();
  const T* b = rhs.data<T>().data();
  const auto to = out.Mutable<T>();
  const size_t n = x.column_places.size();
  for (const ContractionBlock& block : x.blocks) {
    for (size_t i = 0; i < x.row_places.size(); ++i) {
      const T* row = a + block.lhs_base + x.lhs_outer[i];
      for (size_t j = 0; j < n; ++j) {
        const T* column = b + block.rhs_base + x.rhs_outer[j];
        Acc sum{};
        for (size_t p = 0; p < x.lhs_inner.size(); ++p) {
          if constexpr (std::is_same_v<T, uint8_t>) {
            sum |= row[x.lhs_inner[p]] & column[x.rhs_inner[p]];
          } else {
            sum += static_cast<Acc>(row[x.lhs_inner[p]]) * static_cast<Acc>(column[x.rhs_inner[p]]);
          }
        }
        to[static_cast<size_t>(block.result_base + x.row_places[i] + x.column_places[j])] = finish(sum);
      }
    }
  }
}

// Products of f64 with compensated sums: a plain sum in double would be as far off as a device may be.
template <typename T>
void CompensatedProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs, Tensor& out) {
  const T* a = lhs.data<T>().data();
  const T* b = rhs.data<T>().data();
  const auto to = out.Mutable<T>();
  for (const ContractionBlock& block : x.blocks) {
    for (size_t i = 0; i < x.row_places.size(); ++i) {
      const T* row = a + block.lhs_base + x.lhs_outer[i];
      for (size_t j = 0; j < x.column_places.size(); ++j) {
        const T* column = b + block.rhs_base + x.rhs_outer[j];
        T& result = to[static_cast<size_t>(block.result_base + x.row_places[i] + x.column_places[j])];
        if constexpr (std::is_same_v<T, double>) {
          result = CompensatedDot(row, x.lhs_inner, column, x.rhs_inner);
        } else {
          CompensatedComplexSum sum;
          for (size_t p = 0; p < x.lhs_inner.size(); ++p) sum.AddProduct(row[x.lhs_inner[p]], column[x.rhs_inner[p]]);
          result = sum.Value();
        }
      }
    }
  }
}

// Products that are rounded to the element type after every operation.
template <typename T>
void SteppedProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs, Tensor& out) {
  const FloatFormat& format = FormatOf(out.type());
  const auto round = [&](T v) -> T {
    if constexpr (std::is_same_v<T, Complex>) {
      return {RoundTo(format, v.real()), RoundTo(format, v.imag())};
    } else {
      return RoundTo(format, v);
    }
  };
  const auto product = [&](const T& a, const T& b) -> T {
    if constexpr (std::is_same_v<T, Complex>) {
      const auto part = [&](double p, double q) { return RoundTo(format, RoundTo(format, p) + RoundTo(format, q)); };
      return {part(a.real() * b.real(), -(a.imag() * b.imag())), part(a.real() * b.imag(), a.imag() * b.real())};
    } else {
      return round(a * b);
    }
  };
  const T* a = lhs.data<T>().data();
  const T* b = rhs.data<T>().data();
  const auto to = out.Mutable<T>();
  for (const ContractionBlock& block : x.blocks) {
    for (size_t i = 0; i < x.row_places.size(); ++i) {
      for (size_t j = 0; j < x.column_places.size(); ++j) {
        T sum{};
        for (size_t p = 0; p < x.lhs_inner.size(); ++p) {
          sum = round(sum + product(a[block.lhs_base + x.lhs_outer[i] + x.lhs_inner[p]],
                                    b[block.rhs_base + x.rhs_outer[j] + x.rhs_inner[p]]));
        }
        to[static_cast<size_t>(block.result_base + x.row_places[i] + x.column_places[j])] = sum;
      }
    }
  }
}

PooledNumbers Moduli(const Tensor& t) {
  PooledNumbers out(static_cast<size_t>(t.size()));
  if (t.kind() == ElementKind::kComplex) {
    std::ranges::transform(t.data<Complex>(), out.begin(), [](Complex v) { return std::abs(v); });
  } else {
    std::ranges::transform(t.data<double>(), out.begin(), [](double v) { return std::fabs(v); });
  }
  return out;
}

// 1 for elements that are not zero, or need not be because they have an error; 0 for all others.
PooledNumbers Indicators(const Tensor& t) {
  PooledNumbers out = Moduli(t);
  for (size_t i = 0; i < out.size(); ++i) out[i] = out[i] != 0 || (HasErrors(t) && t.bounds()[i] > 0) ? 1 : 0;
  return out;
}

// The number of nonzero products in each sum.
PooledNumbers CountTerms(const Contraction& x, const Tensor& lhs, const Tensor& rhs, size_t size, GemmOptions options) {
  PooledNumbers terms(size);
  options.taken = Taken::kNonzero;
  if (lhs.kind() == ElementKind::kComplex || HasErrors(lhs) || HasErrors(rhs)) {
    Products(x, {Indicators(lhs).data()}, {Indicators(rhs).data()}, options, false, terms);
  } else {
    Products(x, StoredNumbersOf(lhs), StoredNumbersOf(rhs), options, false, terms);
  }
  return terms;
}

// Infinities and NaN count as 0: with such a term the result of a sum does not depend on the order.
PooledNumbers MagnitudesOf(const Contraction& x, const Tensor& lhs, const Tensor& rhs, size_t size,
                           GemmOptions options) {
  PooledNumbers magnitudes(size);
  options.taken = Taken::kFiniteModulus;
  if (lhs.kind() == ElementKind::kComplex) {
    options.taken = Taken::kModulus;
    Products(x, {Moduli(lhs).data()}, {Moduli(rhs).data()}, options, false, magnitudes);
  } else {
    Products(x, StoredNumbersOf(lhs), StoredNumbersOf(rhs), options, false, magnitudes);
  }
  return magnitudes;
}

// Whether the sums of products of these errors, and their squares, are finite in double.
bool HasTameErrors(const Tensor& t) {
  constexpr double kMost = 0x1p300;
  return std::ranges::all_of(t.bounds(), [](double error) { return error <= kMost; });
}

// The error that the operands' errors cause: |a||eb| + |ea|(|b| + |eb|), summed. Empty if the operands have none.
// Products() takes the moduli of real numbers itself, so that weights, which have no errors, are not copied. `values`
// says how a product of the operands' values is computed.
PooledNumbers CarriedErrors(const Contraction& x, const Tensor& lhs, const Tensor& rhs, size_t size,
                            const GemmOptions& values) {
  if (!HasErrors(lhs) && !HasErrors(rhs)) return {};
  PooledNumbers carried(size);
  const bool complex = lhs.kind() == ElementKind::kComplex;
  PooledNumbers lhs_moduli;
  PooledNumbers rhs_moduli;
  if (complex) lhs_moduli = Moduli(lhs);
  if (complex) rhs_moduli = Moduli(rhs);
  const StoredNumbers a = complex ? StoredNumbers{lhs_moduli.data()} : StoredNumbersOf(lhs);
  StoredNumbers b = complex ? StoredNumbers{rhs_moduli.data()} : StoredNumbersOf(rhs);
  GemmOptions options = values;
  options.taken = Taken::kModulus;
  if (!HasTameErrors(lhs) || !HasTameErrors(rhs)) options.blas = nullptr;
  if (HasErrors(rhs)) {
    Products(x, a, {rhs.bounds().data()}, options, false, carried);
    if (HasErrors(lhs)) {
      rhs_moduli = Moduli(rhs);
      for (size_t i = 0; i < rhs_moduli.size(); ++i) rhs_moduli[i] += rhs.bounds()[i];
      b = {rhs_moduli.data()};
    }
  }
  if (HasErrors(lhs)) Products(x, {lhs.bounds().data()}, b, options, HasErrors(rhs), carried);
  return carried;
}

// For each outer position of an operand, the greatest modulus of the numbers that it adds to a sum.
std::vector<double> GreatestOf(const StoredNumbers& numbers, const Offsets& outer, const Offsets& inner) {
  constexpr size_t kBlock = 256;
  std::vector<double> greatest(outer.size());
  std::vector<double> block(kBlock * kBlock);
  for (size_t o = 0; o < outer.size(); o += kBlock) {
    const std::span<const int64_t> columns = std::span(outer).subspan(o, std::min(kBlock, outer.size() - o));
    for (size_t p = 0; p < inner.size(); p += kBlock) {
      const std::span<const int64_t> rows = std::span(inner).subspan(p, std::min(kBlock, inner.size() - p));
      CopyNumbers(numbers, rows, columns, block.data(), kBlock);
      for (size_t r = 0; r < rows.size(); ++r) {
        RaiseToModuli(block.data() + r * kBlock, static_cast<int64_t>(columns.size()), greatest.data() + o);
      }
    }
  }
  return greatest;
}

// For each sum, a number that none of its products exceeds in modulus.
PooledNumbers LargestProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs, size_t size) {
  PooledNumbers largest(size), lhs_moduli, rhs_moduli;
  const bool complex = lhs.kind() == ElementKind::kComplex;
  if (complex) lhs_moduli = Moduli(lhs);
  if (complex) rhs_moduli = Moduli(rhs);
  const StoredNumbers left = complex ? StoredNumbers{lhs_moduli.data()} : StoredNumbersOf(lhs);
  const StoredNumbers right = complex ? StoredNumbers{rhs_moduli.data()} : StoredNumbersOf(rhs);
  for (const ContractionBlock& block : x.blocks) {
    const std::vector<double> a = GreatestOf(left.From(block.lhs_base), x.lhs_outer, x.lhs_inner);
    const std::vector<double> b = GreatestOf(right.From(block.rhs_base), x.rhs_outer, x.rhs_inner);
    Place(x, block, [&](size_t to, size_t i, size_t j) { largest[to] = a[i] * b[j]; });
  }
  return largest;
}

// Sets the bound of a product of integers or booleans, which are inexact only where the operands are.
void AddIntegerBound(const OpContext& context, const Contraction& x, const Tensor& lhs, const Tensor& rhs,
                     Tensor& out) {
  if (!HasErrors(lhs) && !HasErrors(rhs)) return;
  const PooledNumbers carried =
      CarriedErrors(x, InKind(lhs, ElementKind::kFloat), InKind(rhs, ElementKind::kFloat),
                    static_cast<size_t>(out.size()), {.threads = context.evaluator.options().threads});
  const Tensor* operands[] = {&lhs, &rhs};
  auto bound = MakeBound(out.size(), "propagated from inexact operands", DepthOf(operands));
  const std::span<double> errors = MutableSpan(*bound);
  for (int64_t i = 0; i < out.size(); ++i) {
    const double error = carried[static_cast<size_t>(i)];
    if (error == 0) continue;
    const auto wraps = [&] { return !(error < kInf) || !StaysInRange(out.type(), NumberAt(out, i), error); };
    errors[static_cast<size_t>(i)] = out.kind() == ElementKind::kBool ? 1 : wraps() ? kInf : error;
  }
  out.set_bound(std::move(bound));
}

// Sets the bound of `out`. `sums` has what its bound needs, if that is known already. `finite` is how products of finite
// numbers are computed, `values` how those of these operands are.
void AddBound(const OpContext& context, const Contraction& x, const Tensor& lhs, const Tensor& rhs,
              const GemmOptions& finite, const GemmOptions& values, double nonzero_share,
              std::optional<ProductSums> sums, Tensor& out) {
  const EvalOptions& options = context.evaluator.options();
  const auto size = static_cast<size_t>(out.size());
  const bool complex = out.kind() == ElementKind::kComplex;
  const bool integral = options.exact_integers && AllIntegers(lhs) && AllIntegers(rhs);
  const PooledNumbers magnitudes = sums ? std::move(sums->magnitudes) : MagnitudesOf(x, lhs, rhs, size, finite);
  PooledNumbers terms_each;
  if (nonzero_share <= kWorthCounting && (sums || !integral)) {
    terms_each = sums ? std::move(sums->terms) : CountTerms(x, lhs, rhs, size, finite);
  }
  // A product of complex numbers consists of four products and two sums.
  const auto roundings = [&](double products) {
    return (products + (complex ? 2 : 0)) * static_cast<double>(x.precision.products);
  };
  for (double& terms : terms_each) terms = roundings(terms);
  PooledNumbers propagated = CarriedErrors(x, lhs, rhs, size, values);
  if (x.precision.dropped > 0) {
    propagated.resize(size, 0);
    for (size_t i = 0; i < size; ++i) propagated[i] += x.precision.dropped * magnitudes[i];
  }
  const Tensor* operands[] = {&lhs, &rhs};
  const bool stated = x.precision.unit > 0;
  const bool inexact = HasErrors(x.lhs) || HasErrors(x.rhs);  // beyond the errors of a conversion
  const bool deviates = HasDeviations(context, inexact, 2);
  PooledNumbers largest;
  if (deviates) {
    largest = sums && !sums->largest.empty() ? std::move(sums->largest) : LargestProducts(x, lhs, rhs, size);
  }
  SetAccumulationBound(
      out, {.magnitudes = magnitudes,
            .propagated = propagated,
            .terms = std::max<int64_t>(static_cast<int64_t>(roundings(static_cast<double>(x.lhs_inner.size()))), 1),
            .terms_each = terms_each,
            .unit = stated ? x.precision.unit : AccumulationUnit(out.type()),
            .factor = complex ? 2.0 : 1.0,
            .underflow = (complex ? 4 : 1) * (stated ? x.precision.underflow : AccumulationUnderflow(out.type())),
            .greatest = x.precision.greatest,
            .compensated = true,
            .depth = DepthOf(operands),
            .largest = largest,
            .variance = x.precision.variance(),
            .bias = x.precision.bias(),
            .accumulator = x.accumulator,
            .integral = integral,
            .parts = options.product_parts,
            .likely = options.likely,
            .inexact = inexact});
}

// A library adds up in double, in an order of its own, which is far more precise than what a device may do in f32
// (docs/numerics/rules.md), but not than sums in f64.
GemmOptions ProductsOf(const OpContext& context, const Contraction& x, const ElementTypeInfo& result) {
  const auto is_precise = [](const ElementTypeInfo& info) {
    return info.kind == ElementKind::kComplex || (info.format != nullptr && info.format->precision >= 53);
  };
  const bool precise = is_precise(result) || is_precise(Info(x.lhs.type())) || is_precise(Info(x.rhs.type())) ||
                       (x.precision.unit > 0 && x.precision.unit < AccumulationUnit(ElementType::kF32));
  const bool large = WorkOf(x) >= kWorthBlas && !precise;
  return {.blas = large ? InstalledBlas() : nullptr, .threads = context.evaluator.options().threads};
}

// Computes large products of integers in double. Returns false, and computes nothing, if a sum may not be exact.
bool SmallIntegerProducts(const Contraction& x, const Tensor& lhs, const Tensor& rhs, const GemmOptions& products,
                          Tensor& out) {
  if (WorkOf(x) < kWorthBlas) return false;
  const double most = GreatestInteger(lhs) * GreatestInteger(rhs) * static_cast<double>(x.lhs_inner.size());
  if (most > 0x1p53) return false;
  PooledNumbers sums(static_cast<size_t>(out.size()));
  Products(x, StoredNumbersOf(lhs), StoredNumbersOf(rhs), products, false, sums);
  const ElementTypeInfo& info = Info(out.type());
  std::ranges::transform(sums, out.Mutable<int64_t>().begin(), [&](double sum) {
    return WrapInteger(info, static_cast<uint64_t>(static_cast<int64_t>(sum)));
  });
  return true;
}

// Applies the target's declarations, unless the program itself states a precision.
void Declare(const OpContext& context, Contraction& x) {
  const Arithmetic& declared = context.evaluator.options().arithmetic;
  const std::string_view op = context.name.substr(context.name.find('.') + 1);
  // Unless the program states that sums are in another type than f32, the device adds up in its declared accumulator.
  if (x.precision.unit == 0 || x.precision.unit == AccumulationUnit(ElementType::kF32)) {
    x.accumulator = declared.AccumulatorOf(op, NameOf(x.lhs.type()), NameOf(x.rhs.type()));
  }
  const bool silent = !x.precision.lhs && !x.precision.rhs && x.precision.unit == 0;
  const auto found = declared.precision.find(op);
  if (silent && found != declared.precision.end()) {
    x.precision = DeclaredPrecision(found->second, x.lhs.type(), x.rhs.type());
  }
}

}  // namespace

bool HasRowMajorBlocks(const Contraction& x) {
  const auto steps = [](const Offsets& places, int64_t step) {
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] != static_cast<int64_t>(i) * step) return false;
    }
    return true;
  };
  return steps(x.row_places, static_cast<int64_t>(x.column_places.size())) && steps(x.column_places, 1);
}

Expected<Tensor> Contract(const OpContext& context, Contraction x, ElementType type, Shape shape) {
  const ElementTypeInfo& info = Info(type);
  Declare(context, x);
  const bool bounds = context.bounds();
  const Tensor lhs =
      bounds ? WithConversionErrors(InKind(x.lhs, info.kind), x.precision.lhs) : InKind(x.lhs, info.kind);
  const Tensor rhs =
      bounds ? WithConversionErrors(InKind(x.rhs, info.kind), x.precision.rhs) : InKind(x.rhs, info.kind);
  Tensor out = Tensor::Make(type, std::move(shape));
  const GemmOptions products = ProductsOf(context, x, info);
  const bool has_facts = info.format != nullptr;
  const auto facts_of = [&](const Tensor& t, const std::optional<OperandFacts>& known) {
    return !has_facts ? OperandFacts() : known ? *known : FactsOf(t);
  };
  OperandFacts lhs_facts, rhs_facts;
  std::optional<ProductSums> sums;
  const bool plain =
      info.kind == ElementKind::kFloat && info.format->precision < 53 && !context.evaluator.options().round_every_step;
  if (plain) {
    sums = ProductsOfFewRows(x, lhs, rhs, out.size(), products.threads, lhs_facts, rhs_facts);
  }
  if (!sums) {
    lhs_facts = facts_of(lhs, x.lhs_facts);
    rhs_facts = facts_of(rhs, x.rhs_facts);
  }
  // A library may treat infinities and NaN in its own way.
  const GemmOptions values{.blas = lhs_facts.finite && rhs_facts.finite ? products.blas : nullptr,
                           .threads = products.threads};
  switch (info.kind) {
    case ElementKind::kBool:
      PlainProducts<uint8_t, uint8_t>(x, lhs, rhs, out, [](uint8_t v) { return v; });
      if (bounds) AddIntegerBound(context, x, lhs, rhs, out);
      return out;
    case ElementKind::kInteger:
      if (!SmallIntegerProducts(x, lhs, rhs, products, out)) {
        PlainProducts<int64_t, uint64_t>(x, lhs, rhs, out, [&](uint64_t v) { return WrapInteger(info, v); });
      }
      if (bounds) AddIntegerBound(context, x, lhs, rhs, out);
      return out;
    case ElementKind::kComplex:
      if (context.evaluator.options().round_every_step) {
        SteppedProducts<Complex>(x, lhs, rhs, out);
        break;
      }
      if (info.format->precision == 53) {
        CompensatedProducts<Complex>(x, lhs, rhs, out);
        break;
      }
      PlainProducts<Complex, Complex>(x, lhs, rhs, out, [](Complex v) { return v; });
      break;
    case ElementKind::kFloat:
      if (context.evaluator.options().round_every_step) {
        SteppedProducts<double>(x, lhs, rhs, out);
        break;
      }
      if (info.format->precision == 53) {
        CompensatedProducts<double>(x, lhs, rhs, out);
        break;
      }
      if (!sums) sums = SparseProducts(x, lhs, rhs, lhs_facts, rhs_facts, out.size());
      if (sums) {
        std::ranges::copy(sums->values, out.Mutable<double>().begin());
        break;
      }
      Products(x, StoredNumbersOf(lhs), StoredNumbersOf(rhs), values, false, out.Mutable<double>());
      break;
  }
  RoundResult(out);
  const double nonzero_share = std::min(lhs_facts.nonzero_share, rhs_facts.nonzero_share);
  if (bounds) AddBound(context, x, lhs, rhs, products, values, nonzero_share, std::move(sums), out);
  return out;
}

}  // namespace opbyop::reference
