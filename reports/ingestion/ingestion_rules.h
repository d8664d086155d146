// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The documented rules of the three readers that collect reports from CI artifacts, as predicates for tests. Written
// from the rules, not from the code under test: a report that breaks one is refused here as it is there.
//
//   const auto records = ReadXlaJson(text);        // nullopt: the file would be dropped
//   EXPECT_EQ(JobIdOf("report_1001.xml"), 1001);
#ifndef OPBYOP_REPORTS_INGESTION_INGESTION_RULES_H_
#define OPBYOP_REPORTS_INGESTION_INGESTION_RULES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opbyop::reports {

// The integer after the last "_", else after the last "-", of the stem of a .tar, .xml or .json file.
std::optional<int64_t> JobIdOf(std::string_view file_name);

// The benchmark collector runs first, takes "..._<integer>.json" and aborts the whole collection on what it finds.
bool BenchmarkCollectorTakes(std::string_view file_name);

// Python 3.10's datetime.fromisoformat with a zone: "+00:00" and a fraction of three or six digits, no "Z".
bool IsPython310Timestamp(std::string_view text);

// "[TensorDesc(shape=[2, 3], data_type='f32', buffer_type=..., layout=..., grid_shape=[1, 1]), ...]", cut at the first
// ")" of each; the value of every field by name. nullopt where one of the five is absent or text is left over.
std::optional<std::vector<std::map<std::string, std::string>>> ReadTensorDescs(const std::string& text);

// A Python list of strings: "['f32', 'i32']".
std::optional<std::vector<std::string>> ReadPythonStrings(const std::string& text);

struct XlaRecord {
  std::string name;  // the text after "OpTest model for: "
  std::map<std::string, std::string> fields;
};

// op_by_op_report-<job id>.json. nullopt where the file would be dropped, with the reason in `why`.
std::optional<std::vector<XlaRecord>> ReadXlaJson(const std::string& text, std::string& why);

struct BuilderCase {
  std::string name;
  std::string classname;
  std::map<std::string, std::string> properties;
  bool failed = false;
  bool skipped = false;
};

// report_<job id>.xml: only its first suite is read. nullopt where the file would be dropped.
std::optional<std::vector<BuilderCase>> ReadBuilderXml(const std::string& text, std::string& why);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_INGESTION_INGESTION_RULES_H_
