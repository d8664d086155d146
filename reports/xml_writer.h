// The few steps by which both JUnit reports build their XML; pugixml escapes, SafeText makes text legal.
//
//   XmlDocument xml("testsuites");
//   pugi::xml_node suite = AddElement(xml.root(), "testsuite", {{"name", "pytest"}});
//   std::string text = xml.Text();
#ifndef OPBYOP_REPORTS_XML_WRITER_H_
#define OPBYOP_REPORTS_XML_WRITER_H_

#include <initializer_list>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace opbyop {

class XmlDocument {
 public:
  explicit XmlDocument(const char* root);

  pugi::xml_node root() { return document_.document_element(); }
  std::string Text() const;

 private:
  pugi::xml_document document_;
};

using XmlAttributes = std::initializer_list<std::pair<const char*, std::string_view>>;

pugi::xml_node AddElement(pugi::xml_node parent, const char* name, XmlAttributes attributes);
void SetText(pugi::xml_node node, std::string_view text);

// <property name="..." value="..."/>
void AddProperty(pugi::xml_node properties, std::string_view name, std::string_view value);

// "1.25": seconds with microseconds at most.
std::string Seconds(double milliseconds);

}  // namespace opbyop

#endif  // OPBYOP_REPORTS_XML_WRITER_H_
