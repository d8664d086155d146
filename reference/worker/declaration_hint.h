// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a device that is refused would be right if its target's file declared more (docs/declarations.md): what.
//
//   reply.diagnostic += DeclarationHint(target.arithmetic, policy.inputs, results, is_right_for);
#ifndef OPBYOP_REFERENCE_WORKER_DECLARATION_HINT_H_
#define OPBYOP_REFERENCE_WORKER_DECLARATION_HINT_H_

#include <functional>
#include <string>

#include "manifests/policies/policy.h"
#include "manifests/targets/arithmetic.h"
#include "reference/eval/evaluator.h"

namespace opbyop::reference {

// "; right if ...", or nothing. `explains`: whether all outputs are right for a device that declares so much; asked of
// what could be, the most common first.
std::string DeclarationHint(const Arithmetic& declared, InputKind kind, const Values& results,
                            const std::function<bool(const Arithmetic&)>& explains);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_DECLARATION_HINT_H_
