// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/sharding/sdy_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace opbyop {
namespace {

// The axes of a mesh: neighbouring place values of the devices' numbers, from the least.
class Mesh {
 public:
  explicit Mesh(const std::set<int64_t>& places) : places_(places.begin(), places.end()) {}

  bool IsValid() const {
    for (size_t i = 1; i < places_.size(); ++i) {
      if (places_[i] % places_[i - 1] != 0) return false;
    }
    return true;
  }

  std::string Text() const {
    std::vector<std::string> axes;
    for (size_t i = places_.size() - 1; i > 0; --i) {
      axes.push_back(fmt::format("{}={}", NameOf(i - 1), places_[i] / places_[i - 1]));
    }
    return fmt::format("{}", fmt::join(axes, ", "));
  }

  // The names of the axes that one digit is made of, major first.
  std::string Text(const Axes& axes) const {
    std::vector<std::string> names;
    for (const Axis& axis : axes) {
      for (size_t i = places_.size() - 1; i-- > 0;) {
        if (places_[i] >= axis.stride && places_[i] < axis.stride * axis.size) names.push_back(NameOf(i));
      }
    }
    return fmt::format("{{{}}}", fmt::join(names, ", "));
  }

 private:
  std::string NameOf(size_t place) const { return fmt::format("\"a{}\"", places_.size() - 2 - place); }

  std::vector<int64_t> places_;
};

}  // namespace

Expected<std::vector<std::string>> ToSdyTexts(std::span<const Division> divisions, int64_t devices) {
  std::set<int64_t> places = {1, devices};
  for (const Division& division : divisions) {
    for (const Axes& axes : division) {
      for (const Axis& axis : axes) places.insert({axis.stride, axis.stride * axis.size});
    }
  }
  const Mesh mesh(places);
  if (!mesh.IsValid()) {
    return MakeError(ExitCode::kUnsupported, "no mesh has the axes of all shardings, so Shardy cannot be told of them");
  }
  std::vector<std::string> texts;
  texts.reserve(divisions.size());
  for (const Division& division : divisions) {
    std::vector<std::string> dimensions;
    dimensions.reserve(division.size());
    for (const Axes& axes : division) dimensions.push_back(mesh.Text(axes));
    texts.push_back(fmt::format("#sdy.sharding<mesh<[{}]>, [{}]>", mesh.Text(), fmt::join(dimensions, ", ")));
  }
  return texts;
}

}  // namespace opbyop
