// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Edits that leave fewer and simpler values of fixed inputs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "reduction/edit.h"
#include "reference/tensor/tensor.h"

namespace opbyop::reduction {
namespace {

using reference::ElementKind;
using reference::InputData;
using reference::Tensor;

// The values that may replace an element, simplest first.
enum class Simple { kZero, kOne, kOneDigit, kTwoDigits, kThreeDigits };

double Rounded(double value, int digits) {
  if (!std::isfinite(value)) return value;
  return std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

double Simplified(double value, Simple simple) {
  if (value == 0 && !std::signbit(value)) return value;
  if (simple == Simple::kZero) return 0;
  if (value == 1) return value;
  if (simple == Simple::kOne) return 1;
  const int digits = 1 + static_cast<int>(simple) - static_cast<int>(Simple::kOneDigit);
  return Rounded(value, digits);
}

int64_t Simplified(int64_t value, Simple simple) {
  if (value == 0 || simple == Simple::kZero) return 0;
  return simple == Simple::kOne ? 1 : value;
}

// Simplifies the elements [begin, end) of an input.
bool Simplify(Program& program, size_t input, int64_t begin, int64_t end, Simple simple) {
  InputData& data = (*program.inputs)[input];
  Expected<Tensor> tensor = reference::TensorFromBytes(data.type, data.shape, data.bytes);
  if (!tensor) return false;
  const ElementKind kind = reference::KindOf(data.type);
  for (int64_t i = begin; i < end; ++i) {
    const auto at = static_cast<size_t>(i);
    if (kind == ElementKind::kFloat) {
      double& value = tensor->Mutable<double>()[at];
      value = reference::RoundTo(reference::FormatOf(data.type), Simplified(value, simple));
    } else if (kind == ElementKind::kInteger) {
      int64_t& value = tensor->Mutable<int64_t>()[at];
      value = Simplified(value, simple);
    } else if (kind == ElementKind::kBool) {
      uint8_t& value = tensor->Mutable<uint8_t>()[at];
      if (simple == Simple::kZero) value = 0;
    } else {
      reference::Complex& value = tensor->Mutable<reference::Complex>()[at];
      const reference::FloatFormat& format = reference::FormatOf(data.type);
      value = {reference::RoundTo(format, Simplified(value.real(), simple)),
               reference::RoundTo(format, Simplified(value.imag(), simple))};
    }
  }
  std::vector<std::byte> bytes = reference::TensorToBytes(*tensor);
  if (bytes == data.bytes) return false;
  data.bytes = std::move(bytes);
  return true;
}

}  // namespace

Edits ValueEdits(const Program& program) {
  // If there are more parts, they are not changed.
  constexpr int64_t kMostParts = 32;
  Edits edits;
  if (!program.inputs) return edits;
  for (size_t input = 0; input < program.inputs->size(); ++input) {
    const int64_t elements = reference::SizeOf((*program.inputs)[input].shape);
    for (int64_t parts = 1; parts <= std::min(elements, kMostParts); parts *= 2) {
      for (int64_t k = 0; k < parts; ++k) {
        const int64_t begin = elements * k / parts, end = elements * (k + 1) / parts;
        for (const Simple simple :
             {Simple::kZero, Simple::kOne, Simple::kOneDigit, Simple::kTwoDigits, Simple::kThreeDigits}) {
          edits.push_back({fmt::format("simpler values of input {}", input),
                           [=](Program& p) { return Simplify(p, input, begin, end, simple); }});
        }
      }
    }
  }
  return edits;
}

}  // namespace opbyop::reduction
