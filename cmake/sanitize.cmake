# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Sanitized builds, each in a build tree of its own: `./dev test --sanitize=address|thread`, `./dev fuzz`.
#
#   cmake --preset address     # OPBYOP_SANITIZE=address: AddressSanitizer, LeakSanitizer and UBSan
#   cmake --preset thread      # OPBYOP_SANITIZE=thread: ThreadSanitizer
#   cmake --preset coverage    # OPBYOP_SANITIZE=coverage: no sanitizer, but counters for llvm-cov, `./dev coverage`
#   cmake --preset fuzz        # OPBYOP_SANITIZE=address, OPBYOP_FUZZ=ON
#
# opbyop_options has the flags, so that they apply to every target and every precompiled header. MLIR and LLVM are
# shared libraries built without them, so some checks are disabled (OPBYOP_SANITIZER_ENVIRONMENT). The first fault ends
# the program, and its test fails.
set(OPBYOP_SANITIZE "" CACHE STRING "Sanitizers of this build: address, thread, or none; or coverage")
set_property(CACHE OPBYOP_SANITIZE PROPERTY STRINGS "" address thread coverage)

# A build for `./dev fuzz` is optimised and has counters everywhere. Tests run each function once, so most of their cost
# is compiling, which takes half as long without optimisation and counters.
option(OPBYOP_FUZZ "Counters for the fuzzer in all of this project" OFF)
set(OPBYOP_COVERAGE -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp)

set(OPBYOP_SANITIZER_ENVIRONMENT "")
if(OPBYOP_SANITIZE STREQUAL "address")
  # vptr and function need RTTI, but MLIR is built without it. A float that does not fit an integer type is undefined
  # behaviour as well, but `undefined` does not include it.
  set(flags -fsanitize=address,undefined,float-cast-overflow -fno-sanitize=vptr,function -fno-sanitize-recover=all)
  # Memory that LLVM's headers poison here is not unpoisoned by its libraries. Signals are not handled, because tests
  # check workers that die of signals.
  set(asan allow_user_poisoning=0 detect_container_overflow=0 handle_segv=0 handle_abort=0 handle_sigbus=0
      handle_sigfpe=0 handle_sigill=0 allocator_may_return_null=1 max_allocation_size_mb=8192)
  list(JOIN asan ":" asan)
  list(APPEND OPBYOP_SANITIZER_ENVIRONMENT "ASAN_OPTIONS=${asan}" "UBSAN_OPTIONS=print_stacktrace=1")
elseif(OPBYOP_SANITIZE STREQUAL "thread")
  set(flags -fsanitize=thread)
  # Workers may die of signals. They are started by fork, because ThreadSanitizer turns vfork into fork.
  set(tsan handle_segv=0 handle_abort=0 handle_sigbus=0 handle_sigfpe=0 handle_sigill=0 die_after_fork=0
      halt_on_error=1 ignore_noninstrumented_modules=1)
  list(JOIN tsan ":" tsan)
  list(APPEND OPBYOP_SANITIZER_ENVIRONMENT "TSAN_OPTIONS=${tsan}")
elseif(OPBYOP_SANITIZE STREQUAL "coverage")
  # The processes of a program share four files, so that tests with many workers leave few files. The path is fixed at
  # build time, because workers get few environment variables.
  set(flags -fprofile-instr-generate=${PROJECT_BINARY_DIR}/profiles/%4m.profraw -fcoverage-mapping)
elseif(OPBYOP_SANITIZE)
  message(FATAL_ERROR "OPBYOP_SANITIZE is address, thread, coverage or empty, not '${OPBYOP_SANITIZE}'")
endif()

# For programs that no test starts: one variable per line.
list(JOIN OPBYOP_SANITIZER_ENVIRONMENT "\n" lines)
file(WRITE ${PROJECT_BINARY_DIR}/sanitizer.env "${lines}\n")

if(OPBYOP_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELEASE "-O0 -DNDEBUG")
  add_compile_options(${flags} -fno-omit-frame-pointer -gline-tables-only)
  if(OPBYOP_FUZZ)
    set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
    add_compile_options(${OPBYOP_COVERAGE})
  endif()
  add_link_options(${flags})
endif()

# Programs that `./dev test --sanitize` builds before it runs their tests. All these tests have the label `sanitized`.
# Tests of rooms that link no MLIR, by the table of docs/design/rooms.md, and those that say WITHOUT_MLIR, also have the label
# `sanitized_without_mlir`: they take minutes, and CI runs them. In manifests and reports, only the code that reads
# results and makes pages starts threads; its tests say WITHOUT_MLIR. Suites start no threads; the harness, which runs
# them, does.
#
#   opbyop_sanitized(harness_test)    # the labels of its tests: ${OPBYOP_SANITIZED_LABELS}
if(OPBYOP_SANITIZE STREQUAL "thread")
  list(REMOVE_ITEM rooms_without_mlir manifests reports history suites)
endif()
add_custom_target(sanitized)
add_custom_target(sanitized_without_mlir)
add_dependencies(sanitized sanitized_without_mlir)

macro(opbyop_sanitized program)
  cmake_parse_arguments(_sanitized "WITHOUT_MLIR" "" "" ${ARGN})
  file(RELATIVE_PATH _room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" _room ${_room})
  set(OPBYOP_SANITIZED_LABELS sanitized)
  if(_sanitized_WITHOUT_MLIR OR _room IN_LIST rooms_without_mlir)
    list(APPEND OPBYOP_SANITIZED_LABELS sanitized_without_mlir)
  endif()
  list(GET OPBYOP_SANITIZED_LABELS -1 _group)
  add_dependencies(${_group} ${program})
endmacro()
