// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recognizes XLA's HLO, which users of XLA have as dumps (`--xla_dump_to`). It is not read here: `opbyop split` has it
// converted to StableHLO by jaxlib in a worker.
//
//   if (HloFormOf(bytes)) ...                                       // by content
//   IsHloDump("module_0001.jit_f.before_optimizations.txt")         // true: the program as the framework gave it
#ifndef OPBYOP_IR_HLO_HLO_FILE_H_
#define OPBYOP_IR_HLO_HLO_FILE_H_

#include <optional>
#include <string_view>

namespace opbyop {

enum class HloForm {
  kText,    // `HloModule name, ...`
  kModule,  // a serialized HloModuleProto
  kProto,   // a serialized HloProto: a module, and how buffers were assigned
};

// False if a file that starts with these bytes, at least 256 or all, is certainly no HLO.
bool MayBeHlo(std::string_view head);

// nullopt if the bytes, which are all of a file's, are no HLO.
std::optional<HloForm> HloFormOf(std::string_view bytes);

// True if a file of this name in a folder of dumps is a program as it was before XLA changed it: `*.hlo`, `*.hlo.pb`
// and `*.before_optimizations.txt`, but no later stage of a dump.
bool IsHloDump(std::string_view name);

// The name without the endings by which IsHloDump() knows it: "module_0001.jit_f".
std::string_view HloStem(std::string_view name);

}  // namespace opbyop

#endif  // OPBYOP_IR_HLO_HLO_FILE_H_
