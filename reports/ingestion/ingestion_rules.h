// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The documented rules of the three readers that collect reports from CI artifacts, as predicates for tests. They are
// written from the documentation, not from the code under test: a report that breaks a rule is refused here as by the
// readers.
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

// The integer after the last "_", or else after the last "-", in the stem of a .tar, .xml or .json file.
std::optional<int64_t> JobIdOf(std::string_view file_name);

// Whether the benchmark collector, which runs first, takes the file. It takes "..._<integer>.json", and then fails the
// whole collection.
bool BenchmarkCollectorTakes(std::string_view file_name);

// Whether Python 3.10's datetime.fromisoformat reads it, with a zone: "+00:00" and a fraction of three or six digits,
// no "Z".
bool IsPython310Timestamp(std::string_view text);

// Reads "[TensorDesc(shape=[2, 3], data_type='f32', buffer_type=..., layout=..., grid_shape=[1, 1]), ...]". Each
// descriptor ends at its first ")". Returns the fields of each by name; nullopt if one of the five is absent or text is
// left over.
std::optional<std::vector<std::map<std::string, std::string>>> ReadTensorDescs(const std::string& text);

// Reads a Python list of strings: "['f32', 'i32']".
std::optional<std::vector<std::string>> ReadPythonStrings(const std::string& text);

struct XlaRecord {
  std::string name;  // the text after "OpTest model for: "
  std::map<std::string, std::string> fields;
};

// Reads op_by_op_report-<job id>.json. Returns nullopt if the file would be dropped, with the reason in `why`.
std::optional<std::vector<XlaRecord>> ReadXlaJson(const std::string& text, std::string& why);

struct BuilderCase {
  std::string name;
  std::string classname;
  std::map<std::string, std::string> properties;
  bool failed = false;
  bool skipped = false;
};

// Reads report_<job id>.xml, only its first suite. Returns nullopt if the file would be dropped.
std::optional<std::vector<BuilderCase>> ReadBuilderXml(const std::string& text, std::string& why);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_INGESTION_INGESTION_RULES_H_
