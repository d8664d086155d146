// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "manifests/cases/find_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opbyop {
namespace {

Manifest ExampleManifest() {
  Manifest manifest;
  manifest.models = {{.name = "bert"}, {.name = "gpt"}};
  Case c;
  c.id = "add_4_f32_1a2b3c4d";
  c.origins = {{.model = "bert", .count = 1}, {.model = "gpt", .count = 1}};
  manifest.cases.push_back(c);
  return manifest;
}

TEST(FindRow, FindsARowByItsName) {
  const Manifest manifest = ExampleManifest();
  const Expected<Row> row = FindRow(manifest, "gpt__add_4_f32_1a2b3c4d");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->model, "gpt");
}

TEST(FindRow, FindsTheFirstRowOfACase) {
  const Manifest manifest = ExampleManifest();
  const Expected<Row> row = FindRow(manifest, "add_4_f32_1a2b3c4d");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->model, "bert");
}

TEST(FindRow, NamesRowsSimilarToAnAbsentOne) {
  const Manifest manifest = ExampleManifest();
  EXPECT_THAT(FindRow(manifest, "/dev/null").error().message,
              testing::HasSubstr("that is a path: a row is MODEL__CASE"));
  const Expected<Row> row = FindRow(manifest, "add_4");
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().code, ExitCode::kNothingToDo);
  EXPECT_THAT(row.error().message, testing::HasSubstr("did you mean bert__add_4_f32_1a2b3c4d or gpt__"));
}

}  // namespace
}  // namespace opbyop
