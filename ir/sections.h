// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs that stand in one file, with `// -----` between them.
//
//   for (const Section& section : SectionsOf(text)) Read(section.text);   // messages name the file's own lines
#ifndef OPBYOP_IR_SECTIONS_H_
#define OPBYOP_IR_SECTIONS_H_

#include <string>
#include <string_view>
#include <vector>

namespace opbyop {

struct Section {
  int line;          // of the file, where it begins, from 1
  std::string text;  // with as many empty lines in front
};

std::vector<Section> SectionsOf(std::string_view text);

// What to do about a file of several that was read as one; empty where `text` is not such a file.
std::string AboutSections(std::string_view text);

}  // namespace opbyop

#endif  // OPBYOP_IR_SECTIONS_H_
