// Values as the pages' data holds them.
#ifndef OPBYOP_REPORTS_PAGE_NUMBER_H_
#define OPBYOP_REPORTS_PAGE_NUMBER_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "manifests/case.h"

namespace opbyop {

// Four significant digits are enough to read; what is not finite is "nan", "inf" or "-inf".
nlohmann::ordered_json PageNumber(double value);

// "(2x3xf32, 3xf32) -> (2x3xf32)".
std::string SignatureText(const Case& c);

// JSON without "<": no text of it can close the <script> element that it stands in.
std::string ScriptSafe(std::string_view json);

}  // namespace opbyop

#endif  // OPBYOP_REPORTS_PAGE_NUMBER_H_
