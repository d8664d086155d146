# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes ShippedFiles() (reference/meanings/meanings.h):
# cmake -DFOLDER=reference/meanings/definitions -DOUT=definitions.cc -P embed_definitions.cmake
file(GLOB files ${FOLDER}/*.mlir)
list(SORT files)
set(entries)
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND entries "      {\"${name}\", R\"opbyop(${text})opbyop\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"reference/meanings/meanings.h\"

namespace opbyop::reference {

std::span<const ShippedFile> ShippedFiles() {
  static constexpr ShippedFile kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace opbyop::reference
")
