#include "reports/xml_writer.h"

#include <fmt/format.h>

#include <sstream>

#include "reports/safe_text.h"

namespace opbyop {

XmlDocument::XmlDocument(const char* root) {
  pugi::xml_node declaration = document_.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "utf-8";
  document_.append_child(root);
}

std::string XmlDocument::Text() const {
  std::ostringstream out;
  document_.save(out, " ", pugi::format_indent, pugi::encoding_utf8);
  return out.str();
}

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

}  // namespace opbyop
