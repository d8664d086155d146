# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# cmake -DDIST=... -DOUT=... -P embed.cmake: writes the bundles as C++ string constants.
set(constants "")
foreach(entry "main;Page" "profile;Profile" "history;History")
  list(GET entry 0 file)
  list(GET entry 1 name)
  foreach(part "js;Script" "css;Style")
    list(GET part 0 ending)
    list(GET part 1 kind)
    file(READ "${DIST}/${file}.${ending}" text)
    string(STRIP "${text}" text)
    string(APPEND constants "const std::string_view k${name}${kind} = R\"opbyop(${text})opbyop\";\n\n")
  endforeach()
endforeach()
file(WRITE "${OUT}" "#include \"reports/page/page_resource.h\"\n\nnamespace opbyop::reports {\n\n${constants}}  // namespace opbyop::reports\n")
