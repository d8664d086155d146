// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lets a search end at the first interruption (SIGINT, SIGTERM) with what it has found; the second one ends the program
// at once.
//
//   EndAtFirstInterrupt();
//   options.stop = [] { return InterruptedBy() != 0; };
#ifndef OPBYOP_COMMANDS_INTERRUPT_H_
#define OPBYOP_COMMANDS_INTERRUPT_H_

namespace opbyop::commands {

void EndAtFirstInterrupt();

// The signal of the first interruption; 0 if there was none.
int InterruptedBy();

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_INTERRUPT_H_
