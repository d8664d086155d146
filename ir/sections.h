// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Splits a file with several programs at its `// -----` lines.
//
//   for (const Section& section : SectionsOf(text)) Read(section.text);   // messages name lines of the file
#ifndef OPBYOP_IR_SECTIONS_H_
#define OPBYOP_IR_SECTIONS_H_

#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

struct Section {
  int line;          // line of the file at which the section starts, counted from 1
  std::string text;  // preceded by empty lines, so that its lines have the numbers of the file
};

std::vector<Section> SectionsOf(std::string_view text);

// Whether a section has only blank lines and comments. (A test's file often begins with one.)
bool IsEmpty(const Section& section);

// Returns advice for a file with several programs that was read as one program. Empty if `text` is not such a file.
std::string AboutSections(std::string_view text);

}  // namespace opbyop

#endif  // OPBYOP_IR_SECTIONS_H_
