// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Suggests what a target's file could declare (docs/declarations.md) so that a refused output would be right.
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

// Returns "; right if ...", or nothing. `explains` says whether all outputs are right for a device with the given
// declaration; `has_intermediates` whether the program has several ops. It is called for each possible declaration, the most common first.
std::string DeclarationHint(const Arithmetic& declared, InputKind kind, const Values& results, bool has_intermediates,
                            const std::function<bool(const Arithmetic&)>& explains);

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_WORKER_DECLARATION_HINT_H_
