// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/ingestion/python_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/view/first_line.h"

namespace opbyop::reports {
namespace {

template <typename Format>
std::string PythonList(const std::vector<TensorType>& types, Format format) {
  std::vector<std::string> items;
  items.reserve(types.size());
  for (const TensorType& type : types) items.push_back(format(type));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

}  // namespace

std::string PythonString(std::string_view text) {
  std::string out = "'";
  for (const char c : SafeText(text)) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string PythonShape(const TensorType& type) { return fmt::format("[{}]", fmt::join(type.shape, ", ")); }

std::string PythonShapes(const std::vector<TensorType>& types) { return PythonList(types, PythonShape); }

std::string PythonDtypes(const std::vector<TensorType>& types) {
  return PythonList(types, [](const TensorType& type) { return PythonString(type.dtype); });
}

std::string PythonTensorDescs(const std::vector<TensorType>& types) {
  return PythonList(types, [](const TensorType& type) {
    std::string dtype = type.dtype;
    std::replace(dtype.begin(), dtype.end(), '(', '<');
    std::replace(dtype.begin(), dtype.end(), ')', '>');
    return fmt::format("TensorDesc(shape={}, data_type={}, buffer_type='System', layout='RowMajor', grid_shape=[1, 1])",
                       PythonShape(type), PythonString(dtype));
  });
}

}  // namespace opbyop::reports
