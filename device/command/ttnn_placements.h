// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds where a board keeps arguments and results: reads the layouts in the TTNN text of a program, with or without
// aliases.
//
//   #dram = #ttnn.buffer_type<dram>
//   #layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>,
//                               memref<1x1x!ttcore.tile<32x32, bf16>, #dram>, <block_sharded>>
//   func.func @main(%a: tensor<256x256xbf16, #layout>) -> tensor<256x256xbf16, #layout> {
//
//   TtnnPlacements(text).inputs[0];   // {"Dram", "BlockSharded", {8, 8}}
//
// The text is scanned rather than parsed, because its dialects are not part of this project.
#ifndef OPBYOP_DEVICE_COMMAND_TTNN_PLACEMENTS_H_
#define OPBYOP_DEVICE_COMMAND_TTNN_PLACEMENTS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "manifests/results/result.h"

namespace opbyop::command {

// The placements of @main's arguments and results. None if the text has no such function, or if the layout of one of
// its tensors cannot be read.
Placements TtnnPlacements(std::string_view text);

// The shapes of @main's arguments and results: those of one device's parts if the program is divided among several.
struct TtnnShapes {
  std::vector<std::vector<int64_t>> inputs;
  std::vector<std::vector<int64_t>> outputs;
};

// nullopt if the text has no such function, or if a type of it cannot be read.
std::optional<TtnnShapes> ReadTtnnShapes(std::string_view text);

}  // namespace opbyop::command

#endif  // OPBYOP_DEVICE_COMMAND_TTNN_PLACEMENTS_H_
