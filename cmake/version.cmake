# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes OUT, the definition of commands/version.h, if it has changed. Every build runs it, because a commit changes no
# source file.
#
#   cmake -DVERSION=0.2.0 -DSOURCE=DIR -DOUT=version.cc [-DCOMMIT=bde217949c1f] -P version.cmake
#
# COMMIT is for sources that are not a checkout, such as those of an archive.

if(NOT COMMIT)
  execute_process(COMMAND git -c safe.directory=* -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  # This project may be inside a checkout of another one.
  if(failed OR NOT EXISTS ${SOURCE}/.git)
    set(COMMIT "unknown commit")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/version.h"

namespace opbyop::commands {

std::string Version() { return "@VERSION@ (@COMMIT@)"; }

}  // namespace opbyop::commands
]])
