# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Embeds text files in a program. Compiles to a function that returns the name and the text of each, sorted by name; those
# of several patterns in the order of the patterns:
#
#   opbyop_embed(FILES definitions/*.mlir HEADER reference/meanings/meanings.h
#     FUNCTION opbyop::reference::ShippedFiles TYPE ShippedFile OUT definitions.cc)
#
# The header declares `std::span<const TYPE> FUNCTION()` and a struct TYPE of two `std::string_view`. With NUMBERED
# the names begin with numbers from 1 without gaps. OUT, in the build folder of the caller, is one of a library's SRCS.
function(opbyop_embed)
  cmake_parse_arguments(arg "NUMBERED" "HEADER;FUNCTION;TYPE;OUT" "FILES" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${arg_FILES})
  list(TRANSFORM arg_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${arg_OUT}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${arg_FILES}" -DHEADER=${arg_HEADER}
            -DFUNCTION=${arg_FUNCTION} -DTYPE=${arg_TYPE} -DNUMBERED=${arg_NUMBERED}
            -DOUT=${CMAKE_CURRENT_BINARY_DIR}/${arg_OUT} -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    VERBATIM)
endfunction()
