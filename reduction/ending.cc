// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reduction/ending.h"

#include <fmt/format.h>

#include <algorithm>

#include "manifests/targets/target.h"
#include "reports/view/fingerprint.h"

namespace opbyop::reduction {
namespace {

// The kind of an element in the text of a comparison: "-1.5", "nan", "-inf", "(1, nan)", "true".
std::string_view SortOf(std::string_view element) {
  if (element.find("nan") != std::string_view::npos) return "nan";
  if (element.find("inf") != std::string_view::npos) return "an infinity";
  return "a number";
}

const Comparison* Refused(const CaseRecord& record) {
  const auto found = std::ranges::find_if(record.comparisons,
                                          [](const Comparison& each) { return !each.accepted && !each.worst.empty(); });
  return found == record.comparisons.end() ? nullptr : &*found;
}

}  // namespace

std::string Ending::Text() const {
  return fmt::format("{} in {}{}{}", ToString(status), stage, cause.empty() ? "" : ": ", cause);
}

Ending EndingOf(const CaseRecord& record, const Case& c) {
  Ending ending{record.status, record.stage, ""};
  const Comparison* refused = Refused(record);
  if (record.stage == kCompareStage && record.status == Status::kFail && refused != nullptr) {
    const Comparison::Element& worst = refused->worst.front();
    ending.cause = fmt::format("{} for {}", SortOf(worst.got), SortOf(worst.expected));
  } else {
    // The diagnostic names the input set if it was not the first.
    std::string_view diagnostic = record.diagnostic;
    if (const size_t colon = diagnostic.find(": "); diagnostic.starts_with("under ") && colon != diagnostic.npos) {
      diagnostic.remove_prefix(colon + 2);
    }
    ending.cause = reports::Fingerprint(diagnostic, c.id, c.op);
  }
  return ending;
}

}  // namespace opbyop::reduction
