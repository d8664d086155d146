# cmake -DDIST=... -DOUT=... -P embed.cmake: the bundle as two C++ string constants.
foreach(part js css)
  file(READ "${DIST}/page.${part}" text_${part})
  string(STRIP "${text_${part}}" text_${part})
endforeach()
file(WRITE "${OUT}" "#include \"reports/page_resource.h\"\n\nnamespace opbyop {\n\n"
  "const std::string_view kPageScript = R\"opbyop(${text_js})opbyop\";\n\n"
  "const std::string_view kPageStyle = R\"opbyop(${text_css})opbyop\";\n\n}  // namespace opbyop\n")
