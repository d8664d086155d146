// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reduces diagnostics with the same cause to one text, although they differ in numbers, shapes and names. Groups are
// made by it.
//
//   Fingerprint("output 3: 12 of 144 elements", c, "stablehlo.add")   // "output #: # of # elements"
#ifndef OPBYOP_REPORTS_VIEW_FINGERPRINT_H_
#define OPBYOP_REPORTS_VIEW_FINGERPRINT_H_

#include <string>
#include <string_view>

namespace opbyop::reports {

// The part of a diagnostic that names its cause: from "right if" on, if a declaration of the target's file would explain
// the errors, else all of it.
std::string_view CauseText(std::string_view diagnostic);

// Numbers (with a sign or a fraction, those of a shape or an address, but not the digits of `f32`), values (`%arg0`)
// and the contents of tensor<...> become `#`; the case's id and its op's name become `{case}` and `{op}`, and the
// folders of an absolute path `{path}`. At most 300 bytes of its CauseText() are read.
std::string Fingerprint(std::string_view diagnostic, std::string_view case_id, std::string_view op);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_FINGERPRINT_H_
