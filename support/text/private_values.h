// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values of environment variables that no report and no bundle may show: passwords, tokens, addresses that contain
// them.
//
//   PrivateValues values = PrivateValues::OfThisProgram(VariablesNamedBy(target));
//   values.AllowNamesIn("resnet50 stablehlo.add");
//   values.HideIn(record.diagnostic);     // "login as <GH_PAT> failed"
//   std::puts(values.Sentence().c_str()); // "replaced 1 value of 1 environment variable: GH_PAT"
//
// Every variable is private but for those that are shown (the caller's, and IsShown) or that say where and who this
// is (HOME, USER, ...). Of a private variable these values are not looked for:
// - fewer than 8 characters, which stand everywhere;
// - names of files that exist, or lists of them separated by colons: a command without its paths is of no use;
// - what AllowNamesIn is given: `MODEL=resnet50` must not take the model's name out of its report.
// Each line of a value of several lines, and the password of a URL, are values of their own. A value is also found as
// JSON, XML, a URL or a shell spells it, and where it was cut off after 8 characters or more.
#ifndef OPBYOP_SUPPORT_TEXT_PRIVATE_VALUES_H_
#define OPBYOP_SUPPORT_TEXT_PRIVATE_VALUES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace re2 {
class RE2;
}

namespace opbyop {

// What compilers and their runtimes need to do the same again: PATH, LD_LIBRARY_PATH, XLA_FLAGS and the like, whose
// values reports and bundles show.
bool IsShown(std::string_view variable);

// The variables of this process by name.
std::map<std::string, std::string> EnvironmentOfThisProgram();

class PrivateValues {
 public:
  PrivateValues() = default;  // of no variable
  PrivateValues(const std::map<std::string, std::string>& environment, const std::set<std::string>& shown);
  static PrivateValues OfThisProgram(const std::set<std::string>& shown = {});

  // From here on what both replace is counted together.
  void CountWith(const PrivateValues& others) { counts_ = others.counts_; }

  // What stands in `names` is looked for no longer. Not while another thread uses this.
  void AllowNamesIn(const std::string& names);

  // Puts `<NAME>` in place of each value. From any thread.
  void HideIn(std::string& text) const;
  std::string Hide(std::string text) const;

  // The same of a text whose beginning was cut off, as that of a log is: it may begin with the end of a value.
  void HideEndAtTheBeginningOf(std::string& text) const;

  // The same without counting: of text that was counted before.
  void HideAgainIn(std::string& text) const;

  // Counts what stands in place of values in a text where they were replaced before.
  void CountMarksIn(std::string_view text) const;

  // How often a value of each variable was replaced.
  std::map<std::string, int64_t> counts() const;

  // "replaced 3 values of 2 environment variables: GH_PAT, MYSQL_PWD"; empty where nothing was replaced.
  std::string Sentence() const;

 private:
  struct Counts {
    std::mutex mutex;
    std::map<std::string, int64_t> of;
  };
  using Spelling = std::pair<const std::string, std::string>;  // of a value, and its variable's name

  void Compile();
  template <typename Visit>
  void FindBy(const re2::RE2& pattern, const std::string& text, Visit visit) const;
  bool Replace(std::string& text, std::map<std::string, int64_t>& counts) const;
  bool ReplaceCut(std::string& text, std::map<std::string, int64_t>& counts) const;

  std::map<std::string, std::string, std::less<>> names_;  // by spelling
  std::vector<std::shared_ptr<const re2::RE2>> patterns_;
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_TEXT_PRIVATE_VALUES_H_
