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

namespace opbyop {

// Without a final line break.
std::string PrintForm(const Tensor& tensor);

}  // namespace opbyop

#endif  // OPBYOP_REFERENCE_EVAL_PRINT_FORM_H_
