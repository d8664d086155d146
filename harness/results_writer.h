// results.jsonl as it grows: one write(2) per record, so a run killed at any byte leaves a readable file.
//
//   Expected<ResultsWriter> writer = ResultsWriter::Create(path, header, known);
//   writer->Append(record);
//   writer->Finish(wall_s);
#ifndef OPBYOP_HARNESS_RESULTS_WRITER_H_
#define OPBYOP_HARNESS_RESULTS_WRITER_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/result.h"
#include "support/expected.h"

namespace opbyop {

class ResultsWriter {
 public:
  // Replaces the file by header and `known` records (of the run that is resumed). kUsage where another
  // process is writing it.
  static Expected<ResultsWriter> Create(const std::filesystem::path& path, const RunHeader& header,
                                        const std::vector<CaseRecord>& known);

  ResultsWriter(ResultsWriter&& other) noexcept;
  ResultsWriter& operator=(ResultsWriter&&) = delete;
  ~ResultsWriter();

  Expected<void> Append(const CaseRecord& record);

  // The footer with the totals of all records, those of an earlier run included.
  Expected<void> Finish(double wall_s);

  const std::filesystem::path& path() const { return path_; }
  const std::map<std::string, int64_t>& totals() const { return totals_; }

 private:
  ResultsWriter() = default;
  Expected<void> Write(std::string_view line);

  std::filesystem::path path_;
  int fd_ = -1;
  std::map<std::string, int64_t> totals_;
};

// What an earlier run of the same thing left at `path`. Empty where there is no file. kUsage naming the
// difference where the file is of another manifest, target, toolchain, policy or seed.
Expected<std::vector<CaseRecord>> ReadForResume(const std::filesystem::path& path, const RunHeader& header);

}  // namespace opbyop

#endif  // OPBYOP_HARNESS_RESULTS_WRITER_H_
