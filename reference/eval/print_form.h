// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tensor as upstream's interpreter prints it, which test data is written against:
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

// Without a final line break.
std::string PrintForm(const Tensor& tensor);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_EVAL_PRINT_FORM_H_
