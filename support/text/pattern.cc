// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/text/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace opbyop {
namespace {

re2::StringPiece PieceOf(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Expected<Pattern> Pattern::Compile(std::string_view text) {
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  auto compiled = std::make_shared<const RE2>(PieceOf(text), options);
  if (!compiled->ok()) {
    return MakeError(ExitCode::kBadInput, fmt::format("`{}` is no regular expression: {}", text, compiled->error()));
  }
  return Pattern(std::move(compiled));
}

bool Pattern::IsFoundIn(std::string_view text) const { return RE2::PartialMatch(PieceOf(text), *compiled_); }

}  // namespace opbyop
