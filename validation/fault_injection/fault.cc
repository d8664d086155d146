// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "validation/fault_injection/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace opbyop::fault_injection {

bool Fault::ChangesOp(std::string_view op_name) const {
  for (size_t at = 0; at < ops.size();) {
    const size_t end = std::min(ops.find(' ', at), ops.size());
    if (std::string_view(ops).substr(at, end - at) == op_name) return true;
    at = end + 1;
  }
  return false;
}

void OpFaults::operator()(std::string name, std::string what, std::string ops, OpFault fault, bool legal) const {
  faults_.push_back({.name = std::move(name),
                     .what = std::move(what),
                     .ops = std::move(ops),
                     .legal = legal,
                     .op = std::move(fault)});
}

const std::vector<Fault>& Faults() {
  static const std::vector<Fault> faults = [] {
    std::vector<Fault> list;
    AddAccumulationFaults(list);
    AddLineFaults(list);
    AddNormalizationFaults(list);
    AddRoundingFaults(list);
    AddFunctionFaults(list);
    AddIntegerFaults(list);
    AddComparisonFaults(list);
    AddWindowFaults(list);
    AddMovementFaults(list);
    AddIndexFaults(list);
    AddResultFaults(list);
    return list;
  }();
  return faults;
}

const std::vector<Fault>& FaultsOfPairs() {
  static const std::vector<Fault> faults = [] {
    std::vector<Fault> list;
    for (const Fault& fault : Faults()) {
      for (const size_t place : {0, 1}) {
        list.push_back(fault);
        list.back().name = fmt::format("{}@{}", fault.name, place);
        list.back().place = place;
      }
    }
    return list;
  }();
  return faults;
}

const std::vector<Fault>& MeshFaults() {
  static const std::vector<Fault> faults = [] {
    std::vector<Fault> list;
    AddCollectiveFaults(list);
    AddPartitionFaults(list);
    return list;
  }();
  return faults;
}

const Fault* FindFault(std::string_view name) {
  for (const std::vector<Fault>* list : {&Faults(), &FaultsOfPairs(), &MeshFaults(), &ProgramFaults()}) {
    const auto found = std::ranges::find(*list, name, &Fault::name);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

}  // namespace opbyop::fault_injection
