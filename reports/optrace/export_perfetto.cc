// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/optrace/export_perfetto.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <set>
#include <string>

#include "reports/optrace/clocks.h"
#include "reports/optrace/flow.h"
#include "reports/optrace/timeline.h"
#include "support/files/output_file.h"

namespace opbyop::optrace {
namespace {

using protozero::pbf_writer;

// Field numbers of Perfetto's trace.proto and its parts.
enum Trace_ : uint32_t { kTracePacket = 1 };
enum Packet : uint32_t { kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kTrackDescriptor = 60 };
enum Descriptor : uint32_t { kUuid = 1, kTrackName = 2, kParentUuid = 5, kChildOrdering = 11, kSiblingRank = 12 };
enum Event : uint32_t {
  kDebugAnnotation = 4,
  kType = 9,
  kTrackUuid = 11,
  kCategory = 22,
  kName = 23,
  kFlowIds = 47,
  kTerminatingFlowIds = 48,
  kCorrelationId = 52
};
enum Annotation : uint32_t { kAnnotationInt = 4, kAnnotationString = 6, kAnnotationName = 10 };

constexpr uint32_t kSequence = 1;
constexpr int kSliceBegin = 1, kSliceEnd = 2;
constexpr int kExplicitOrder = 3;
constexpr int64_t kPsPerNs = 1000;

class Writer {
 public:
  explicit Writer(OutputFile& file) : file_(file) {}

  uint64_t Track(const std::string& name, uint64_t parent, int rank) {
    const uint64_t uuid = ++tracks_;
    Packet_([&](pbf_writer& packet) {
      pbf_writer track(packet, kTrackDescriptor);
      track.add_uint64(kUuid, uuid);
      track.add_string(kTrackName, name);
      if (parent != 0) track.add_uint64(kParentUuid, parent);
      track.add_enum(kChildOrdering, kExplicitOrder);
      track.add_int32(kSiblingRank, rank);
    });
    return uuid;
  }

  void Add(const Slice& slice, const std::string& category, std::string_view clock, uint64_t track,
           const std::vector<FlowStep>& flows) {
    Packet_([&](pbf_writer& packet) {
      packet.add_uint64(kTimestamp, static_cast<uint64_t>(slice.start / kPsPerNs));
      pbf_writer event(packet, kTrackEvent);
      event.add_enum(kType, kSliceBegin);
      event.add_uint64(kTrackUuid, track);
      event.add_string(kCategory, category);
      event.add_string(kName, slice.name);
      Annotate(event, "start_ps", slice.start);
      Annotate(event, "dur_ps", slice.end - slice.start);
      if (!clock.empty()) Annotate(event, "clock", std::string(clock));
      if (!slice.single()) {
        for (size_t i = 0; i < slice.members.size(); ++i)
          Annotate(event, fmt::format("fused[{}]", i), slice.members[i]);
      } else {
        event.add_uint64(kCorrelationId, std::hash<std::string>{}(slice.members[0]) | 1);
      }
      for (const FlowStep& step : flows) {
        event.add_fixed64(step.last ? kTerminatingFlowIds : kFlowIds, static_cast<uint64_t>(step.flow));
      }
    });
    Packet_([&](pbf_writer& packet) {
      packet.add_uint64(kTimestamp, static_cast<uint64_t>(slice.end / kPsPerNs));
      pbf_writer event(packet, kTrackEvent);
      event.add_enum(kType, kSliceEnd);
      event.add_uint64(kTrackUuid, track);
    });
  }

 private:
  template <typename Fill>
  void Packet_(Fill&& fill) {
    buffer_.clear();
    {
      pbf_writer trace(buffer_);
      pbf_writer packet(trace, kTracePacket);
      packet.add_uint32(kSequenceId, kSequence);
      fill(packet);
    }
    file_.Write(buffer_);
  }

  static void Annotate(pbf_writer& event, const std::string& name, int64_t value) {
    pbf_writer annotation(event, kDebugAnnotation);
    annotation.add_string(kAnnotationName, name);
    annotation.add_int64(kAnnotationInt, value);
  }

  static void Annotate(pbf_writer& event, const std::string& name, const std::string& value) {
    pbf_writer annotation(event, kDebugAnnotation);
    annotation.add_string(kAnnotationName, name);
    annotation.add_string(kAnnotationString, value);
  }

  OutputFile& file_;
  std::string buffer_;
  uint64_t tracks_ = 0;
};

std::string DeviceTitle(const Trace& trace, int64_t device, int64_t core) {
  for (const TraceDevice& known : trace.header.devices) {
    if (known.id == device) return fmt::format("{} {} core {}", known.name, device, core);
  }
  return fmt::format("device {} core {}", device, core);
}

}  // namespace

Expected<void> ExportPerfetto(const Trace& trace, const std::filesystem::path& path) {
  auto file = OutputFile::Create(path);
  if (!file) return Unexpected(file.error());
  Writer writer(**file);
  const Flows flows(trace);
  const SliceClocks clocks(trace);
  std::map<std::pair<int64_t, int64_t>, uint64_t> devices;
  std::map<std::tuple<int64_t, int64_t, Section>, uint64_t> sections;
  int rank = 0;
  uint64_t track = 0;
  TimelineRow row_in_hand;
  DrawTimeline(
      trace,
      [&](const TimelineRow& row) {
        uint64_t& device = devices[{row.device, row.core}];
        if (device == 0) device = writer.Track(DeviceTitle(trace, row.device, row.core), 0, ++rank);
        uint64_t& section = sections[{row.device, row.core, row.section}];
        if (section == 0) section = writer.Track(SectionTitle(row.section), device, ++rank);
        track = writer.Track(row.title, section, ++rank);
        row_in_hand = row;
      },
      [&](Slice&& slice) {
        writer.Add(slice, std::string(ToString(row_in_hand.section)), clocks.Of(row_in_hand, slice), track,
                   flows.In(row_in_hand, slice));
      });
  return (*file)->Close();
}

}  // namespace opbyop::optrace
