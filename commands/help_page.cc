// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "commands/help_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace opbyop::commands {
namespace {

using Json = nlohmann::ordered_json;

// "-o,--output", or the name of a positional argument.
std::string NamesOf(const CLI::Option& option) {
  return option.get_positional() ? option.get_name(true, false) : option.get_name(false, true);
}

// The options without --help, which every verb gets by itself.
std::vector<const CLI::Option*> OptionsOf(const CLI::App& verb) {
  return verb.get_options([&](const CLI::Option* option) { return option != verb.get_help_ptr(); });
}

std::vector<CLI::Option*> OptionsOf(CLI::App& verb) {
  return verb.get_options([&](CLI::Option* option) { return option != verb.get_help_ptr(); });
}

// The names of other options, in the order of the help.
Json Others(const CLI::App& verb, const std::set<CLI::Option*>& others) {
  Json names = Json::array();
  for (const CLI::Option* option : OptionsOf(verb)) {
    if (std::ranges::any_of(others, [&](const CLI::Option* other) { return other == option; })) {
      names.push_back(NamesOf(*option));
    }
  }
  return names;
}

// Values that are as usual are left out.
Json OptionJson(const CLI::App& verb, const CLI::Option& option) {
  Json json = {{"name", NamesOf(option)}};
  const auto add = [&](const char* key, const auto& value, const auto& usual) {
    if (value != usual) json[key] = value;
  };
  const bool is_flag = option.get_expected_max() == 0;
  add("flag", is_flag, false);
  if (!is_flag) {
    add("type", option.get_type_name(), std::string());
    add("least", option.get_expected_min(), 1);
    add("most", option.get_expected_max(), 1);
  }
  add("default", option.get_default_str(), std::string());
  add("required", option.get_required(), false);
  add("variable", option.get_envname(), std::string());
  add("group", option.get_group(), std::string("Options"));
  add("needs", Others(verb, option.get_needs()), Json::array());
  add("excludes", Others(verb, option.get_excludes()), Json::array());
  json["text"] = option.get_description();
  return json;
}

std::string PageText(const CLI::App& verb, const std::string& indent) {
  std::string text =
      fmt::format("{{\"name\": {}, \"text\": {}", Json(verb.get_name()).dump(), Json(verb.get_description()).dump());
  const auto add = [&](const char* key, const Json& value, const Json& usual) {
    if (value != usual) text += fmt::format(", \"{}\": {}", key, value.dump());
  };
  add("footer", verb.get_footer(), "");
  add("group", verb.get_group(), "Subcommands");
  add("least_verbs", verb.get_require_subcommand_min(), 0);
  add("most_verbs", verb.get_require_subcommand_max(), 0);
  const auto list = [&](const char* key, const std::vector<std::string>& items) {
    if (items.empty()) return;
    text += fmt::format(",\n{}\"{}\": [", indent, key);
    for (size_t i = 0; i < items.size(); ++i) text += fmt::format("{}\n{}  {}", i == 0 ? "" : ",", indent, items[i]);
    text += "]";
  };
  std::vector<std::string> options, verbs;
  for (const CLI::Option* option : OptionsOf(verb)) options.push_back(OptionJson(verb, *option).dump());
  for (const CLI::App* each : verb.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(PageText(*each, indent + "  "));
  }
  list("options", options);
  list("verbs", verbs);
  return text + "}";
}

void AddOption(CLI::App& verb, const Json& json) {
  const std::string name = json.at("name");
  const std::string text = json.at("text");
  CLI::Option* option = nullptr;
  if (json.value("flag", false)) {
    option = verb.add_flag(name, text);
  } else {
    option = verb.add_option(name, text)
                 ->type_name(json.value("type", ""))
                 ->expected(json.value("least", 1), json.value("most", 1));
  }
  option->default_str(json.value("default", ""))
      ->required(json.value("required", false))
      ->envname(json.value("variable", ""))
      ->group(json.value("group", "Options"));
}

void AddVerbOf(CLI::App& parent, const Json& json);

void AddAll(CLI::App& verb, const Json& json) {
  verb.footer(json.value("footer", ""));
  verb.group(json.value("group", "Subcommands"));
  verb.require_subcommand(json.value("least_verbs", size_t{0}), json.value("most_verbs", size_t{0}));
  const Json options = json.value("options", Json::array());
  for (const Json& option : options) AddOption(verb, option);
  const std::vector<CLI::Option*> added = OptionsOf(verb);
  std::map<std::string, CLI::Option*> by_name;
  for (CLI::Option* option : added) by_name[NamesOf(*option)] = option;
  for (size_t i = 0; i < added.size(); ++i) {
    for (const Json& other : options[i].value("needs", Json::array())) added[i]->needs(by_name.at(other));
    for (const Json& other : options[i].value("excludes", Json::array())) added[i]->excludes(by_name.at(other));
  }
  for (const Json& each : json.value("verbs", Json::array())) AddVerbOf(verb, each);
}

void AddVerbOf(CLI::App& parent, const Json& json) {
  AddAll(*parent.add_subcommand(json.at("name").get<std::string>(), json.at("text").get<std::string>()), json);
}

}  // namespace

std::string VerbOf(const ShippedPage& page) {
  std::string name(page.name.substr(0, page.name.find('.')));
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string HelpPage(const CLI::App& verb) { return PageText(verb, "  ") + "\n"; }

Expected<CLI::App*> AddPage(CLI::App& parent, std::string_view page) {
  try {
    const Json json = Json::parse(page);
    AddVerbOf(parent, json);
    return parent.get_subcommand(json.at("name").get<std::string>());
  } catch (const std::exception& error) {
    return MakeError(ExitCode::kBadInput, fmt::format("not the help page of a verb: {}", error.what()));
  }
}

}  // namespace opbyop::commands
