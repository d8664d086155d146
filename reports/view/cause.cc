// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/cause.h"

#include <fmt/format.h>

#include "reports/view/fingerprint.h"
#include "support/files/sha256.h"

namespace opbyop::reports {

namespace {

constexpr size_t kIdDigits = 8;

}  // namespace

Cause CauseOf(const RowResult& row) {
  const Status status = row.status == Status::kExpectedFail ? row.recorded_status : row.status;
  return {status, row.stage, Fingerprint(row.diagnostic, row.c->id, row.c->op)};
}

std::string CauseId(const Cause& cause) {
  const std::string text = fmt::format("{}\n{}\n{}", ToString(cause.status), cause.stage, cause.fingerprint);
  return "g" + Sha256Hex(text).substr(0, kIdDigits);
}

}  // namespace opbyop::reports
