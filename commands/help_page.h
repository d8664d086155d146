// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A verb's command line as JSON: its name, its texts and each option as --help shows it. `opbyop` has these pages of
// all verbs, so that its help, its man page and its completion start no verb.
//
//   const std::string page = HelpPage(*app);         // of a verb; committed as commands/NAME/help.json
//   Expected<CLI::App*> same = AddPage(opbyop, page);   // a verb with the same help, which accepts the same options
#ifndef OPBYOP_COMMANDS_HELP_PAGE_H_
#define OPBYOP_COMMANDS_HELP_PAGE_H_

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

#include "support/expected.h"

namespace opbyop::commands {

struct ShippedPage {
  std::string_view name;
  std::string_view text;
};

// The pages of all verbs, in the order of the help (commands/CMakeLists.txt).
std::span<const ShippedPage> ShippedPages();

// The verb of a page: "trace-nan" of "trace_nan.json".
std::string VerbOf(const ShippedPage& page);

// The page of a verb: a line for each option.
std::string HelpPage(const CLI::App& verb);

// Adds the verb of a page. Values of its options are not checked. Returns kBadInput if the text is not a page.
Expected<CLI::App*> AddPage(CLI::App& parent, std::string_view page);

}  // namespace opbyop::commands

#endif  // OPBYOP_COMMANDS_HELP_PAGE_H_
