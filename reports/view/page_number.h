// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values in the form of the pages' data.
#ifndef OPBYOP_REPORTS_VIEW_PAGE_NUMBER_H_
#define OPBYOP_REPORTS_VIEW_PAGE_NUMBER_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "manifests/cases/case.h"

namespace opbyop::reports {

// Rounds to four significant digits, enough for readers. A value that is not finite is "nan", "inf" or "-inf".
nlohmann::ordered_json PageNumber(double value);

// "(2x3xf32, 3xf32) -> (2x3xf32)".
std::string SignatureText(const Case& c);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_PAGE_NUMBER_H_
