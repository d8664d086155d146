# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Rules for `cmake --install build --prefix P`. Installed programs find their data relative to themselves
# (support/files/project_folder.h), so P may be moved.
#
#   P/bin                   links to the programs that users start
#   P/libexec/opbyop        all programs
#   P/libexec/opbyop/lib    shared libraries of the programs: the component `libraries`, installed only by name
#   P/share/opbyop          data, laid out as in the checkout
#   P/share/man, ...        man pages, completion, documentation

get_property(verbs GLOBAL PROPERTY OPBYOP_VERBS)
set(installed_programs
  ${verbs}
  conformance opbyop opbyop-artifact-writer opbyop-opt opbyop-pjrt-interface opbyop-pjrt-worker opbyop-supervisor opbyop-worker
  optrace-tool)
set(started_by_people opbyop opbyop-opt optrace)
set(installed_libraries opbyop_npy shared_opbyop shared_opbyop-mlir)
set(installed_rpath $ORIGIN $ORIGIN/lib ${LLVM_LIBRARY_DIRS})

# Everything that `cmake --install` needs, and nothing else: ./dev build installable.
add_custom_target(installable)
add_dependencies(installable ${installed_programs} ${installed_libraries} cli_pages)

# Uses DT_RPATH, because it also applies to the libraries that the libraries in that folder need.
set_target_properties(${installed_programs} ${installed_libraries} PROPERTIES INSTALL_RPATH "${installed_rpath}")
foreach(program IN LISTS installed_programs installed_libraries)
  target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
endforeach()
install(TARGETS ${installed_programs} ${installed_libraries} COMPONENT programs
  RUNTIME DESTINATION libexec/opbyop
  LIBRARY DESTINATION libexec/opbyop)
foreach(program IN LISTS started_by_people)
  install(CODE "
    set(bin \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
    file(MAKE_DIRECTORY \${bin})
    file(CREATE_LINK ../libexec/opbyop/${program} \${bin}/${program} SYMBOLIC)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \${CMAKE_INSTALL_PREFIX}/bin/${program})" COMPONENT links)
endforeach()

# --- data

set(no_tests PATTERN "*_test.py" EXCLUDE PATTERN "*_benchmark.py" EXCLUDE PATTERN testing.py EXCLUDE)
foreach(kind targets baselines policies)
  install(DIRECTORY manifests/${kind} DESTINATION share/opbyop/manifests COMPONENT data FILES_MATCHING PATTERN "*.yaml")
endforeach()
foreach(device iree pjrt tenstorrent xla)
  install(DIRECTORY device/${device} DESTINATION share/opbyop/device COMPONENT data
    FILES_MATCHING PATTERN "*.py" PATTERN "hlo.yaml" PATTERN "shardy.yaml" PATTERN "requirements*.txt" PATTERN "*.ttsys"
    PATTERN test EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN interface EXCLUDE PATTERN worker EXCLUDE ${no_tests})
endforeach()
install(DIRECTORY device/python DESTINATION share/opbyop/device COMPONENT data USE_SOURCE_PERMISSIONS
  FILES_MATCHING PATTERN "*.py" PATTERN "*.sh" PATTERN __pycache__ EXCLUDE ${no_tests})
install(DIRECTORY commands/bisect commands/bundle DESTINATION share/opbyop/commands COMPONENT data
  FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE ${no_tests})
install(DIRECTORY generator/suite/stablehlo DESTINATION share/opbyop/generator/suite COMPONENT data)

# --- for users

set(cli_pages ${PROJECT_BINARY_DIR}/cli_pages)
set(cli_page_files "")
file(GLOB target_files CONFIGURE_DEPENDS manifests/targets/*.yaml)  # completion offers their names
foreach(program opbyop optrace)
  set(target ${program})
  if(program STREQUAL optrace)
    set(target optrace-tool)
  endif()
  foreach(page man bash zsh fish)
    set(file ${cli_pages}/${program}.${page})
    add_custom_command(OUTPUT ${file}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${cli_pages}
      COMMAND ${target} --print=${page} > ${file}
      DEPENDS ${target} ${target_files}
      VERBATIM)
    list(APPEND cli_page_files ${file})
  endforeach()
  install(FILES ${cli_pages}/${program}.man DESTINATION share/man/man1 RENAME ${program}.1 COMPONENT docs)
  install(FILES ${cli_pages}/${program}.bash DESTINATION share/bash-completion/completions RENAME ${program} COMPONENT docs)
  install(FILES ${cli_pages}/${program}.zsh DESTINATION share/zsh/vendor-completions RENAME _${program} COMPONENT docs)
  install(FILES ${cli_pages}/${program}.fish DESTINATION share/fish/vendor_completions.d RENAME ${program}.fish COMPONENT docs)
endforeach()
add_custom_target(cli_pages ALL DEPENDS ${cli_page_files})
install(FILES README.md CHANGELOG.md DESTINATION share/doc/opbyop COMPONENT docs)
install(FILES LICENSE DESTINATION share/doc/opbyop RENAME copyright COMPONENT docs)
install(DIRECTORY docs DESTINATION share/doc/opbyop COMPONENT docs FILES_MATCHING PATTERN "*.md" PATTERN "*.png")

# --- the libraries: cmake --install build --prefix P --component libraries

list(TRANSFORM installed_programs REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE program_files)
list(TRANSFORM installed_libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE library_files)
list(JOIN program_files " " program_files)
list(JOIN library_files " " library_files)
# LLVM's solver and its library for Windows manifests are a fifth of its dependencies, and nothing here uses them.
install(CODE "
  execute_process(
    COMMAND python3 ${PROJECT_SOURCE_DIR}/packaging/release/bundle_libraries.py --compiler ${CMAKE_C_COMPILER}
      --stub libz3.so.4 --stub libxml2.so.2 --out \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/libexec/opbyop/lib
      ${program_files} ${library_files}
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT libraries EXCLUDE_FROM_ALL)

# --- the Debian package: ./dev package deb

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME opbyop)
set(CPACK_PACKAGE_CONTACT "The opbyop authors <opbyop@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "op-by-op conformance for StableHLO compilers")
set(CPACK_PACKAGE_DESCRIPTION "Splits StableHLO models into their ops, takes each op alone through every stage of a compiler and
 onto the device, and checks each result against an independent reference.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-venv, python3-numpy, libopenblas0-serial | libopenblas0")
# Everything that is installed is built before; the tests need not be.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(CPack)
