#include "manifests/policy.h"

#include <fmt/format.h>

#include "manifests/glob.h"
#include "manifests/yaml.h"

namespace opbyop {

std::string_view ToString(InputKind kind) {
  switch (kind) {
    case InputKind::kDomain:
      return "domain";
    case InputKind::kSparse:
      return "sparse";
    case InputKind::kExactInt:
      return "exact-int";
    case InputKind::kEdge:
      return "edge";
    case InputKind::kCaptured:
      return "captured";
  }
  return "domain";
}

Expected<InputKind> ParseInputKind(std::string_view text) {
  for (const InputKind kind :
       {InputKind::kDomain, InputKind::kSparse, InputKind::kExactInt, InputKind::kEdge, InputKind::kCaptured}) {
    if (ToString(kind) == text) return kind;
  }
  return MakeError(
      ExitCode::kUsage,
      fmt::format("unknown input policy `{}`: expected domain, sparse, exact-int, edge or captured", text));
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
