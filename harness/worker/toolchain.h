// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Asks a target's toolchain for its version, for the header of a run.
//
//   const Toolchain toolchain = AskToolchain(target, hello);
//   header.toolchain = toolchain.version;
//
// The target's command `version` prints the version as text, or a JSON object with any of these members:
//
//   {"toolchain": "LLVM 22", "commit": "19c86fca...", "card": "n150"}
#ifndef OPBYOP_HARNESS_WORKER_TOOLCHAIN_H_
#define OPBYOP_HARNESS_WORKER_TOOLCHAIN_H_

#include <optional>
#include <string>

#include "manifests/targets/target.h"
#include "protocol/hello.h"

namespace opbyop::harness {

struct Toolchain {
  std::string version;
  // Commit of the compiler's sources: nullopt if the target declares no way to learn it, empty if that way gave none.
  std::optional<std::string> commit;
  std::string card;  // the hardware; empty: unknown
};

// True if two workers of a target report the same name, version and properties.
bool SameToolchain(const protocol::Hello& one, const protocol::Hello& other);

// Returns "mock, version mock 1.0".
std::string Describe(const protocol::Hello& hello);

Toolchain AskToolchain(const Target& target, const protocol::Hello& hello);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_WORKER_TOOLCHAIN_H_
