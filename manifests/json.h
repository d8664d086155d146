// Numbers that JSON lacks, both ways: "nan", "inf", "-inf".
#ifndef OPBYOP_MANIFESTS_JSON_H_
#define OPBYOP_MANIFESTS_JSON_H_

#include <nlohmann/json.hpp>

namespace opbyop {

nlohmann::json EncodeDouble(double value);

// NaN for anything that is no number and none of the three texts.
double DecodeDouble(const nlohmann::json& json);

// One line of JSON; invalid UTF-8 (binary that a compiler printed) is replaced, never thrown at.
std::string DumpLine(const nlohmann::ordered_json& json);

}  // namespace opbyop

#endif  // OPBYOP_MANIFESTS_JSON_H_
