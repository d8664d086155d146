// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes values as Python's repr() does: two ingestion forms contain them inside strings.
#ifndef OPBYOP_REPORTS_INGESTION_PYTHON_TEXT_H_
#define OPBYOP_REPORTS_INGESTION_PYTHON_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "support/tensor_type.h"

namespace opbyop::reports {

// 'f32', with quotes and backslashes escaped.
std::string PythonString(std::string_view text);

// [2, 3]
std::string PythonShape(const TensorType& type);

// [[2, 3], []] and ['f32', 'i32'].
std::string PythonShapes(const std::vector<TensorType>& types);
std::string PythonDtypes(const std::vector<TensorType>& types);

// [TensorDesc(shape=[2, 3], data_type='f32', ...)]. Readers split at ")", and so a dtype's parentheses are written as
// angle brackets.
std::string PythonTensorDescs(const std::vector<TensorType>& types);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_INGESTION_PYTHON_TEXT_H_
