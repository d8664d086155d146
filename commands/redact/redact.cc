// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// opbyop redact FOLDER: removes private values, as `opbyop bundle` does in its folder before it makes an archive of it.
// Not for users, so --help does not list it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "commands/command.h"
#include "commands/execute.h"
#include "manifests/runs/private_text.h"
#include "manifests/targets/find_target.h"
#include "support/files/file.h"

namespace opbyop::commands {
namespace {

namespace fs = std::filesystem;

// Parts of a binary file cannot be replaced, so the whole file is removed.
Expected<void> HideInFile(const PrivateValues& values, const fs::path& file) {
  Expected<std::string> text = ReadFile(file);
  if (!text) return Unexpected(text.error());
  const std::string before = *text;
  values.HideUncountedIn(*text);
  if (before.find('\0') == std::string::npos) values.CountMarksIn(*text);
  if (*text == before) return {};
  std::error_code error;
  if (before.find('\0') != std::string::npos) {
    values.HideIn(*text = before);
    std::cerr << "opbyop: " << file.string() << ": is left out: it holds the value of an environment variable\n";
    fs::remove(file, error);
    return {};
  }
  const fs::perms permissions = fs::status(file, error).permissions();
  if (const Expected<void> done = WriteFile(file, *text); !done) return done;
  fs::permissions(file, permissions, error);
  return {};
}

Command CommandLine(CLI::App& parent) {
  CLI::App* app = AddVerb(parent, "redact", "Replace values of environment variables in the files of a folder.",
                          "opbyop redact finding --target iree");
  app->group("");
  struct Arguments {
    fs::path folder;
    std::string target;
    std::vector<std::string> names;
  };
  auto arguments = std::make_shared<Arguments>();
  app->add_option("FOLDER", arguments->folder, "Folder of a bundle")->required();
  app->add_option("--target", arguments->target, "Target, whose file says what is shown")->required();
  app->add_option("--name", arguments->names, "What is no secret: names of rows and ops");
  return {app, [arguments] {
            const Expected<Target> target = FindTarget(arguments->target, arguments->folder);
            if (!target) return Report(target.error());
            PrivateValues values = PrivateValues::OfThisProgram(VariablesNamedBy(target->path));
            values.AllowNamesIn(fmt::format("{}{}", NamesOf(*target), fmt::join(arguments->names, "\n")));
            std::vector<fs::path> files;
            std::error_code error;
            for (const auto& entry : fs::recursive_directory_iterator(arguments->folder, error)) {
              if (entry.is_regular_file(error) && !entry.is_symlink(error)) files.push_back(entry.path());
            }
            if (error) return Report({ExitCode::kNoInput, arguments->folder.string() + ": " + error.message()});
            std::ranges::sort(files);
            for (const fs::path& file : files) {
              if (const Expected<void> done = HideInFile(values, file); !done) return Report(done.error());
            }
            if (const std::string said = values.Sentence(); !said.empty()) std::cerr << "opbyop: " << said << '\n';
            return ExitCode::kOk;
          }};
}

}  // namespace
}  // namespace opbyop::commands

int main(int argc, char** argv) { return opbyop::commands::VerbMain(opbyop::commands::CommandLine, argc, argv); }
