// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/meanings/properties.h"

#include <fmt/format.h>

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "reference/meanings/families.h"

namespace opbyop::reference {
namespace {

// "a[n,m]" as its name and sizes.
struct Part {
  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef, 2> sizes;

  explicit Part(llvm::StringRef text) {
    const auto [left, right] = text.split('[');
    name = left;
    if (!right.empty()) right.drop_back().split(sizes, ',');
  }
};

}  // namespace

const std::vector<Property>& Properties() {
  static const std::vector<Property> properties = {
      {"cholesky", "a[n,n] l[n,n] info?", {"lower"}, &factors::Cholesky, &factors::MakePositiveDefinite},
      {"lu", "a[n,m] lu[n,m] pivots[k] permutation[n]? info?", {"first_row"}, &factors::Lu},
      {"qr", "a[n,m] packed[n,m] tau[k]", {}, &factors::Qr},
      {"pivoted_qr",
       "a[n,m] columns[m] packed[n,m] columns_out[m] tau[k]",
       {},
       &factors::PivotedQr,
       &factors::FreeColumns},
      {"householder_product",
       "packed[n,m] tau[t] q[n,p]",
       {},
       &factors::HouseholderProduct,
       &factors::MakeUnitary,
       "tm"},
      {"left_householder_product",
       "packed[n,m] tau[t] c[n,p] x[n,p]",
       {"adjoint"},
       &factors::LeftProduct,
       &factors::MakeUnitary,
       "tm"},
      {"right_householder_product",
       "packed[n,m] tau[t] c[p,n] x[p,n]",
       {"adjoint"},
       &factors::RightProduct,
       &factors::MakeUnitary,
       "tm"},
      {"eigh", "a[n,n] v[n,n] w[n] info?", {"lower", "sorted"}, &factors::Eigh},
      {"svd", "a[n,m] s[k] u[n,p] v[m,q]|vh[q,m] info?", {}, &factors::Svd, nullptr, "kp kq"},
      {"singular_values", "a[n,m] s[k] info?", {}, &factors::SingularValuesOnly},
      {"eig", "a[n,n] w[n]|wr[n]+wi[n] vl[n,n]? vr[n,n] info?", {"left", "right"}, &factors::Eig},
      {"schur", "a[n,n] t[n,n] z[n,n] w[n]|wr[n]+wi[n] selected? info?", {}, &factors::Schur},
      {"hessenberg", "a[n,n] packed[n,n] tau[t] info?", {}, &factors::Hessenberg, nullptr, "tn"},
      {"tridiagonal", "a[n,n] packed[n,n] d[n] e[n-1] tau[n-1] info?", {"lower"}, &factors::Tridiagonal},
      {"tridiagonal_solve", "dl[n] d[n] du[n] b[n,r] x[n,r] info?", {}, &factors::TridiagonalSolve},
      {"pivots_to_permutation", "pivots[t] permutation[n]", {}, &factors::Permutation, &factors::MakePivots, "tn"},
      {"approximate_top_k",
       "a[n] places[n] init init_place values[q] chosen[q]",
       {"k", "aggregate", "recall", "exact"},
       &factors::ApproximateTopK,
       nullptr,
       "",
       1},
  };
  return properties;
}

const Property* FindProperty(std::string_view name) {
  for (const Property& property : Properties()) {
    if (property.name == name) return &property;
  }
  return nullptr;
}

std::string WhyNoParts(const Property& property, const Sizes& sizes) {
  llvm::StringMap<int64_t> known;
  size_t used = 0;
  std::string why;
  const auto fits = [&](const Part& part) {
    const auto found = sizes.find(std::string_view(part.name));
    if (found == sizes.end()) return false;
    ++used;
    bool equal = found->second.size() == part.sizes.size();
    for (size_t d = 0; equal && d < part.sizes.size(); ++d) {
      int64_t size = found->second[d];
      llvm::StringRef letter = part.sizes[d];
      if (letter.consume_back("-1")) ++size;
      const auto n = known.find("n"), m = known.find("m");
      if (letter == "k" && n != known.end() && m != known.end()) {
        known[letter] = std::min(n->second, m->second);
      }
      equal = known.try_emplace(letter, size).first->second == size;
    }
    if (!equal && why.empty())
      why = fmt::format("{} has another shape than {} demands", part.name.str(), property.name);
    return true;
  };
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(property.parts).split(parts, ' ');
  for (llvm::StringRef text : parts) {
    const bool optional = text.consume_back("?");
    llvm::SmallVector<llvm::StringRef> ways;
    text.split(ways, '|');
    const int64_t given = llvm::count_if(ways, [&](llvm::StringRef way) {
      llvm::SmallVector<llvm::StringRef> together;
      way.split(together, '+');
      return llvm::count_if(together, [&](llvm::StringRef one) { return fits(Part(one)); }) ==
             static_cast<int64_t>(together.size());
    });
    if (given != 1 && !(optional && given == 0)) {
      return fmt::format("{} needs {}", property.name, Part(text).name.str());
    }
  }
  if (used != sizes.size()) return fmt::format("{} has only {}", property.name, property.parts);
  llvm::SmallVector<llvm::StringRef> pairs;
  llvm::StringRef(property.at_most).split(pairs, ' ', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef pair : pairs) {
    if (known.lookup(pair.take_front()) > known.lookup(pair.drop_front()) && why.empty()) {
      why = fmt::format("its sizes are not those of {}", property.name);
    }
  }
  return why;
}

}  // namespace opbyop::reference
