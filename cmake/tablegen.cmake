# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Runs mlir-tblgen at build time, with one call for each record file.
#
#   opbyop_tablegen(ir/stablehlo/enums.td enums.h.inc -gen-enum-decls)
#   opbyop_tablegen_ops(ir/stablehlo misc)
#   add_custom_target(ir_records DEPENDS ${OPBYOP_TABLEGEN_OUTPUTS})
#
# The outputs have the path of the record file, below the build folder.
find_program(MLIR_TBLGEN_EXE mlir-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
find_program(LLVM_TBLGEN_EXE llvm-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)

function(_opbyop_tablegen tool td output)
  get_filename_component(folder ${td} DIRECTORY)
  set(out ${PROJECT_BINARY_DIR}/${folder}/${output})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  add_custom_command(OUTPUT ${out}
    COMMAND ${tool} ${ARGN} ${PROJECT_SOURCE_DIR}/${td} -I${PROJECT_SOURCE_DIR}
            -I${MLIR_INCLUDE_DIRS} -I${LLVM_INCLUDE_DIRS} -o ${out} -d ${out}.d
            --write-if-changed
    DEPENDS ${PROJECT_SOURCE_DIR}/${td} ${tool}
    DEPFILE ${out}.d
    COMMENT "Generating ${folder}/${output}" VERBATIM)
  set(OPBYOP_TABLEGEN_OUTPUTS ${OPBYOP_TABLEGEN_OUTPUTS} ${out} PARENT_SCOPE)
endfunction()

# opbyop_tablegen(TD OUTPUT GENERATOR_FLAGS...)
macro(opbyop_tablegen td output)
  _opbyop_tablegen(${MLIR_TBLGEN_EXE} ${td} ${output} ${ARGN})
endmacro()

# Generates declarations and definitions of the ops in a record file.
macro(opbyop_tablegen_ops folder name)
  opbyop_tablegen(${folder}/${name}.td ${name}.h.inc -gen-op-decls)
  opbyop_tablegen(${folder}/${name}.td ${name}.cc.inc -gen-op-defs)
endmacro()

# Generates a table of GenericTable records (llvm/TableGen/SearchableTable.td).
macro(opbyop_tablegen_table td output)
  _opbyop_tablegen(${LLVM_TBLGEN_EXE} ${td} ${output} -gen-searchable-tables)
endmacro()
