# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes OUT, the definition of commands/version.h, if it changes: run by each build, for a commit changes no source.
#
#   cmake -DVERSION=0.2.0 -DSOURCE=DIR -DOUT=version.cc [-DCOMMIT=bde217949c1f] -P version.cmake
#
# COMMIT is for sources that are no checkout, such as an archive's.

if(NOT COMMIT)
  execute_process(COMMAND git -c safe.directory=* -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  # A checkout of another project may hold this one.
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
