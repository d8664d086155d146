// What sort of operation an op is, and how reports name it.
//
//   OpKind("stablehlo.tanh")   // "Eltwise unary"
//   OpLabel(c)                 // "stablehlo.add", "stablehlo.composite @tenstorrent.gelu"
#ifndef OPBYOP_REPORTS_OP_KIND_H_
#define OPBYOP_REPORTS_OP_KIND_H_

#include <string>
#include <string_view>

#include "manifests/case.h"

namespace opbyop::reports {

// "Other" for an op that the table does not know.
std::string_view OpKind(std::string_view op);

// The op, followed by its target where it calls one.
std::string OpLabel(const Case& c);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_OP_KIND_H_
