// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where this project's programs and data lie, as the running program finds them: in a checkout, or installed.
//
//   fs::path worker = ProgramFolder() / "opbyop-worker";
//   fs::path suite = ProjectFolder() / "generator/suite/stablehlo";
//   std::string again = CommandName("opbyop") + " repro " + row;
//
// | what     | checkout    | installed                                    |
// |----------|-------------|----------------------------------------------|
// | programs | build/bin   | PREFIX/libexec/opbyop                        |
// | data     | the root    | PREFIX/share/opbyop, laid out as the root is |
// | venvs    | the root    | $XDG_CACHE_HOME/opbyop, else ~/.cache/opbyop |
#ifndef OPBYOP_SUPPORT_FILES_PROJECT_FOLDER_H_
#define OPBYOP_SUPPORT_FILES_PROJECT_FOLDER_H_

#include <filesystem>
#include <string>
#include <string_view>

namespace opbyop {

// Where the running program lies, symbolic links to it resolved.
std::filesystem::path ProgramFolder();

// The root of the data: where device/ and manifests/ lie. $OPBYOP_SOURCE_DIR, else relative to the program.
std::filesystem::path ProjectFolder();

// Nothing is written where an installed program lies.
bool IsInstalled();

// Where the virtual environments of targets lie, .venv-NAME each.
std::filesystem::path VenvsFolder();

// The command that installs what `--target NAME` needs.
std::string SetupCommand();

// How a shell in any folder starts a program of this installation, quoted for it: by its name where $PATH leads to this
// very program, else by its path.
std::string CommandName(std::string_view program);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_PROJECT_FOLDER_H_
