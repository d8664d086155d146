// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/program/case_id.h"

#include <cctype>
#include <unordered_map>

namespace opbyop::generator {
namespace {

constexpr size_t kMaxShapes = 3;
constexpr size_t kMaxOpLength = 40;
constexpr size_t kMaxDtypeLength = 24;

// Other types (a token, a tuple, a memref) have their whole text in place of the element type.
bool IsTensor(const TensorType& type) {
  if (type.dtype.starts_with("!")) return type.dtype.starts_with("!quant.");
  return type.dtype.find('<') == std::string::npos || type.dtype.starts_with("complex<");
}

// Returns "" for a value that is no tensor.
std::string ShapeName(const TensorType& type) {
  if (!IsTensor(type)) return "";
  if (type.shape.empty()) return "scalar";
  std::string name;
  for (int64_t size : type.shape) {
    if (!name.empty()) name += 'x';
    name += size == kDynamic ? "d" : std::to_string(size);
  }
  return name;
}

std::string Shortened(std::string text, size_t length) {
  if (text.size() > length) text.resize(length);
  while (!text.empty() && text.back() == '_') text.pop_back();
  return text;
}

// "f32", "complex_f32", "qi8_f32", "tuple", "token"
std::string DtypeName(const TensorType& type) {
  constexpr std::string_view kHome = "!stablehlo.";
  constexpr std::string_view kQuantized = "!quant.uniform<";
  std::string_view name = type.dtype;
  // Scales and zero points only go into the hash.
  if (name.starts_with(kQuantized)) {
    name.remove_prefix(kQuantized.size());
    return Shortened("q" + Identifier(name.substr(0, name.find(','))), kMaxDtypeLength);
  }
  if (!IsTensor(type)) {
    name = name.substr(0, name.find('<'));
    if (name.starts_with(kHome)) name.remove_prefix(kHome.size());
  }
  return Shortened(Identifier(name), kMaxDtypeLength);
}

std::string OpName(std::string_view op, std::string_view target) {
  constexpr std::string_view kHome = "stablehlo.";
  std::string name = Identifier(op.starts_with(kHome) ? op.substr(kHome.size()) : op);
  if (!target.empty()) name += "_" + Identifier(target);
  return Shortened(name, kMaxOpLength);
}

}  // namespace

std::string Identifier(std::string_view text) {
  std::string name;
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  if (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

std::string CaseIdStem(std::string_view op, std::string_view target, const std::vector<TensorType>& inputs,
                       const std::vector<TensorType>& outputs, const Grid& grid) {
  std::string stem = OpName(op, target);
  std::string last;
  size_t shown = 0;
  for (const TensorType& type : inputs.empty() ? outputs : inputs) {
    std::string shape = ShapeName(type);
    if (shape.empty() || shape == last) continue;
    if (shown++ == kMaxShapes) break;
    stem += "_" + shape;
    last = shape;
  }
  std::string first = inputs.empty() ? "" : DtypeName(inputs[0]);
  std::string result = outputs.empty() ? "" : DtypeName(outputs[0]);
  if (!first.empty()) stem += "_" + first;
  if (!result.empty() && result != first) stem += "_" + result;
  if (grid.processes() > 1) stem += "_" + ToString(grid);
  return stem;
}

std::vector<std::string> MakeIds(const std::vector<IdParts>& parts, int digits) {
  std::vector<std::string> ids(parts.size());
  std::vector<size_t> open(parts.size());
  for (size_t i = 0; i < open.size(); ++i) open[i] = i;
  while (!open.empty()) {
    std::unordered_map<std::string, std::vector<size_t>> takers;
    for (size_t i : open) {
      ids[i] = parts[i].stem + "_" + parts[i].hash.substr(0, digits);
      takers[ids[i]].push_back(i);
    }
    open.clear();
    for (const auto& [id, cases] : takers) {
      if (cases.size() > 1 && static_cast<size_t>(digits) < parts[cases[0]].hash.size()) {
        open.insert(open.end(), cases.begin(), cases.end());
      }
    }
    digits *= 2;
  }
  return ids;
}

}  // namespace opbyop::generator
