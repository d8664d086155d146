// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "harness/worker/case_request.h"

#include <utility>
#include <variant>

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
  request.arithmetic = target.arithmetic;
  return request;
}

void SetGrid(const Case& c, protocol::Request& request) {
  request.grid = c.grid;
  const bool is_for_reference = std::holds_alternative<protocol::InputsVerb>(request.verb) ||
                                std::holds_alternative<protocol::CompareVerb>(request.verb);
  if (!c.sharding || is_for_reference) return;
  request.grid = c.devices();
  request.shardings = {TextsOf(c.sharding->inputs, c.sharding->partitions),
                       TextsOf(c.sharding->outputs, c.sharding->partitions)};
}

}  // namespace opbyop::harness
