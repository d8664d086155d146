// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/view/xml_writer.h"

#include <fmt/format.h>

#include <sstream>

#include "reports/view/first_line.h"

namespace opbyop::reports {

XmlElement::XmlElement(const char* name, XmlAttributes attributes) { AddElement(document_, name, attributes); }

std::string XmlElement::Text(unsigned depth) const {
  std::ostringstream out;
  document_.document_element().print(out, " ", pugi::format_indent, pugi::encoding_utf8, depth);
  return out.str();
}

std::string OpeningTag(const char* name, XmlAttributes attributes, unsigned depth) {
  std::string text = XmlElement(name, attributes).Text(depth);
  return text.substr(0, text.rfind(" />")) + ">\n";
}

std::string ClosingTag(std::string_view name, unsigned depth) { return fmt::format("{:{}}</{}>\n", "", depth, name); }

pugi::xml_node AddElement(pugi::xml_node parent, const char* name, XmlAttributes attributes) {
  pugi::xml_node node = parent.append_child(name);
  for (const auto& [key, value] : attributes) node.append_attribute(key) = SafeText(value).c_str();
  return node;
}

void SetText(pugi::xml_node node, std::string_view text) { node.text() = SafeText(text).c_str(); }

void AddProperty(pugi::xml_node properties, std::string_view name, std::string_view value) {
  AddElement(properties, "property", {{"name", name}, {"value", value}});
}

std::string Seconds(double milliseconds) {
  std::string text = fmt::format("{:.6f}", milliseconds < 0 ? 0 : milliseconds / 1000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text += '0';
  return text;
}

}  // namespace opbyop::reports
