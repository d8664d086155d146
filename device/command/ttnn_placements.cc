// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/command/ttnn_placements.h"

#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string>

namespace opbyop::command {
namespace {

using Aliases = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kTensor = "tensor<";
constexpr std::string_view kLayout = "#ttnn.ttnn_layout<";
constexpr int kMaxAliasDepth = 8;
constexpr size_t kMaxLayoutBytes = 1 << 16;

std::string_view Stripped(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

// Finds "#name = text" at the start of lines.
Aliases AliasesOf(std::string_view text) {
  Aliases aliases;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t equals = line.find(" = ");
    if (!line.starts_with('#') || equals == std::string_view::npos) continue;
    aliases.emplace(line.substr(0, equals), Stripped(line.substr(equals + 3)));
  }
  return aliases;
}

bool IsNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$'; }

// Replaces the aliases in `text`, and the aliases in their texts.
std::string Resolve(std::string_view text, const Aliases& aliases, int depth = 0) {
  std::string out;
  for (size_t i = 0; i < text.size() && out.size() < kMaxLayoutBytes;) {
    size_t end = i + 1;
    if (text[i] == '#') {
      while (end < text.size() && IsNameChar(text[end])) ++end;
    }
    const std::string_view word = text.substr(i, end - i);
    const auto alias = text[i] == '#' && depth < kMaxAliasDepth ? aliases.find(word) : aliases.end();
    out += alias == aliases.end() ? std::string(word) : Resolve(alias->second, aliases, depth + 1);
    i = end;
  }
  return out;
}

// The position after the bracket that closes the one at `open`, or npos if none does. The arrow "->" is no bracket.
size_t Closing(std::string_view text, size_t open) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && text[i - (i > 0 ? 1 : 0)] != '\\') quoted = !quoted;
    if (quoted) continue;
    if (c == '-' && text.substr(i).starts_with("->")) {
      ++i;
    } else if (c == '<' || c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if ((c == '>' || c == ')' || c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// Splits at the commas that are not inside brackets.
std::vector<std::string_view> Parts(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size();) {
    if (i == text.size() || text[i] == ',') {
      parts.push_back(Stripped(text.substr(begin, i - begin)));
      begin = ++i;
      continue;
    }
    const bool opens = text[i] == '<' || text[i] == '(' || text[i] == '{' || text[i] == '[';
    const size_t behind = opens ? Closing(text, i) : i + 1;
    if (behind == std::string_view::npos) return {};
    i = behind;
  }
  return parts;
}

// Turns "block_sharded" into "BlockSharded".
std::string Camel(std::string_view name) {
  std::string out;
  bool up = true;
  for (const char c : name) {
    if (c != '_') out += up ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    up = c == '_';
  }
  return out;
}

// The text in "<...>" at the end of `part`, after `head`.
std::optional<std::string_view> Inside(std::string_view part, std::string_view head) {
  if (!part.starts_with(head) || !part.ends_with('>')) return std::nullopt;
  return part.substr(head.size(), part.size() - head.size() - 1);
}

std::vector<int64_t> GridOf(std::string_view text) {
  std::vector<int64_t> grid;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    int64_t extent = 0;
    const auto [next, failure] = std::from_chars(at, end, extent);
    if (failure != std::errc()) return {};
    grid.push_back(extent);
    if (next == end || *next == ',') return grid;
    if (*next != 'x') return {};
    at = next + 1;
  }
}

// Reads "(d0, d1) -> (d0, d1), <8x8>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <block_sharded>".
std::optional<Placement> PlacementOf(std::string_view layout) {
  Placement placement;
  bool tiled = false;
  for (const std::string_view part : Parts(layout)) {
    if (const auto memref = Inside(part, "memref<")) {
      tiled = memref->find("tile<") != std::string_view::npos;
      for (const std::string_view of : Parts(*memref)) {
        if (const auto memory = Inside(of, "#ttnn.buffer_type<")) placement.memory = Camel(*memory);
      }
    } else if (const auto sharding = Inside(part, "#ttnn.tensor_memory_layout<")) {
      placement.layout = Camel(*sharding);
    } else if (const auto grid = Inside(part, "#ttcore.grid<"); grid && placement.grid.empty()) {
      placement.grid = GridOf(*grid);
    } else if (const auto plain = Inside(part, "<"); plain && !plain->empty()) {
      const bool is_grid = std::isdigit(static_cast<unsigned char>(plain->front())) != 0;
      if (is_grid && placement.grid.empty()) placement.grid = GridOf(*plain);
      if (!is_grid) placement.layout = Camel(*plain);
    }
  }
  if (placement.memory.empty() || placement.grid.empty()) return std::nullopt;
  if (placement.memory == "SystemMemory") placement.memory = "System";  // the word in OpTest's format
  if (placement.layout.empty()) placement.layout = tiled ? "Tile" : "RowMajor";
  return placement;
}

// The shape with the element type, and the encoding, of each tensor in a list of types. Attributes in braces may hold
// further types.
using TensorParts = std::pair<std::string_view, std::string_view>;

std::optional<std::vector<TensorParts>> TensorsIn(std::string_view types) {
  std::vector<TensorParts> tensors;
  for (size_t i = 0; i < types.size();) {
    const bool is_tensor = types.substr(i).starts_with(kTensor);
    if (!is_tensor && types[i] != '{') {
      ++i;
      continue;
    }
    const size_t behind = Closing(types, is_tensor ? i + kTensor.size() - 1 : i);
    if (behind == std::string_view::npos) return std::nullopt;
    if (is_tensor) {
      const auto type = Inside(types.substr(i, behind - i), kTensor);
      const std::vector<std::string_view> parts = type ? Parts(*type) : std::vector<std::string_view>();
      if (parts.size() != 2) return std::nullopt;
      tensors.emplace_back(parts[0], parts[1]);
    }
    i = behind;
  }
  return tensors;
}

std::optional<std::vector<Placement>> PlacementsOf(std::string_view types, const Aliases& aliases) {
  const auto tensors = TensorsIn(types);
  if (!tensors) return std::nullopt;
  std::vector<Placement> placements;
  placements.reserve(tensors->size());
  for (const auto& [shape, encoding] : *tensors) {
    const std::string resolved = Resolve(encoding, aliases);
    const auto layout = Inside(resolved, kLayout);
    std::optional<Placement> placement = layout ? PlacementOf(*layout) : std::nullopt;
    if (!placement) return std::nullopt;
    placements.push_back(std::move(*placement));
  }
  return placements;
}

// Reads the extents of "4x4xbf16"; a scalar's text is its element type alone.
std::vector<int64_t> ShapeOf(std::string_view text) {
  std::vector<int64_t> shape;
  int64_t extent = 0;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      extent = 10 * extent + (c - '0');
    } else if (c == 'x') {
      shape.push_back(extent);
      extent = 0;
    } else {
      break;
    }
  }
  return shape;
}

std::vector<std::vector<int64_t>> ShapesOf(const std::vector<TensorParts>& tensors) {
  std::vector<std::vector<int64_t>> shapes;
  shapes.reserve(tensors.size());
  for (const TensorParts& tensor : tensors) shapes.push_back(ShapeOf(tensor.first));
  return shapes;
}

// A type, or several in parentheses, at the start of `text`.
std::string_view FirstTypes(std::string_view text) {
  text = Stripped(text);
  const size_t open = text.find_first_of("(<");
  const size_t behind = open == std::string_view::npos ? open : Closing(text, open);
  return behind == std::string_view::npos ? std::string_view() : text.substr(0, behind);
}

// "(arguments) -> results" of @main, from its parenthesis on; empty if there is no such function.
std::string_view SignatureOfMain(std::string_view text) {
  const size_t pretty = text.find(" @main(");
  if (pretty != std::string_view::npos) {
    const size_t line = text.rfind('\n', pretty);
    const std::string_view head = text.substr(line == std::string_view::npos ? 0 : line + 1, pretty - line);
    if (head.find("func.func") != std::string_view::npos) return text.substr(pretty + 6);
  }
  constexpr std::string_view kFunction = "\"func.func\"() <{";
  constexpr std::string_view kType = "function_type = ";
  for (size_t at = text.find(kFunction); at != std::string_view::npos; at = text.find(kFunction, at + 1)) {
    const size_t brace = at + kFunction.size() - 1;
    const size_t behind = Closing(text, brace);
    if (behind == std::string_view::npos) return {};
    const std::string_view properties = text.substr(brace, behind - brace);
    if (properties.find("sym_name = \"main\"") == std::string_view::npos) continue;
    const size_t type = properties.find(kType);
    return type == std::string_view::npos ? std::string_view() : properties.substr(type + kType.size());
  }
  return {};
}

struct Signature {
  std::string_view arguments;
  std::string_view results;
};

// The types of @main's arguments and results; nullopt if there is no such function.
std::optional<Signature> TypesOfMain(std::string_view text) {
  const std::string_view signature = SignatureOfMain(text);
  const std::string_view arguments = FirstTypes(signature);
  if (arguments.empty()) return std::nullopt;
  const std::string_view rest = Stripped(signature.substr(arguments.size()));
  const bool has_results = rest.starts_with("->");
  const std::string_view results = has_results ? FirstTypes(rest.substr(2)) : std::string_view();
  if (has_results && results.empty()) return std::nullopt;
  return Signature{arguments, results};
}

}  // namespace

Placements TtnnPlacements(std::string_view text) {
  const std::optional<Signature> types = TypesOfMain(text);
  if (!types) return {};
  const Aliases aliases = AliasesOf(text);
  auto inputs = PlacementsOf(types->arguments, aliases);
  auto outputs = PlacementsOf(types->results, aliases);
  if (!inputs || !outputs) return {};
  return {std::move(*inputs), std::move(*outputs)};
}

std::optional<TtnnShapes> ReadTtnnShapes(std::string_view text) {
  const std::optional<Signature> types = TypesOfMain(text);
  const auto inputs = types ? TensorsIn(types->arguments) : std::nullopt;
  const auto outputs = types ? TensorsIn(types->results) : std::nullopt;
  if (!inputs || !outputs) return std::nullopt;
  return TtnnShapes{ShapesOf(*inputs), ShapesOf(*outputs)};
}

}  // namespace opbyop::command
