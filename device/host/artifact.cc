// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/host/artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/host/artifact_generated.h"
#include "support/dtype.h"

namespace opbyop::host {
namespace {

using TensorOffset = flatbuffers::Offset<schema::Tensor>;

std::vector<TensorOffset> WriteTensors(flatbuffers::FlatBufferBuilder& builder, const std::vector<TensorType>& types) {
  std::vector<TensorOffset> offsets;
  offsets.reserve(types.size());
  for (const TensorType& type : types)
    offsets.push_back(schema::CreateTensorDirect(builder, &type.shape, type.dtype.c_str()));
  return offsets;
}

std::string Text(const flatbuffers::String* text) { return text ? text->str() : std::string(); }

Expected<std::vector<TensorType>> ReadTensors(const flatbuffers::Vector<TensorOffset>* tensors, std::string_view what) {
  std::vector<TensorType> types;
  if (!tensors) return types;
  for (const schema::Tensor* tensor : *tensors) {
    TensorType type;
    if (tensor->shape()) type.shape.assign(tensor->shape()->begin(), tensor->shape()->end());
    type.dtype = Text(tensor->dtype());
    const bool negative = std::any_of(type.shape.begin(), type.shape.end(), [](int64_t dim) { return dim < 0; });
    if (negative || !DtypeBytes(type.dtype) || !NumElements(type)) {
      return MakeError(ExitCode::kBadInput,
                       fmt::format("host artifact: {} {} has no storage (dtype '{}'); the file is damaged", what,
                                   types.size(), type.dtype));
    }
    types.push_back(std::move(type));
  }
  return types;
}

}  // namespace

std::string WriteArtifact(const Artifact& artifact) {
  flatbuffers::FlatBufferBuilder builder(artifact.object.size() + 1024);
  const auto inputs = WriteTensors(builder, artifact.signature.inputs);
  const auto outputs = WriteTensors(builder, artifact.signature.outputs);
  const auto object =
      builder.CreateVector(reinterpret_cast<const uint8_t*>(artifact.object.data()), artifact.object.size());
  const auto root = schema::CreateArtifact(
      builder, kArtifactFormat, builder.CreateString(artifact.producer), builder.CreateString(artifact.triple),
      builder.CreateString(artifact.cpu), builder.CreateString(artifact.entry), builder.CreateVector(inputs),
      builder.CreateVector(outputs), object, artifact.grid.replicas, artifact.grid.partitions);
  schema::FinishArtifactBuffer(builder, root);
  return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
}

Expected<Artifact> ReadArtifact(std::string_view bytes) {
  constexpr size_t kHeaderSize = 8;  // root offset and file identifier
  if (bytes.size() < kHeaderSize || std::memcmp(bytes.data() + 4, schema::ArtifactIdentifier(), 4) != 0) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("host artifact: {} bytes without the identifier '{}'; this is no host artifact, or an "
                                 "empty one",
                                 bytes.size(), schema::ArtifactIdentifier()));
  }
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size());
  if (!schema::VerifyArtifactBuffer(verifier)) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("host artifact: a field points outside its {} bytes; the file is truncated or damaged",
                                 bytes.size()));
  }
  const schema::Artifact* root = schema::GetArtifact(data);
  if (root->format() != kArtifactFormat) {
    return MakeError(
        ExitCode::kUnsupported,
        fmt::format("host artifact: format {} by '{}', but this loader reads format {}; rebuild the artifact "
                    "or update opbyop",
                    root->format(), Text(root->producer()), kArtifactFormat));
  }
  Artifact artifact;
  artifact.producer = Text(root->producer());
  artifact.triple = Text(root->triple());
  artifact.cpu = Text(root->cpu());
  artifact.entry = Text(root->entry());
  auto inputs = ReadTensors(root->inputs(), "input");
  if (!inputs) return Unexpected(inputs.error());
  auto outputs = ReadTensors(root->outputs(), "output");
  if (!outputs) return Unexpected(outputs.error());
  artifact.signature = {std::move(*inputs), std::move(*outputs)};
  if (!root->object() || root->object()->size() == 0 || artifact.entry.empty()) {
    return MakeError(ExitCode::kBadInput, "host artifact: no object code or no entry name; the file is damaged");
  }
  artifact.grid = {root->replicas(), root->partitions()};
  if (!artifact.grid.is_valid()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("host artifact: {} replicas of {} partitions; the file is damaged",
                                 artifact.grid.replicas, artifact.grid.partitions));
  }
  artifact.object.assign(reinterpret_cast<const char*>(root->object()->data()), root->object()->size());
  return artifact;
}

}  // namespace opbyop::host
