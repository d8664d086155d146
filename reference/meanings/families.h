// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of properties, by the kind of factorization. reference/meanings/properties.h lists them.
#ifndef OPBYOP_REFERENCE_MEANINGS_FAMILIES_H_
#define OPBYOP_REFERENCE_MEANINGS_FAMILIES_H_

#include "reference/meanings/limits.h"

namespace opbyop::reference::factors {

// elimination.cc
Checks Cholesky(const FactorParts& parts);
void MakePositiveDefinite(FactorParts& parts);
Checks Lu(const FactorParts& parts);
Checks TridiagonalSolve(const FactorParts& parts);
Checks Permutation(const FactorParts& parts);
void MakePivots(FactorParts& parts);

// reflections.cc
Checks Qr(const FactorParts& parts);
Checks PivotedQr(const FactorParts& parts);
void FreeColumns(FactorParts& parts);
Checks HouseholderProduct(const FactorParts& parts);
Checks LeftProduct(const FactorParts& parts);
Checks RightProduct(const FactorParts& parts);
void MakeUnitary(FactorParts& parts);
Checks Hessenberg(const FactorParts& parts);
Checks Tridiagonal(const FactorParts& parts);

// spectra.cc
Checks Eigh(const FactorParts& parts);
Checks Svd(const FactorParts& parts);
Checks SingularValuesOnly(const FactorParts& parts);
Checks Eig(const FactorParts& parts);
Checks Schur(const FactorParts& parts);

// selection.cc
Checks ApproximateTopK(const FactorParts& parts);

}  // namespace opbyop::reference::factors

#endif  // OPBYOP_REFERENCE_MEANINGS_FAMILIES_H_
