// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts HLO to StableHLO with jaxlib, in a worker that the target file device/xla/hlo.yaml starts when the first
// program comes.
//
//   HloConverter converter;
//   Expected<generator::ConvertedProgram> program = converter.Convert(source);   // text, and "hlo, jaxlib 0.10.2"
#ifndef OPBYOP_COMMANDS_SPLIT_CONVERT_HLO_H_
#define OPBYOP_COMMANDS_SPLIT_CONVERT_HLO_H_

#include <memory>

#include "commands/split/lower.h"
#include "generator/split/split_command.h"
#include "support/expected.h"

namespace opbyop::commands {

class HloConverter {
 public:
  // The message of an error names the file and, if no Python has jaxlib, the command that installs it.
  Expected<generator::ConvertedProgram> Convert(const generator::ModelSource& source);

 private:
  std::unique_ptr<Lowerer> worker_;
};

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_SPLIT_CONVERT_HLO_H_
