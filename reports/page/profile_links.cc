// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/page/profile_links.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "manifests/formats/json.h"
#include "support/files/file.h"

namespace opbyop::reports {
namespace {

namespace fs = std::filesystem;

// Folders with one folder per model, relative to the folder of a report.
constexpr const char* kPlaces[] = {"chained", "profile", "../profile"};

// The target in the first line of the record next to the page.
std::string TargetOf(const fs::path& profile) {
  Expected<std::ifstream> file = OpenFile(profile / "optrace.ndjson");
  std::string line;
  if (!file || !ReadLine(*file, line) || line.size() > kLongestLine) return "";
  const nlohmann::json header = ParseJson(line).value_or(nlohmann::json());
  if (!header.is_object()) return "";
  const auto target = header.find("target");
  return target != header.end() && target->is_string() ? target->get<std::string>() : "";
}

}  // namespace

ProfileLinks FindProfiles(const View& view, const fs::path& folder) {
  ProfileLinks links;
  for (const ModelSummary& model : view.models) {
    const std::string& name = model.model->name;
    for (const char* place : kPlaces) {
      const fs::path profile = fs::path(place) / name;
      std::error_code ignored;
      if (!fs::is_regular_file(folder / profile / "profile.html", ignored)) continue;
      ProfileLink link = {(profile / "profile.html").generic_string(), TargetOf(folder / profile)};
      const bool own = link.target == view.run->header.target;
      if (own || !links.contains(name)) links[name] = std::move(link);
      if (own) break;
    }
  }
  return links;
}

}  // namespace opbyop::reports
