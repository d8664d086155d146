// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/case_sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "support/dtype.h"
#include "support/sharding/sharding_text.h"

namespace opbyop {

std::string_view ToString(ShardingSource source) { return source == ShardingSource::kProgram ? "program" : "rules"; }

std::vector<std::string> TextsOf(const std::vector<Division>& divisions, int64_t partitions) {
  std::vector<std::string> texts;
  texts.reserve(divisions.size());
  for (const Division& division : divisions) texts.push_back(ToText(division, partitions));
  return texts;
}

Expected<std::vector<Division>> DivisionsOf(const std::vector<std::string>& texts, const std::vector<TensorType>& types,
                                            int64_t partitions) {
  if (texts.size() != types.size()) {
    return MakeError(ExitCode::kBadInput, fmt::format("{} shardings for {} tensors", texts.size(), types.size()));
  }
  std::vector<Division> divisions;
  for (size_t i = 0; i < texts.size(); ++i) {
    Expected<Division> division = ParseDivision(texts[i], types[i].shape.size(), partitions);
    if (!division) return Unexpected(division.error());
    if (!CanDivide(types[i].shape, *division)) {
      return MakeError(ExitCode::kBadInput, fmt::format("{} does not divide a tensor of shape [{}]", texts[i],
                                                        fmt::join(types[i].shape, ", ")));
    }
    divisions.push_back(std::move(*division));
  }
  return divisions;
}

ShardedTensor Sharded(const TensorType& type, const Division& division) {
  const int64_t elements = NumElements(type).value_or(0);
  return {.shape = type.shape,
          .element_bytes = elements == 0 ? 1 : StoredBytes(type) / elements,
          .division = division,
          .padding = ExtremeElement(type.dtype)};
}

}  // namespace opbyop
