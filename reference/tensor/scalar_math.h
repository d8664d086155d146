// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Real and complex functions of one or two numbers, in double or better. <cmath> lacks them, or gets special values
// wrong that StableHLO and CHLO prescribe.
#ifndef OPBYOP_REFERENCE_TENSOR_SCALAR_MATH_H_
#define OPBYOP_REFERENCE_TENSOR_SCALAR_MATH_H_

#include <complex>

namespace opbyop::reference {

double Logistic(double x);
double Rsqrt(double x);
double Sign(double x);
double RoundAwayFromZero(double x);
// IEEE 754-2019 maximum and minimum: NaN wins, +0 > -0.
double Maximum(double x, double y);
double Minimum(double x, double y);

double ErfInv(double x);
double Digamma(double x);
double Lgamma(double x);
double Polygamma(double n, double x);
double Zeta(double s, double q);
double BesselI1e(double x);

// Complex functions, computed in extended precision and rounded to double. They are correct at infinities and on branch
// cuts.
std::complex<double> ComplexExp(std::complex<double> z);
std::complex<double> ComplexLog(std::complex<double> z);
std::complex<double> ComplexLogistic(std::complex<double> z);
std::complex<double> ComplexRsqrt(std::complex<double> z);
std::complex<double> ComplexSign(std::complex<double> z);
std::complex<double> ComplexExpm1(std::complex<double> z);
std::complex<double> ComplexLog1p(std::complex<double> z);
std::complex<double> ComplexPower(std::complex<double> z, std::complex<double> w);
std::complex<double> ComplexMultiply(std::complex<double> z, std::complex<double> w);
std::complex<double> ComplexDivide(std::complex<double> z, std::complex<double> w);
std::complex<double> ComplexAtan2(std::complex<double> y, std::complex<double> x);
std::complex<double> ComplexSquare(std::complex<double> z);
std::complex<double> ComplexCbrt(std::complex<double> z);

// The common part of asin, acos, asinh and acosh of a complex number (chlo._asin_acos_kernel).
std::complex<double> AsinAcosKernel(std::complex<double> z);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_TENSOR_SCALAR_MATH_H_
