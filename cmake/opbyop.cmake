# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Build rules of this project: one call for each library, program or test, which names every dependency.
#
#   opbyop_library(NAME manifests SRCS a.cc b.cc DEPS support yaml-cpp)
#   opbyop_library(NAME reports DEPS reports_view reports_page)   # one name for several libraries
#   opbyop_library(NAME ir SRCS read_module.cc DEPS support MLIR_ROOM)   # may use MLIR
#   opbyop_program(NAME sample SRCS sample_main.cc DEPS manifests)
#   opbyop_program(COMMAND_LINE NAME opbyop SRCS opbyop.cc DEPS manifests CLI11::CLI11)   # mainly a command line
#   opbyop_shared_library(NAME opbyop DEPS manifests harness)   # what many programs of an installation have in common
#   opbyop_test(NAME manifest_test SRCS manifest_test.cc DEPS manifests LABELS unit)
#   opbyop_python_test(NAME cli_test MODULES commands.cli_test)
#
# MLIR_ROOM gives a target MLIR's include folders, the shared libMLIR and a precompiled header of StableHLO's ops and of
# MLIR's dialects; all files of the target are rebuilt when an op's record changes. Without it, a target cannot see
# MLIR, which keeps the GoogleTest process small.
#
# Parsing headers and instantiating templates take most of the build time. So headers are parsed once for each kind of
# target, and the files of a target are compiled OPBYOP_TOGETHER at a time, as one file: in a target, no two files may
# give the same name to different things, not even in unnamed namespaces. APART names files of a library that take long
# alone and gain little. Tests are compiled without optimisation, which halves the remaining time. Command lines are
# optimised a little: the linker takes the first copy of an inline function for the whole program, so unoptimised copies
# would slow down the libraries behind a command line.

find_package(fmt REQUIRED)

# A newer compiler has more warnings: they are errors in CI, but not for users.
option(OPBYOP_WERROR "Warnings are errors" OFF)

set(OPBYOP_TOGETHER 32 CACHE STRING "How many files of a target are compiled together; 1: each is compiled alone")

# fmt is part of the options, because all targets must use the definitions that the precompiled headers were made with.
# Every file is compiled for use in a shared library, because a precompiled header serves both kinds of targets.
add_library(opbyop_options INTERFACE)
target_compile_options(opbyop_options INTERFACE -fPIC)
target_include_directories(opbyop_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_options(opbyop_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers $<$<BOOL:${OPBYOP_WERROR}>:-Werror>)
target_link_libraries(opbyop_options INTERFACE fmt::fmt)

add_library(opbyop_mlir INTERFACE)
target_include_directories(opbyop_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(opbyop_mlir INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_directories(opbyop_mlir INTERFACE ${LLVM_LIBRARY_DIRS})
target_link_libraries(opbyop_mlir INTERFACE MLIR LLVM)

if(NOT OPBYOP_SANITIZE)
  set(OPBYOP_QUICK_OPTIONS -O0)
  set(OPBYOP_COMMAND_LINE_OPTIONS -O1)
endif()
set(common_headers
  <algorithm> <filesystem> <fstream> <functional> <map> <memory> <optional> <sstream> <string> <string_view>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)
set(mlir_headers
  <llvm/ADT/STLExtras.h> <llvm/ADT/SmallVector.h> <llvm/ADT/StringMap.h> <llvm/Support/raw_ostream.h>
  <mlir/Dialect/Func/IR/FuncOps.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/BuiltinTypes.h> <mlir/IR/MLIRContext.h> <mlir/IR/OpImplementation.h> <mlir/IR/Operation.h>
  <mlir/IR/PatternMatch.h>)
set(op_headers
  "${PROJECT_SOURCE_DIR}/ir/stablehlo/stablehlo.h" <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/IR/ImplicitLocOpBuilder.h> <mlir/Pass/Pass.h> <mlir/Transforms/DialectConversion.h>)
set(command_line_headers <CLI/CLI.hpp>)
set(quick_headers <gmock/gmock.h> <gtest/gtest.h>)

# Precompiles headers for the targets that _opbyop_target assigns them to.
function(_opbyop_pch name)
  cmake_parse_arguments(ARG "" "" "DEPS;HEADERS;OPTIONS" ${ARGN})
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cc CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE opbyop_options ${ARG_DEPS})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

_opbyop_pch(opbyop_pch HEADERS ${common_headers})
_opbyop_pch(opbyop_mlir_pch HEADERS ${common_headers} ${mlir_headers} ${op_headers} DEPS opbyop_mlir)
_opbyop_pch(opbyop_pch_quick HEADERS ${common_headers} ${quick_headers}
  DEPS GTest::gmock GTest::gtest OPTIONS ${OPBYOP_QUICK_OPTIONS})
_opbyop_pch(opbyop_mlir_pch_quick HEADERS ${common_headers} ${mlir_headers} ${quick_headers}
  DEPS opbyop_mlir GTest::gmock GTest::gtest OPTIONS ${OPBYOP_QUICK_OPTIONS})
_opbyop_pch(opbyop_pch_command_line HEADERS ${common_headers} ${command_line_headers}
  DEPS CLI11::CLI11 OPTIONS ${OPBYOP_COMMAND_LINE_OPTIONS})
_opbyop_pch(opbyop_mlir_pch_command_line HEADERS ${common_headers} ${mlir_headers} ${command_line_headers}
  DEPS opbyop_mlir CLI11::CLI11 OPTIONS ${OPBYOP_COMMAND_LINE_OPTIONS})
add_dependencies(opbyop_mlir_pch ir_records)

function(_opbyop_target name)
  cmake_parse_arguments(ARG "COMMAND_LINE;TEST" "" "DEPS" ${ARGN})
  set(headers opbyop_pch)
  if(MLIR_ROOM IN_LIST ARG_DEPS)
    list(REMOVE_ITEM ARG_DEPS MLIR_ROOM)
    list(APPEND ARG_DEPS opbyop_mlir)
    set(headers opbyop_mlir_pch)
  endif()
  if(ARG_COMMAND_LINE)
    target_compile_options(${name} PRIVATE ${OPBYOP_COMMAND_LINE_OPTIONS})
    string(APPEND headers _command_line)
  elseif(ARG_TEST)
    target_compile_options(${name} PRIVATE ${OPBYOP_QUICK_OPTIONS})
    string(APPEND headers _quick)
  endif()
  target_link_libraries(${name} PUBLIC opbyop_options ${ARG_DEPS})
  target_precompile_headers(${name} REUSE_FROM ${headers})
  if(OPBYOP_TOGETHER GREATER 1)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${OPBYOP_TOGETHER})
  endif()
endfunction()

function(opbyop_library)
  cmake_parse_arguments(ARG "" "NAME" "SRCS;APART;DEPS" ${ARGN})
  if(NOT ARG_SRCS)
    add_library(${ARG_NAME} INTERFACE)
    target_link_libraries(${ARG_NAME} INTERFACE ${ARG_DEPS})
    return()
  endif()
  add_library(${ARG_NAME} STATIC ${ARG_SRCS} ${ARG_APART})
  set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  _opbyop_target(${ARG_NAME} ${ARG_UNPARSED_ARGUMENTS} DEPS ${ARG_DEPS})
endfunction()

# The static libraries that a target is linked with, itself included.
function(_opbyop_static_libraries out)
  set(found)
  set(todo ${ARGN})
  while(todo)
    list(POP_FRONT todo name)
    if(NOT TARGET ${name} OR name IN_LIST found)
      continue()
    endif()
    get_target_property(type ${name} TYPE)
    get_target_property(is_imported ${name} IMPORTED)
    if(is_imported OR NOT type MATCHES "^(STATIC|INTERFACE)_LIBRARY$")
      continue()
    endif()
    list(APPEND found ${name})
    get_target_property(used ${name} INTERFACE_LINK_LIBRARIES)
    if(used)
      list(APPEND todo ${used})
    endif()
  endwhile()
  foreach(name IN LISTS found)
    get_target_property(type ${name} TYPE)
    if(type STREQUAL INTERFACE_LIBRARY)
      list(REMOVE_ITEM found ${name})
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Adds a shared library, lib${NAME}.so beside the programs, with all of DEPS and of what they use, except for what the
# shared libraries of SHARED have. A program names it in its own SHARED, and finds there what its DEPS would otherwise be
# linked with.
function(opbyop_shared_library)
  cmake_parse_arguments(ARG "" "NAME" "SHARED;DEPS" ${ARGN})
  set(name shared_${ARG_NAME})
  _opbyop_static_libraries(parts ${ARG_DEPS})
  foreach(other IN LISTS ARG_SHARED)
    get_target_property(there shared_${other} OPBYOP_PARTS)
    list(REMOVE_ITEM parts ${there})
  endforeach()
  list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cc CONTENT "")
  add_library(${name} SHARED ${PROJECT_BINARY_DIR}/${name}.cc)
  list(TRANSFORM ARG_SHARED PREPEND shared_ OUTPUT_VARIABLE shared)
  # The archives come again as DEPS: for the libraries of others that they need.
  target_link_libraries(${name} PRIVATE ${shared} -Wl,--whole-archive ${archives} -Wl,--no-whole-archive ${ARG_DEPS})
  # Calls of its own functions are direct, as in a program.
  set(map ${PROJECT_SOURCE_DIR}/cmake/shared_library.map)
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic-functions -Wl,--version-script=${map})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${map} OUTPUT_NAME ${ARG_NAME} OPBYOP_PARTS "${parts}"
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
endfunction()

function(opbyop_program)
  cmake_parse_arguments(ARG "" "NAME" "SRCS;SHARED;DEPS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SRCS})
  # The linker takes a function from the first library that has it.
  foreach(shared IN LISTS ARG_SHARED)
    target_link_libraries(${ARG_NAME} PUBLIC shared_${shared})
  endforeach()
  _opbyop_target(${ARG_NAME} ${ARG_UNPARSED_ARGUMENTS} DEPS ${ARG_DEPS})
endfunction()

# Adds a command in the project's folder as a ctest test: exit code 0 passes, 77 skips, any other fails. LABELS defaults
# to unit, TIMEOUT to 120 seconds.
function(opbyop_command_test)
  cmake_parse_arguments(ARG "" "NAME;TIMEOUT" "COMMAND;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # GoogleTest's TempDir() is in the build tree, so that two trees can be tested at the same time.
  set(test_folder ${PROJECT_BINARY_DIR}/tmp)
  file(MAKE_DIRECTORY ${test_folder})
  set_tests_properties(${ARG_NAME} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77
    ENVIRONMENT "OPBYOP_SOURCE_DIR=${PROJECT_SOURCE_DIR};OPBYOP_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};\
TEST_TMPDIR=${test_folder};${OPBYOP_SANITIZER_ENVIRONMENT}")
endfunction()

# Adds a GoogleTest binary, with LABELS and TIMEOUT as above. In a sanitized build, each takes several times as long and
# is among the tests that `./dev test --sanitize` runs. WITHOUT_MLIR: the test needs no MLIR, although its room does
# (cmake/sanitize.cmake).
function(opbyop_test)
  cmake_parse_arguments(ARG "WITHOUT_MLIR" "NAME;TIMEOUT" "SRCS;DEPS;LABELS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SRCS})
  _opbyop_target(${ARG_NAME} TEST DEPS ${ARG_DEPS} GTest::gtest_main GTest::gmock)
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(OPBYOP_SANITIZE)
    if("unit" IN_LIST ARG_LABELS)
      set(group)
      if(ARG_WITHOUT_MLIR)
        set(group WITHOUT_MLIR)
      endif()
      opbyop_sanitized(${ARG_NAME} ${group})
      list(APPEND ARG_LABELS ${OPBYOP_SANITIZED_LABELS})
    endif()
    set(ARG_TIMEOUT 1800)
  endif()
  opbyop_command_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME} TIMEOUT ${ARG_TIMEOUT} LABELS ${ARG_LABELS})
endfunction()

# Adds a test that runs Python with ARGUMENTS. With IMPORTS, a package that the test needs, it runs in the first of
# VENVS that has the package, and is skipped if none has. LABELS and TIMEOUT are as above.
function(opbyop_venv_test)
  cmake_parse_arguments(ARG "" "NAME;VENVS;IMPORTS;TIMEOUT" "ARGUMENTS;LABELS" ${ARGN})
  set(python python3)
  if(ARG_IMPORTS)
    if(NOT ARG_VENVS)
      set(ARG_VENVS none)  # an empty argument would be lost
    endif()
    set(python sh fixtures/with_python.sh "${ARG_VENVS}" ${ARG_IMPORTS})
  endif()
  opbyop_command_test(NAME ${ARG_NAME} COMMAND ${python} ${ARG_ARGUMENTS} TIMEOUT ${ARG_TIMEOUT} LABELS ${ARG_LABELS})
endfunction()

# Adds a test of unittest modules below the project's folder, which find the programs through fixtures/programs.py.
# VENVS, IMPORTS, LABELS and TIMEOUT are as above. validation/repository/skipped_tests.py needs -v to read which tests
# were skipped and why.
function(opbyop_python_test)
  cmake_parse_arguments(ARG "" "NAME;VENVS;IMPORTS;TIMEOUT" "MODULES;LABELS" ${ARGN})
  opbyop_venv_test(NAME ${ARG_NAME} VENVS ${ARG_VENVS} IMPORTS ${ARG_IMPORTS} ARGUMENTS -m unittest -v ${ARG_MODULES}
    TIMEOUT ${ARG_TIMEOUT} LABELS ${ARG_LABELS})
endfunction()
