// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/command.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "commands/execute.h"
#include "commands/help_page.h"
#include "support/start_program.h"
#include "support/text/nearest.h"
#include "support/text/safe_stream.h"

namespace opbyop::commands {
namespace {

constexpr const char* kSecondsVariable = "OPBYOP_READ_TIMEOUT";
constexpr const char* kMemoryVariable = "OPBYOP_READ_MEMORY";

// The verb that was typed, with its own verb: `history`, `history import`.
const CLI::App& TypedVerb(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : TypedVerb(*chosen.front());
}

// The message for the first word that the parser did not accept, with the nearest valid word.
std::string UnknownText(const CLI::App& verb, const std::string& word) {
  std::vector<std::string> names;
  const bool is_option = word.starts_with('-');
  if (is_option) {
    for (const CLI::Option* option : verb.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* child : verb.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(child->get_name());
    }
  }
  if (word.starts_with("--gtest_")) {
    return fmt::format("{}: '{}' is a flag of GoogleTest, which `opbyop run` takes after --\n", FullName(verb), word);
  }
  const bool is_verb = !is_option && !names.empty();
  // A verb of the program, typed after another one.
  for (const CLI::App* outer = verb.get_parent(); is_verb && outer != nullptr; outer = outer->get_parent()) {
    const auto meant = outer->get_subcommands([&](const CLI::App* each) { return each->get_name() == word; });
    if (meant.empty()) continue;
    return fmt::format("{}: unknown verb '{}'; did you mean {}? --help lists all\n", FullName(verb), word,
                       FullName(*meant.front()));
  }
  return fmt::format("{}: unknown {} '{}'; {}--help lists all\n", FullName(verb), is_verb ? "verb" : "argument", word,
                     DidYouMean(std::string_view(word).substr(0, word.find('=')), names));
}

}  // namespace

std::string FullName(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : FullName(*verb.get_parent()) + " " + verb.get_name();
}

void PassOn(const ReadingLimits& limits) {
  const auto set = [](const char* variable, int64_t limit) {
    if (limit > 0) ::setenv(variable, std::to_string(limit).c_str(), 1);
  };
  set(kSecondsVariable, limits.seconds);
  set(kMemoryVariable, limits.memory_mb);
}

std::shared_ptr<const ReadingLimits> AddReadingLimits(CLI::App& app) {
  auto limits = std::make_shared<ReadingLimits>();
  const auto add = [&](std::string_view name, int64_t& limit, const char* variable, const char* text) {
    app.add_option(std::string(name), limit, text)->check(CLI::PositiveNumber)->envname(variable);
  };
  add(kReadingSecondsOption, limits->seconds, kSecondsVariable,
      "Seconds of processor time that reading one program may take; default: 10, and 2 for each megabyte of its file");
  add(kReadingMemoryOption, limits->memory_mb, kMemoryVariable,
      "Megabytes of memory that reading one program may take; default: 1024, and 64 for each megabyte of its file");
  return limits;
}

CLI::App* AddVerb(CLI::App& parent, const std::string& name, const std::string& description,
                  const std::string& example) {
  CLI::App* app = parent.add_subcommand(name, description);
  app->footer("Example:\n  " + example);
  return app;
}

void AddShapeOption(CLI::App& app, std::vector<std::string>& shapes) {
  app.add_option(
         "--shape", shapes,
         "ARGUMENT=SHAPE, as for `split`: compile the program for this shape; x=4x8xf32, 0=4x8; may be repeated")
      ->allow_extra_args(false);
}

void AddConstantsFlags(CLI::App& app, bool& vary, const std::string& text) {
  app.add_flag_callback("--keep-constants", [&vary] { vary = false; }, text);
  app.add_flag("--vary-constants")->group("");
}

ExitCode WorkInReadingChild(const ReadingLimits& limits, const std::function<ExitCode()>& work) {
  const Expected<int> code = RunInReadingChild(limits, [&] { return static_cast<int>(work()); });
  if (code) return static_cast<ExitCode>(*code);
  std::cerr << "opbyop: " << code.error().message << '\n';
  return code.error().code;
}

Command InReadingChild(Command command) {
  const std::shared_ptr<const ReadingLimits> limits = AddReadingLimits(*command.app);
  return {command.app, [limits, run = std::move(command.run)] { return WorkInReadingChild(*limits, run); }};
}

int RunVerb(CLI::App& app, std::span<const Command> commands, int argc, char** argv,
            const std::function<void(CLI::App&)>& add_others) {
  const SafeStream out(std::cout), err(std::cerr);
  app.require_subcommand(1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {  // of --help and similar options
    return app.exit(done);
  } catch (const CLI::ParseError& stop) {
    const std::vector<std::string> unknown = app.remaining(true);
    const CLI::App& verb = TypedVerb(app);
    const bool not_placed = !unknown.empty() && (dynamic_cast<const CLI::ExtrasError*>(&stop) != nullptr ||
                                                 verb.get_require_subcommand_min() > 0);
    if (not_placed) {
      if (add_others) add_others(app);
      std::cerr << UnknownText(verb, unknown.front());
      return static_cast<int>(ExitCode::kUsage);
    }
    return app.exit(stop) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return static_cast<int>(command.run());
  }
  return static_cast<int>(ExitCode::kUsage);
}

std::string ProgramOf(std::string_view verb) { return fmt::format("{}-{}", kOpbyop, verb); }

int VerbMain(Command (*command_line)(CLI::App& parent), int argc, char** argv) {
  if (const Expected<void> started = StartProgram(); !started) return static_cast<int>(Report(started.error()));
  CLI::App app(kOpbyopText, kOpbyop);
  const Command command = command_line(app);
  std::string name = command.app->get_name();
  std::vector<char*> words(argv, argv + argc);
  if (argc > 0 && std::filesystem::path(argv[0]).filename() == ProgramOf(name)) {
    if (argc == 2 && std::string_view(argv[1]) == "--help-page") {
      std::cout << HelpPage(*command.app) << std::flush;
      return 0;
    }
    words.insert(words.begin() + 1, name.data());
  }
  const auto add_others = [&name](CLI::App& all) {
    for (const ShippedPage& page : ShippedPages()) {
      if (VerbOf(page) != name) (void)AddPage(all, page.text);
    }
  };
  return RunVerb(app, {&command, 1}, static_cast<int>(words.size()), words.data(), add_others);
}

std::vector<std::string> TypedCommand(const CLI::App& verb) {
  std::vector<std::string> positional = {verb.get_parent()->get_name(), verb.get_name()};
  std::vector<std::string> named;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0) continue;
    if (option->get_expected_max() == 0) {
      named.push_back(option->get_name());
      continue;
    }
    for (const std::string& result : option->results()) {
      if (!option->get_positional()) named.push_back(option->get_name());
      (option->get_positional() ? positional : named).push_back(result);
    }
  }
  positional.insert(positional.end(), named.begin(), named.end());
  return positional;
}

}  // namespace opbyop::commands
