// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/page_number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

namespace opbyop::reports {
namespace {

std::string Shape(const TensorType& type) {
  std::string text;
  for (const int64_t dim : type.shape) text += (dim == kDynamic ? "?" : std::to_string(dim)) + "x";
  return text + type.dtype;
}

}  // namespace

nlohmann::ordered_json PageNumber(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<int64_t>(value);
  return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
}

std::string SignatureText(const Case& c) {
  std::vector<std::string> in, out;
  for (const TensorType& type : c.inputs) in.push_back(Shape(type));
  for (const TensorType& type : c.outputs) out.push_back(Shape(type));
  return fmt::format("({}) -> ({})", fmt::join(in, ", "), fmt::join(out, ", "));
}

}  // namespace opbyop::reports
