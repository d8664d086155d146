# Build rules of this project: one call per library, program or test, every dependency named.
#
#   opbyop_library(NAME manifests SRCS a.cc b.cc DEPS support yaml-cpp)
#   opbyop_library(NAME ir SRCS read_module.cc DEPS support MLIR_ROOM)   # may use MLIR
#   opbyop_program(NAME opbyop SRCS opbyop_main.cc DEPS manifests)
#   opbyop_test(NAME manifest_test SRCS manifest_test.cc DEPS manifests LABELS unit)
#   opbyop_python_test(NAME cli_test MODULES tools.cli_test)
#
# MLIR_ROOM gives a target MLIR's include folders, its precompiled header and the shared libMLIR.
# Without it a target cannot see MLIR: the GoogleTest process stays small.

add_library(opbyop_options INTERFACE)
target_include_directories(opbyop_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_options(opbyop_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Werror)

add_library(opbyop_mlir INTERFACE)
target_include_directories(opbyop_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(opbyop_mlir INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_directories(opbyop_mlir INTERFACE ${LLVM_LIBRARY_DIRS})
target_link_libraries(opbyop_mlir INTERFACE MLIR LLVM)

file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/mlir_pch.cc CONTENT "")
add_library(opbyop_mlir_pch OBJECT ${PROJECT_BINARY_DIR}/mlir_pch.cc)
target_link_libraries(opbyop_mlir_pch PRIVATE opbyop_options opbyop_mlir)
target_precompile_headers(opbyop_mlir_pch PRIVATE
  <memory> <optional> <string> <vector>
  <llvm/ADT/STLExtras.h> <llvm/ADT/SmallVector.h> <llvm/ADT/StringMap.h> <llvm/Support/raw_ostream.h>
  <mlir/IR/Builders.h> <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
  <mlir/IR/MLIRContext.h> <mlir/IR/OpImplementation.h> <mlir/IR/Operation.h>)

function(_opbyop_target name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  set(mlir_room FALSE)
  if("MLIR_ROOM" IN_LIST ARG_DEPS)
    set(mlir_room TRUE)
    list(REMOVE_ITEM ARG_DEPS MLIR_ROOM)
  endif()
  target_link_libraries(${name} PUBLIC opbyop_options ${ARG_DEPS})
  if(mlir_room)
    target_link_libraries(${name} PUBLIC opbyop_mlir)
    target_precompile_headers(${name} REUSE_FROM opbyop_mlir_pch)
  endif()
endfunction()

function(opbyop_library)
  cmake_parse_arguments(ARG "" "NAME" "SRCS;DEPS" ${ARGN})
  add_library(${ARG_NAME} STATIC ${ARG_SRCS})
  _opbyop_target(${ARG_NAME} DEPS ${ARG_DEPS})
endfunction()

function(opbyop_program)
  cmake_parse_arguments(ARG "" "NAME" "SRCS;DEPS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SRCS})
  _opbyop_target(${ARG_NAME} DEPS ${ARG_DEPS})
endfunction()

# One GoogleTest binary, one ctest entry. LABELS defaults to unit.
function(opbyop_test)
  cmake_parse_arguments(ARG "" "NAME;TIMEOUT" "SRCS;DEPS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${ARG_NAME} ${ARG_SRCS})
  _opbyop_target(${ARG_NAME} DEPS ${ARG_DEPS} GTest::gtest_main GTest::gmock)
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "OPBYOP_SOURCE_DIR=${PROJECT_SOURCE_DIR};OPBYOP_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endfunction()

# Modules of unittest below the project's folder, one ctest entry; they find the programs through
# fixtures/programs.py. With IMPORTS, a package that they need, they run in the first of VENVS that has it, and are
# skipped where none has. LABELS defaults to unit.
function(opbyop_python_test)
  cmake_parse_arguments(ARG "" "NAME;VENVS;IMPORTS;TIMEOUT" "MODULES;LABELS" ${ARGN})
  set(python python3)
  if(ARG_IMPORTS)
    set(python sh fixtures/with_python.sh "${ARG_VENVS}" ${ARG_IMPORTS})
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${python} -m unittest ${ARG_MODULES} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77
    ENVIRONMENT "OPBYOP_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endfunction()
