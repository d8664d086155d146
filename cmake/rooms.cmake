# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The rooms and those of them that link no MLIR, from the table of docs/design/rooms.md in its order.
#
#   foreach(room IN LISTS rooms) ...
#   if(room IN_LIST rooms_without_mlir) ...
set(rooms_page ${CMAKE_CURRENT_LIST_DIR}/../docs/design/rooms.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rooms_page})
file(STRINGS ${rooms_page} rooms REGEX "^\\| `[a-z]+/` \\|.*\\| (yes|no) \\|$")
file(STRINGS ${rooms_page} rooms_without_mlir REGEX "^\\| `[a-z]+/` \\|.*\\| no \\|$")
list(TRANSFORM rooms REPLACE "^\\| `([a-z]+)/`.*" "\\1")
list(TRANSFORM rooms_without_mlir REPLACE "^\\| `([a-z]+)/`.*" "\\1")
if(NOT rooms_without_mlir)
  message(FATAL_ERROR "${rooms_page} has no table of rooms, or none without MLIR")
endif()
