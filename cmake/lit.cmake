# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Registers lit + FileCheck suites with ctest.
#
#   opbyop_lit_suite(NAME ir_lit DIR ir/test DEPS opbyop-opt)
#
# Every .mlir file below DIR is a test with its RUN lines. The programs of build/bin and LLVM's test tools (FileCheck,
# not, split-file) are on the PATH. %S is the test's folder, %t a scratch file. DEPS are the programs that the tests
# run; `ninja check-ir_lit` builds them and runs the suite.
find_program(OPBYOP_LIT lit HINTS ${LLVM_TOOLS_BINARY_DIR})

function(opbyop_lit_suite)
  cmake_parse_arguments(ARG "" "NAME;DIR" "DEPS" ${ARGN})
  if(NOT OPBYOP_LIT)
    message(WARNING "lit is missing, so the tests of ${ARG_DIR} cannot run (Debian package llvm-22-tools)")
    return()
  endif()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${ARG_DIR}/lit.site.cfg.py CONTENT
"config.name = '${ARG_NAME}'
config.test_source_root = '${PROJECT_SOURCE_DIR}/${ARG_DIR}'
config.test_exec_root = '${PROJECT_BINARY_DIR}/${ARG_DIR}'
config.tool_folders = ['${CMAKE_RUNTIME_OUTPUT_DIRECTORY}', '${LLVM_TOOLS_BINARY_DIR}']
lit_config.load_config(config, '${PROJECT_SOURCE_DIR}/cmake/lit.cfg.py')
")
  set(command ${OPBYOP_LIT} -v --order=lexical ${PROJECT_BINARY_DIR}/${ARG_DIR})
  opbyop_command_test(NAME ${ARG_NAME} COMMAND ${command} TIMEOUT 300)
  add_custom_target(check-${ARG_NAME} COMMAND ${command} DEPENDS ${ARG_DEPS} USES_TERMINAL VERBATIM)
endfunction()
