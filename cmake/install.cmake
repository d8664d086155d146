# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# cmake --install build --prefix P. What is installed finds its data relative to itself (support/project_folder.h), so P
# may be moved.
#
#   P/bin                   links to the programs that people start
#   P/libexec/opbyop        all programs
#   P/share/opbyop          data, laid out as in the checkout
#   P/share/man, ...        man pages, completion, documentation

set(installed_programs
  conformance opbyop opbyop-artifact-writer opbyop-opt opbyop-pjrt-interface opbyop-pjrt-worker opbyop-supervisor opbyop-worker
  optrace-tool)
set(started_by_people opbyop opbyop-opt optrace)

# What `cmake --install` needs and no more: ./dev build installable.
add_custom_target(installable)
add_dependencies(installable ${installed_programs} opbyop_npy cli_pages)

set_target_properties(${installed_programs} opbyop_npy PROPERTIES INSTALL_RPATH "${LLVM_LIBRARY_DIRS}")
install(TARGETS ${installed_programs} opbyop_npy COMPONENT programs
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
    FILES_MATCHING PATTERN "*.py" PATTERN "requirements*.txt" PATTERN test EXCLUDE PATTERN __pycache__ EXCLUDE ${no_tests})
endforeach()
install(DIRECTORY device/python DESTINATION share/opbyop/device COMPONENT data USE_SOURCE_PERMISSIONS
  FILES_MATCHING PATTERN "*.py" PATTERN "*.sh" PATTERN __pycache__ EXCLUDE ${no_tests})
install(FILES tools/bisect_versions.py tools/finding_bundle.py tools/finding_kit.py tools/tensor_text.py
  DESTINATION share/opbyop/tools COMPONENT data)
install(DIRECTORY generator/suite/stablehlo DESTINATION share/opbyop/generator/suite COMPONENT data)

# --- for people

set(cli_pages ${PROJECT_BINARY_DIR}/cli_pages)
set(cli_page_files "")
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
      DEPENDS ${target}
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
