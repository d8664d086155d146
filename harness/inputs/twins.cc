// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/inputs/twins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <tuple>
#include <vector>

#include "support/dtype.h"
#include "support/files/file.h"
#include "support/saturated.h"

namespace opbyop::harness {
namespace {

// A larger file holds constants, which no other case shares.
constexpr size_t kLargestProgram = 64 << 10;

// Summarizes a program by what the manifest says of it without its extents. Only cases with equal outlines need be
// read.
std::string OutlineOf(const Case& c) {
  std::string outline = c.op + " " + c.target;
  for (const auto* types : {&c.inputs, &c.outputs}) {
    for (const TensorType& type : *types) outline += fmt::format(" {}{}", type.dtype, type.shape.size());
    outline += ";";
  }
  for (const auto& [name, value] : c.attributes) outline += fmt::format(" {}={}", name, value);
  return outline;
}

// An op that reads or writes where its operands say, and what it then indexes.
struct IndexingOp {
  std::string_view name;
  // True if that is the first result, which has the shape of the operand even if the operand is a folded constant. Else
  // it is the first input.
  bool result;
};
constexpr std::array kIndexingOps = {IndexingOp{"stablehlo.dynamic_gather", false},
                                     IndexingOp{"stablehlo.dynamic_slice", false},
                                     IndexingOp{"stablehlo.dynamic_update_slice", true},
                                     IndexingOp{"stablehlo.gather", false},
                                     IndexingOp{"stablehlo.scatter", true},
                                     IndexingOp{"stablehlo.torch_index_select", false}};

// Returns the extents that a case has in common with its twins, because indices reach over them: those of the tensor
// that it indexes; all extents if that happens inside it, in a region or a function. Empty if it takes no indices.
std::string IndexedExtents(const Case& c, std::string_view program) {
  const auto text = [](const SharedList<TensorType>& types) {
    return types.empty() ? "" : fmt::format("{};", fmt::join(types.begin()->shape, "x"));
  };
  const auto own = std::ranges::find(kIndexingOps, c.op, &IndexingOp::name);
  if (own != kIndexingOps.end()) return text(own->result ? c.outputs : c.inputs);
  const auto mentioned = [&](const IndexingOp& op) { return program.find(op.name) != std::string_view::npos; };
  if (std::ranges::none_of(kIndexingOps, mentioned)) return "";
  return std::string(program);
}

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

int64_t ElementsOf(const Case& c) {
  int64_t elements = 0;
  for (const auto* types : {&c.inputs, &c.outputs}) {
    for (const TensorType& type : *types) elements = AddCapped(elements, NumElements(type).value_or(0));
  }
  return MulCapped(elements, c.grid.processes());
}

std::string SmallerTwinOf(const Case& c, const Twins& twins) {
  const auto twin = twins.find(&c);
  return twin == twins.end() ? "" : twin->second->id;
}

std::string WithoutExtents(std::string_view program, std::string_view case_id) {
  constexpr std::string_view kTensor = "tensor<";
  std::string text;
  for (size_t begin = 0; begin < program.size();) {
    const size_t end = std::min(program.find('\n', begin), program.size());
    const std::string_view line = program.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("//")) continue;
    for (size_t at = 0; at < line.size();) {
      if (!case_id.empty() && line.substr(at).starts_with(case_id)) {
        at += case_id.size();
      } else if (line.substr(at).starts_with(kTensor)) {
        text += kTensor;
        at += kTensor.size();
        while (at < line.size() && (IsDigit(line[at]) || line[at] == 'x')) {
          if (line[at] == 'x') text += '?';
          ++at;
        }
      } else {
        text += line[at++];
      }
    }
    text += '\n';
  }
  return text;
}

Twins SmallerTwins(const Manifest& manifest, int64_t elements) {
  std::map<std::string, std::vector<const Case*>> alike;
  for (const Case& c : manifest.cases) alike[OutlineOf(c)].push_back(&c);
  Twins twins;
  for (const auto& [outline, cases] : alike) {
    const auto is_large = [&](const Case* c) { return ElementsOf(*c) > elements; };
    if (cases.size() < 2 || std::ranges::none_of(cases, is_large)) continue;
    std::map<std::string, std::vector<const Case*>> programs;
    for (const Case* c : cases) {
      const Expected<std::string> text = ReadFile(manifest.path.parent_path() / c->file);
      if (text && text->size() <= kLargestProgram)
        programs[WithoutExtents(*text, c->id) + IndexedExtents(*c, *text)].push_back(c);
    }
    for (const auto& [program, members] : programs) {
      const Case* least = *std::ranges::min_element(members, {}, [](const Case* c) {
        return std::tuple(c->no_runtime_input, ElementsOf(*c), std::string_view(c->id));
      });
      for (const Case* c : members) {
        if (c != least && is_large(c)) twins.emplace(c, least);
      }
    }
  }
  return twins;
}

}  // namespace opbyop::harness
