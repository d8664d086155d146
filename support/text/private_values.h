// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds values of environment variables that reports and bundles must not show: passwords, tokens, and addresses that
// contain them.
//
//   PrivateValues values = PrivateValues::OfThisProgram(VariablesNamedBy(target));
//   values.AllowNamesIn("resnet50 stablehlo.add");
//   values.HideIn(record.diagnostic);     // "login as <GH_PAT> failed"
//   std::puts(values.Sentence().c_str()); // "replaced 1 value of 1 environment variable: GH_PAT"
//
// Every variable is private, except those that are shown (those of the caller, and IsShown) and those that name this
// machine and user (HOME, USER, ...). These values of a private variable are not replaced:
// - values of fewer than 8 characters, which occur everywhere;
// - names of existing files, or lists of them separated by colons: a command is useless without its paths;
// - texts passed to AllowNamesIn: `MODEL=resnet50` must not remove the model's name from its report.
// Each line of a value with several lines, and the password of a URL, are values of their own. A value is also found in
// the spelling of JSON, XML, URLs and shells, and if it was cut off after 8 characters or more.
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

// Whether reports and bundles show the variable's value: compilers and their runtimes need it to reproduce a run (PATH,
// LD_LIBRARY_PATH, XLA_FLAGS and the like).
bool IsShown(std::string_view variable);

// The environment variables of this process.
std::map<std::string, std::string> EnvironmentOfThisProgram();

class PrivateValues {
 public:
  PrivateValues() = default;  // no variables
  PrivateValues(const std::map<std::string, std::string>& environment, const std::set<std::string>& shown);
  static PrivateValues OfThisProgram(const std::set<std::string>& shown = {});

  // From now on, replacements by both are counted together.
  void CountWith(const PrivateValues& others) { counts_ = others.counts_; }

  // Values that occur in `names` are no longer replaced. Must not be called while another thread uses this object.
  void AllowNamesIn(const std::string& names);

  // Replaces each value by `<NAME>`. May be called from any thread.
  void HideIn(std::string& text) const;
  std::string Hide(std::string text) const;

  // The same for a text whose beginning was cut off, such as a log: it may start with the end of a value.
  void HideEndAtTheBeginningOf(std::string& text) const;

  // The same without counting, for text that was counted before.
  void HideUncountedIn(std::string& text) const;

  // Counts the marks in a text whose values were replaced before.
  void CountMarksIn(std::string_view text) const;

  // The number of replaced values by variable.
  std::map<std::string, int64_t> counts() const;

  // "replaced 3 values of 2 environment variables: GH_PAT, MYSQL_PWD"; empty if nothing was replaced.
  std::string Sentence() const;

 private:
  struct Counts {
    std::mutex mutex;
    std::map<std::string, int64_t> of;
  };
  using Spelling = std::pair<const std::string, std::string>;  // a spelling of a value, and the name of its variable

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
