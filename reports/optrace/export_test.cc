// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "reports/optrace/sample_trace.h"
#include "support/files/file.h"

namespace opbyop::optrace {
namespace {

class ExportTest : public testing::TestWithParam<Exporter> {
 protected:
  ExportTest() : folder_(testing::TempDir() + "/export_" + std::to_string(::getpid())) {}
  ~ExportTest() override { std::filesystem::remove_all(folder_); }

  std::string Bytes(const Trace& trace, const std::string& name) {
    const auto files = GetParam().write(trace, folder_ / name);
    EXPECT_TRUE(files) << files.error().message;
    std::string bytes;
    for (const auto& file : *files) bytes += ReadFile(file).value();
    return bytes;
  }

  std::filesystem::path folder_;
};

TEST_P(ExportTest, EqualTracesMakeEqualBytes) {
  EXPECT_EQ(Bytes(SampleTrace(), "a"), Bytes(SampleTrace(), "b"));
  EXPECT_EQ(Bytes(LargeTrace(1000), "c"), Bytes(LargeTrace(1000), "d"));
}

TEST_P(ExportTest, LeavesNoOtherFiles) {
  const auto files = GetParam().write(SampleTrace(), folder_);
  ASSERT_TRUE(files);
  size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) found += entry.is_regular_file();
  EXPECT_EQ(found, files->size());
}

TEST_P(ExportTest, WritesAnEmptyTrace) {
  Trace trace;
  trace.header.model = "empty";
  EXPECT_TRUE(GetParam().write(trace, folder_));
}

TEST_P(ExportTest, WritesOpsWithoutLocationsNamesOrDevices) {
  Trace trace = SampleTrace();
  trace.header.devices.clear();
  for (Op& op : trace.ops) op.path.clear(), op.framework.clear(), op.location.clear(), op.text.clear();
  EXPECT_TRUE(GetParam().write(trace, folder_));
}

TEST_P(ExportTest, SaysThatAFileCannotBeWritten) {
  ASSERT_TRUE(WriteFile(folder_ / "file", ""));
  const auto files = GetParam().write(SampleTrace(), folder_ / "file" / "below");
  ASSERT_FALSE(files);
  EXPECT_THAT(files.error().message, testing::HasSubstr("file/below"));
}

INSTANTIATE_TEST_SUITE_P(All, ExportTest, testing::ValuesIn(Exporters().begin(), Exporters().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(FindExporterTest, KnowsNamesOnly) {
  EXPECT_NE(FindExporter("xspace"), nullptr);
  EXPECT_EQ(FindExporter("xml"), nullptr);
}

}  // namespace
}  // namespace opbyop::optrace
