// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/cli_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <map>

#include "commands/version.h"
#include "manifests/targets/find_target.h"
#include "support/text/replace_all.h"

namespace opbyop::commands {
namespace {

std::vector<const CLI::App*> Verbs(const CLI::App& app) {
  std::vector<const CLI::App*> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) verbs.push_back(verb);
  }
  return verbs;
}

std::vector<const CLI::Option*> Options(const CLI::App& app, bool positional) {
  return app.get_options([&](const CLI::Option* option) {
    return !option->get_group().empty() && option->get_positional() == positional;
  });
}

bool TakesValue(const CLI::Option& option) { return option.get_expected_max() != 0; }

// The names of an option: "-o", "--output".
std::vector<std::string> Names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> NamesOf(const std::vector<const CLI::Option*>& options) {
  std::vector<std::string> all;
  for (const CLI::Option* option : options) {
    for (std::string& name : Names(*option)) all.push_back(std::move(name));
  }
  return all;
}

// The choices of an option, which CLI11 has only as text: "TEXT:{isolated,whole,chained}", or "whole|inside" as
// AddChoice names the type.
std::vector<std::string> Choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.find('|') != std::string::npos &&
      std::ranges::none_of(type, [](unsigned char c) { return std::isupper(c); })) {
    return CLI::detail::split(type, '|');
  }
  const size_t open = type.find('{');
  if (open == std::string::npos || !type.ends_with('}')) return {};
  std::vector<std::string> choices = CLI::detail::split(type.substr(open + 1, type.size() - open - 2), ',');
  return choices;
}

// Names that a value may have instead of a file: the project's targets.
std::vector<std::string> Suggestions(const CLI::Option& option) {
  if (!option.check_lname("target")) return {};
  const Expected<std::vector<std::filesystem::path>> files = TargetFiles();
  if (!files) return {};
  std::vector<std::string> names;
  for (const std::filesystem::path& file : *files) names.push_back(file.stem().string());
  return names;
}

// Joins the lines of an option's help, which may have several.
std::string Line(std::string text) { return ReplaceAll(std::move(text), "\n", " "); }

// --- man

std::string Roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += fmt::format("\\&{}", c);
    } else {
      escaped += c;
    }
  }
  return ReplaceAll(std::move(escaped), "\n", "\n.br\n");
}

std::string RoffOptions(const CLI::App& app) {
  std::string text;
  for (const bool positional : {true, false}) {
    for (const CLI::Option* option : Options(app, positional)) {
      std::string head = positional ? option->get_name() : fmt::format("{}", fmt::join(Names(*option), ", "));
      const std::vector<std::string> choices = Choices(*option);
      if (!choices.empty()) {
        head += fmt::format(" {}", fmt::join(choices, "|"));
      } else if (!positional && TakesValue(*option)) {
        head += " VALUE";
      }
      text += fmt::format(".TP\n\\fB{}\\fR\n{}", Roff(head), Roff(option->get_description()));
      if (!option->get_default_str().empty()) text += Roff(fmt::format(" (default: {})", option->get_default_str()));
      text += '\n';
    }
  }
  return text;
}

std::string Man(const CLI::App& app) {
  std::string title = app.get_name();
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string text = fmt::format(".TH {} 1 \"\" \"opbyop {}\"\n.SH NAME\n{} \\- {}\n", title, Version(),
                                 Roff(app.get_name()), Roff(app.get_description()));
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR \\fIVERB\\fR [\\fIARGUMENT\\fR]...\n.SH OPTIONS\n{}.SH VERBS\n",
                      Roff(app.get_name()), RoffOptions(app));
  for (const CLI::App* verb : Verbs(app)) {
    std::string head = app.get_name() + " " + verb->get_name();
    for (const CLI::Option* option : Options(*verb, true)) {
      head += option->get_required() ? " " + option->get_name() : " [" + option->get_name() + "]";
      if (option->get_expected_max() > 1) head += "...";
    }
    text += fmt::format(".SS \"{}\"\n{}\n{}", Roff(head), Roff(verb->get_description()), RoffOptions(*verb));
    if (!verb->get_footer().empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", Roff(verb->get_footer()));
  }
  return text;
}

// --- bash

std::string Bash(const CLI::App& app) {
  const std::string& name = app.get_name();
  std::vector<std::string> first;
  std::string options;
  std::string values;
  for (const CLI::App* verb : Verbs(app)) {
    first.push_back(verb->get_name());
    options += fmt::format("    {}) words='{}' ;;\n", verb->get_name(), fmt::join(NamesOf(Options(*verb, false)), " "));
    for (const CLI::Option* option : Options(*verb, false)) {
      std::vector<std::string> choices = Choices(*option);
      // If no choice starts like the word, bash completes files.
      if (choices.empty()) choices = Suggestions(*option);
      for (const std::string& flag : Names(*option)) {
        if (choices.empty()) continue;
        values += fmt::format("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", verb->get_name(),
                              flag, fmt::join(choices, " "));
      }
    }
  }
  for (std::string& option : NamesOf(Options(app, false))) first.push_back(std::move(option));
  return fmt::format(R"(# Completion of {0} in bash.
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} at=$((COMP_CWORD - 1)) verb= words= i
  # bash takes --option=value for three words.
  if [ "$word" = = ]; then word=; elif [ "${{COMP_WORDS[at]}}" = = ]; then at=$((at - 1)); fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in -*) ;; *) verb=${{COMP_WORDS[i]}}; break ;; esac
  done
  COMPREPLY=()
  case "$verb ${{COMP_WORDS[at]}}" in
{1}  esac
  case $verb in
    '') words='{2}' ;;
{3}  esac
  if [ -z "$verb" ] || [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$words" -- "$word")); fi
}}
complete -o default -F _{0} {0}
)",
                     name, values, fmt::join(first, " "), options);
}

// --- zsh

// Quotes a text in single quotes, inside of _arguments' brackets and colons.
std::string Zsh(const std::string& text) {
  std::string escaped;
  for (const char c : Line(text)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return escaped;
}

std::string ZshArguments(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : Options(app, false)) {
    const std::vector<std::string> choices = Choices(*option);
    std::string value;
    if (!choices.empty()) {
      value = fmt::format(":value:({})", fmt::join(choices, " "));
    } else if (const auto names = Suggestions(*option); !names.empty()) {
      value = fmt::format(":value:{{compadd {}; _files}}", fmt::join(names, " "));
    } else if (TakesValue(*option)) {
      value = ":value:_files";
    }
    for (const std::string& flag : Names(*option)) {
      const char* joined = value.empty() ? "" : flag.starts_with("--") ? "=" : "+";
      text += fmt::format(" \\\n        '{}{}[{}]{}'", flag, joined, Zsh(option->get_description()), value);
    }
  }
  return text;
}

std::string ZshScript(const CLI::App& app) {
  std::string verbs;
  std::string cases;
  for (const CLI::App* verb : Verbs(app)) {
    verbs += fmt::format("    '{}:{}'\n", verb->get_name(), Zsh(verb->get_description()));
    cases += fmt::format("    {})\n      _arguments{} \\\n        '*:file:_files' ;;\n", verb->get_name(),
                         ZshArguments(*verb));
  }
  return fmt::format(R"(#compdef {0}
# Completion of {0} in zsh.
local -a verbs
verbs=(
{1})
if (( CURRENT == 2 )); then
  _describe 'verb' verbs
  _arguments{3}
else
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
{2}  esac
fi
)",
                     app.get_name(), verbs, cases, ZshArguments(app));
}

// --- fish

std::string Fish(const std::string& text) { return ReplaceAll(ReplaceAll(Line(text), "\\", "\\\\"), "'", "\\'"); }

std::string FishOptions(const std::string& program, const std::string& condition, const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : Options(app, false)) {
    text += fmt::format("complete -c {} -n '{}'", program, condition);
    for (const std::string& name : option->get_snames()) text += " -s " + name;
    for (const std::string& name : option->get_lnames()) text += " -l " + name;
    if (TakesValue(*option)) text += " -r";
    if (const auto choices = Choices(*option); !choices.empty()) {
      text += fmt::format(" -f -a '{}'", fmt::join(choices, " "));
    } else if (const auto names = Suggestions(*option); !names.empty()) {
      text += fmt::format(" -a '{}'", fmt::join(names, " "));
    }
    text += fmt::format(" -d '{}'\n", Fish(option->get_description()));
  }
  return text;
}

std::string FishScript(const CLI::App& app) {
  const std::string& name = app.get_name();
  std::string text = fmt::format("# Completion of {} in fish.\n", name);
  text += FishOptions(name, "__fish_use_subcommand", app);
  for (const CLI::App* verb : Verbs(app)) {
    text += fmt::format("complete -c {} -f -n __fish_use_subcommand -a {} -d '{}'\n", name, verb->get_name(),
                        Fish(verb->get_description()));
    text += FishOptions(name, "__fish_seen_subcommand_from " + verb->get_name(), *verb);
  }
  return text;
}

using Printer = std::string (*)(const CLI::App&);

const std::map<std::string, Printer, std::less<>>& Printers() {
  static const auto* printers = new std::map<std::string, Printer, std::less<>>{
      {"man", Man}, {"bash", Bash}, {"zsh", ZshScript}, {"fish", FishScript}};
  return *printers;
}

}  // namespace

void AddProgramOptions(CLI::App& app) {
  app.set_version_flag("--version", app.get_name() + " " + Version());
  app.add_option_function<std::string>(
         "--print",
         [&app](const std::string& page) {
           std::cout << CliPage(app, page) << std::flush;
           throw CLI::Success();
         },
         "Print the man page, or a shell's completion")
      ->check(CLI::IsMember(CliPages()));
}

std::vector<std::string> CliPages() {
  std::vector<std::string> names;
  for (const auto& [name, printer] : Printers()) names.push_back(name);
  return names;
}

std::string CliPage(const CLI::App& app, std::string_view page) {
  const auto found = Printers().find(page);
  return found == Printers().end() ? "" : found->second(app);
}

}  // namespace opbyop::commands
