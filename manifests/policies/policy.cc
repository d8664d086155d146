// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/policies/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "manifests/formats/glob.h"
#include "manifests/formats/yaml.h"

namespace opbyop {
namespace {

bool IsName(std::string_view text) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; };
  return !text.empty() && plain(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return plain(c) || c == '.'; });
}

struct NamedKind {
  InputKind kind;
  std::string_view name;
};

constexpr std::array kKinds = {
    NamedKind{InputKind::kDomain, "domain"},      NamedKind{InputKind::kSparse, "sparse"},
    NamedKind{InputKind::kExactInt, "exact-int"}, NamedKind{InputKind::kEdge, "edge"},
    NamedKind{InputKind::kSweep, "sweep"},        NamedKind{InputKind::kCaptured, "captured"},
};

}  // namespace

std::string_view ToString(InputKind kind) { return std::ranges::find(kKinds, kind, &NamedKind::kind)->name; }

Expected<InputKind> ParseInputKind(std::string_view text) {
  const auto* const found = std::ranges::find(kKinds, text, &NamedKind::name);
  if (found != kKinds.end()) return found->kind;
  std::string names;
  for (const NamedKind& kind : kKinds) names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
  return MakeError(ExitCode::kUsage, fmt::format("unknown input policy `{}`: expected one of {}", text, names));
}

Policy::Applied Policy::For(std::string_view op, std::string_view dtype, std::string_view target) const {
  Applied applied;
  for (const Relaxation& relaxation : relax) {
    if (!GlobMatches(relaxation.op, op) || !GlobMatches(relaxation.dtype, dtype) ||
        !GlobMatches(relaxation.target, target)) {
      continue;
    }
    applied.factor *= relaxation.factor;
    applied.reason += (applied.reason.empty() ? "" : "; ") + relaxation.reason;
  }
  return applied;
}

Expected<Policy> LoadPolicy(const std::filesystem::path& path) {
  Expected<YamlMap> top = LoadYaml(path);
  if (!top) return Unexpected(top.error());
  top->Schema(kPolicySchema);
  Policy policy;
  policy.name = top->Required("name");
  if (!IsName(policy.name)) {
    top->Fail(ExitCode::kBadInput,
              fmt::format("`name` is `{}`: expected letters, digits, '-', '_' and '.'", policy.name));
  }
  const auto kind = ParseInputKind(top->Required("inputs"));
  if (kind) {
    policy.inputs = *kind;
  } else {
    top->Fail(ExitCode::kBadInput, kind.error().message);
  }
  for (YamlMap& map : top->Maps("relax")) {
    Relaxation relaxation;
    relaxation.op = map.String("op", "*");
    relaxation.dtype = map.String("dtype", "*");
    relaxation.target = map.String("target", "*");
    relaxation.factor = map.Number("factor", 1, {1, kLargestFactor});
    relaxation.reason = map.Required("reason");
    map.Finish();
    policy.relax.push_back(std::move(relaxation));
  }
  if (const auto failure = top->Finish()) return Unexpected(*failure);
  return policy;
}

}  // namespace opbyop
