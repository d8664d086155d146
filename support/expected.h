// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Errors as values. Every fallible function of this project returns Expected<T>.
//
//   Expected<Manifest> manifest = LoadManifest(path);
//   if (!manifest) return Unexpected(manifest.error());
//
// A message is one sentence that names the file, the line if there is one, what was found, what was expected and the
// probable cause. It is printed to the user unchanged.
#ifndef OPBYOP_SUPPORT_EXPECTED_H_
#define OPBYOP_SUPPORT_EXPECTED_H_

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "support/exit_code.h"

namespace opbyop {

struct Error {
  ExitCode code = ExitCode::kInternal;
  std::string message;
};

template <typename T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> Unexpected(Error error) { return tl::unexpected<Error>(std::move(error)); }

inline tl::unexpected<Error> MakeError(ExitCode code, std::string message) {
  return Unexpected(Error{code, std::move(message)});
}

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_EXPECTED_H_
