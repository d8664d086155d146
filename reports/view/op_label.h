// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The names of ops and of kinds of ops in reports.
//
//   KindLabel(c.kind)   // "Eltwise unary"
//   OpLabel(c)          // "stablehlo.add", "stablehlo.composite @tenstorrent.gelu"
#ifndef OPBYOP_REPORTS_VIEW_OP_LABEL_H_
#define OPBYOP_REPORTS_VIEW_OP_LABEL_H_

#include <string>
#include <string_view>

#include "manifests/cases/case.h"

namespace opbyop::reports {

std::string_view KindLabel(OpKind kind);

// The op, followed by its target if it calls one.
std::string OpLabel(const Case& c);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_OP_LABEL_H_
