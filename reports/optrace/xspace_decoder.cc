// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/xspace_decoder.h"

#include <fmt/format.h>

#include <protozero/pbf_reader.hpp>
#include <utility>

namespace opbyop::optrace {
namespace {

using protozero::pbf_reader;

struct RawStat {
  int64_t metadata = 0;
  XStat stat;
};

struct RawMetadata {
  int64_t id = 0;
  std::string name, display;
  std::vector<RawStat> stats;
};

class PlaneDecoder {
 public:
  XPlane Decode(pbf_reader reader) {
    std::vector<pbf_reader> lines;
    std::vector<RawStat> stats;
    while (reader.next()) {
      switch (reader.tag()) {
        case 2:
          plane_.name = reader.get_string();
          break;
        case 3:
          lines.push_back(reader.get_message());
          break;
        case 4:
          Add(Entry(reader.get_message()), events_);
          break;
        case 5:
          Add(Entry(reader.get_message()), stat_names_);
          break;
        case 6:
          stats.push_back(Stat(reader.get_message()));
          break;
        default:
          reader.skip();
      }
    }
    for (const auto& [id, metadata] : stat_names_) plane_.stat_names.push_back(metadata.name);
    for (const auto& [id, metadata] : events_) plane_.event_names.push_back(metadata.name);
    plane_.stats = Resolve(stats);
    for (const pbf_reader& line : lines) plane_.lines.push_back(Line(line));
    return std::move(plane_);
  }

 private:
  RawStat Stat(pbf_reader reader) {
    RawStat raw;
    while (reader.next()) {
      const auto tag = reader.tag();
      if (tag == 1) {
        raw.metadata = reader.get_int64();
        continue;
      }
      raw.stat.kind = static_cast<StatKind>(tag);
      if (tag == 2) {
        raw.stat.number = reader.get_double();
      } else if (tag == 3) {
        raw.stat.number = static_cast<double>(reader.get_uint64());
      } else if (tag == 4) {
        raw.stat.number = static_cast<double>(reader.get_int64());
      } else if (tag == 5) {
        raw.stat.text = reader.get_string();
      } else {
        plane_.errors.push_back(fmt::format("a stat has field {}", static_cast<uint32_t>(tag)));
        reader.skip();
      }
    }
    return raw;
  }

  // An entry of a map<int64, metadata>.
  std::pair<int64_t, RawMetadata> Entry(pbf_reader reader) {
    int64_t key = 0;
    RawMetadata metadata;
    while (reader.next()) {
      if (reader.tag() == 1) {
        key = reader.get_int64();
        continue;
      }
      pbf_reader value = reader.get_message();
      while (value.next()) {
        switch (value.tag()) {
          case 1:
            metadata.id = value.get_int64();
            break;
          case 2:
            metadata.name = value.get_string();
            break;
          case 4:
            metadata.display = value.get_string();
            break;
          case 5:
            metadata.stats.push_back(Stat(value.get_message()));
            break;
          default:
            value.skip();
        }
      }
    }
    return {key, metadata};
  }

  void Add(std::pair<int64_t, RawMetadata>&& entry, std::map<int64_t, RawMetadata>& map) {
    if (entry.first != entry.second.id) plane_.errors.push_back("a map's key is not its value's id");
    if (!map.insert(std::move(entry)).second) plane_.errors.push_back("a map has a key twice");
  }

  std::map<std::string, XStat> Resolve(const std::vector<RawStat>& stats) {
    std::map<std::string, XStat> resolved;
    for (const RawStat& raw : stats) {
      const auto name = stat_names_.find(raw.metadata);
      if (name == stat_names_.end()) {
        plane_.errors.push_back(fmt::format("stat {} has no name", raw.metadata));
      } else {
        resolved[name->second.name] = raw.stat;
      }
    }
    return resolved;
  }

  XLine Line(pbf_reader reader) {
    XLine line;
    while (reader.next()) {
      switch (reader.tag()) {
        case 2:
          line.name = reader.get_string();
          break;
        case 3:
          line.timestamp_ns = reader.get_int64();
          break;
        case 4:
          line.events.push_back(Event(reader.get_message()));
          break;
        default:
          reader.skip();
      }
    }
    return line;
  }

  XEvent Event(pbf_reader reader) {
    XEvent event = {.name = "?"};
    std::vector<RawStat> stats;
    while (reader.next()) {
      switch (reader.tag()) {
        case 1:
          event.metadata = reader.get_int64();
          break;
        case 2:
          event.offset_ps = reader.get_int64();
          break;
        case 3:
          event.duration_ps = reader.get_int64();
          break;
        case 4:
          stats.push_back(Stat(reader.get_message()));
          break;
        default:
          reader.skip();
      }
    }
    event.stats = Resolve(stats);
    const auto metadata = events_.find(event.metadata);
    if (metadata == events_.end()) {
      plane_.errors.push_back(fmt::format("event {} has no metadata", event.metadata));
      return event;
    }
    event.name = metadata->second.name;
    event.display = metadata->second.display;
    event.metadata_stats = Resolve(metadata->second.stats);
    return event;
  }

  XPlane plane_;
  std::map<int64_t, RawMetadata> events_, stat_names_;
};

}  // namespace

XSpace DecodeXSpace(std::string_view bytes) {
  XSpace space;
  pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    if (reader.tag() == 1) {
      space.planes.push_back(PlaneDecoder().Decode(reader.get_message()));
    } else if (reader.tag() == 3) {
      space.warnings.push_back(reader.get_string());
    } else {
      reader.skip();
    }
  }
  return space;
}

}  // namespace opbyop::optrace
