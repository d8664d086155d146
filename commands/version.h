// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The version of this program.
//
//   app.set_version_flag("--version", "opbyop " + Version());   // opbyop 0.2.0 (bde217949c1f)
#ifndef OPBYOP_COMMANDS_VERSION_H_
#define OPBYOP_COMMANDS_VERSION_H_

#include <string>

namespace opbyop::commands {

// The release and the commit that it was built from: "-dirty" if the checkout had other changes, "unknown commit" if
// the source was no checkout.
std::string Version();

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_VERSION_H_
