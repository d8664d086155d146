# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes Migrations() (history/database/migrations.h): cmake -DFOLDER=history/database/schema -DOUT=schema.cc -P embed_schema.cmake
file(GLOB files ${FOLDER}/*.sql)
list(SORT files)
set(entries)
set(number 0)
foreach(file ${files})
  math(EXPR number "${number} + 1")
  get_filename_component(name ${file} NAME)
  string(REGEX MATCH "^[0-9]+" prefix ${name})
  if(NOT "${prefix}" MATCHES "^0*${number}$")
    message(FATAL_ERROR "${name}: the migrations are numbered from 1 without gaps, this one should be ${number}")
  endif()
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"opbyop(${text})opbyop\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"history/database/migrations.h\"

namespace opbyop::history {

std::span<const Migration> Migrations() {
  static constexpr Migration kMigrations[] = {
${entries}  };
  return kMigrations;
}

}  // namespace opbyop::history
")
