// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints a tensor in the format of upstream's interpreter, in which test data states expected results:
//
//   tensor<2x2xi64> {
//     [
//       [1, 2],
//       [3, 4]
//     ]
//   }
#ifndef OPBYOP_REFERENCE_EVAL_PRINT_FORM_H_
#define OPBYOP_REFERENCE_EVAL_PRINT_FORM_H_

#include <string>

#include "reference/tensor/tensor.h"

namespace opbyop::reference {

// The text has no final line break.
std::string PrintForm(const Tensor& tensor);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_PRINT_FORM_H_
