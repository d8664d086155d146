// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/case_request.h"

#include <utility>

namespace opbyop::harness {

protocol::Request MakeCaseRequest(protocol::Verb verb, const Case& c, const std::filesystem::path& manifest_folder,
                                  const Target& target) {
  protocol::Request request;
  request.verb = std::move(verb);
  request.case_id = c.id;
  request.file = manifest_folder / c.file;
  request.op = c.op;
  request.inputs = c.inputs;
  request.outputs = c.outputs;
  request.input_ranges = c.input_ranges;
  request.target = target.name;
  request.partitioner = target.partitioner;
  request.arithmetic = target.arithmetic;
  return request;
}

void SetGrid(const Case& c, protocol::Request& request) {
  request.grid = c.devices();
  if (!c.sharding) return;
  request.shardings = {TextsOf(c.sharding->inputs, c.sharding->partitions),
                       TextsOf(c.sharding->outputs, c.sharding->partitions)};
}

}  // namespace opbyop::harness
