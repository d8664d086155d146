// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names of cases: <op>_<shape>_<dtype>_<hash8> over [A-Za-z0-9_].
//
//   CaseIdStem("stablehlo.dot_general", "", inputs, outputs)   // "dot_general_128x768_768x768_f32"
//   dot_general_128x768_768x768_f32_1a2b3c4d                   // with the first digits of the hash
//
// Ops of other dialects keep the dialect ("tosa_matmul"), composites and custom calls name their target
// ("composite_chlo_erf"). A scalar's shape is "scalar", a dynamic dimension "d".
#ifndef OPBYOP_GENERATOR_PROGRAM_CASE_ID_H_
#define OPBYOP_GENERATOR_PROGRAM_CASE_ID_H_

#include <string>
#include <string_view>
#include <vector>

#include "manifests/cases/grid.h"
#include "support/tensor_type.h"

namespace opbyop::generator {

inline constexpr int kIdHashDigits = 8;

// The id without the hash. The shapes are those of the run-time inputs, or of the outputs if there is no input; equal
// neighbours are named once, and at most three are named. The dtypes are that of the first input and, if it differs,
// that of the first output. A grid of several processes comes last: "all_reduce_64_f32_8p".
std::string CaseIdStem(std::string_view op, std::string_view target, const std::vector<TensorType>& inputs,
                       const std::vector<TensorType>& outputs, const Grid& grid = {});

// Converts `text` to [A-Za-z0-9_]: a run of other characters becomes one underscore, except at the start and the end.
std::string Identifier(std::string_view text);

// Makes one id for each (stem, hash), in order: the stem and `digits` of the hash. If ids would be equal, all that
// share the id get twice the digits, until they differ. No id therefore depends on the order of the cases.
struct IdParts {
  std::string stem;
  std::string hash;
};
std::vector<std::string> MakeIds(const std::vector<IdParts>& parts, int digits = kIdHashDigits);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_PROGRAM_CASE_ID_H_
