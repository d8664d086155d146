// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds this project's programs and data for the running program, in a checkout or in an installation.
//
//   fs::path worker = ProgramFolder() / "opbyop-worker";
//   fs::path suite = ProjectFolder() / "generator/suite/stablehlo";
//   std::string again = CommandName("opbyop") + " repro " + row;
//
// | what     | checkout    | installed                                    |
// |----------|-------------|----------------------------------------------|
// | programs | build/bin   | PREFIX/libexec/opbyop                        |
// | data     | the root    | PREFIX/share/opbyop, with the same layout    |
// | venvs    | the root    | $XDG_CACHE_HOME/opbyop, else ~/.cache/opbyop |
#ifndef OPBYOP_SUPPORT_FILES_PROJECT_FOLDER_H_
#define OPBYOP_SUPPORT_FILES_PROJECT_FOLDER_H_

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace opbyop {

// The libraries that several programs share, in the programs' folder (commands/CMakeLists.txt).
inline constexpr std::array<std::string_view, 2> kSharedLibraries = {"libopbyop.so", "libopbyop-mlir.so"};

// The folder of the running program, with symbolic links resolved.
std::filesystem::path ProgramFolder();

// The root of the data, which contains device/ and manifests/: $OPBYOP_SOURCE_DIR, or else relative to the program.
std::filesystem::path ProjectFolder();

// Whether the program is installed; nothing is written into an installation.
bool IsInstalled();

// The folder of the targets' virtual environments, named .venv-NAME.
std::filesystem::path VenvsFolder();

// The command that installs the requirements of `--target NAME`.
std::string SetupCommand();

// The text with which a shell in any folder starts a program of this installation, quoted for the shell: its name if
// $PATH finds this very program, else its path.
std::string CommandName(std::string_view program);

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_FILES_PROJECT_FOLDER_H_
