# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes the function of opbyop_embed() (cmake/embed.cmake), whose arguments are variables here.
set(files)
foreach(pattern IN LISTS FILES)
  file(GLOB found ${pattern})
  list(SORT found)
  list(APPEND files ${found})
endforeach()
string(REGEX MATCH "^(.*)::([^:]+)$" qualified ${FUNCTION})
set(namespace ${CMAKE_MATCH_1})
set(function ${CMAKE_MATCH_2})
set(entries)
set(number 0)
foreach(file ${files})
  math(EXPR number "${number} + 1")
  get_filename_component(name ${file} NAME)
  string(REGEX MATCH "^[0-9]+" prefix ${name})
  if(NUMBERED AND NOT "${prefix}" MATCHES "^0*${number}$")
    message(FATAL_ERROR "${name}: these files are numbered from 1 without gaps, this one should be ${number}")
  endif()
  file(READ ${file} text)
  string(APPEND entries "      {\"${name}\", R\"opbyop(${text})opbyop\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"

namespace ${namespace} {

std::span<const ${TYPE}> ${function}() {
  static constexpr ${TYPE} kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace ${namespace}
")
