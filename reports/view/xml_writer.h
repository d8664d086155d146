// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Helpers with which the JUnit reports build their XML; pugixml escapes, and SafeText makes text legal.
//
//   std::string text = std::string(kXmlDeclaration) + OpeningTag("testsuite", {{"name", "pytest"}}, 1);
//   XmlElement row("testcase", {{"name", "add"}});
//   SetText(AddElement(row.node(), "failure", {}), "error: no kernel");
//   text += row.Text(2) + ClosingTag("testsuite", 1);
#ifndef OPBYOP_REPORTS_VIEW_XML_WRITER_H_
#define OPBYOP_REPORTS_VIEW_XML_WRITER_H_

#include <initializer_list>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace opbyop::reports {

using XmlAttributes = std::initializer_list<std::pair<const char*, std::string_view>>;

inline constexpr std::string_view kXmlDeclaration = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";

// An element with its content.
class XmlElement {
 public:
  XmlElement(const char* name, XmlAttributes attributes);
  pugi::xml_node node() { return document_.document_element(); }

  // Whole lines, indented by `depth` blanks.
  std::string Text(unsigned depth) const;

 private:
  pugi::xml_document document_;
};

// The lines that open and close an element whose content is written separately.
std::string OpeningTag(const char* name, XmlAttributes attributes, unsigned depth);
std::string ClosingTag(std::string_view name, unsigned depth);

pugi::xml_node AddElement(pugi::xml_node parent, const char* name, XmlAttributes attributes);
void SetText(pugi::xml_node node, std::string_view text);

// <property name="..." value="..."/>
void AddProperty(pugi::xml_node properties, std::string_view name, std::string_view value);

// "1.25": seconds with microseconds at most.
std::string Seconds(double milliseconds);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_VIEW_XML_WRITER_H_
