// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks of compilation, of the facts that an executable reports, of runs and of donated arguments.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>

#include "device/pjrt/element_type.h"
#include "device/pjrt/interface/interface_check.h"

namespace opbyop::pjrt {
namespace {

using Values = std::array<float, 4>;

constexpr Values kLeft = {1, 2, 3, 4}, kRight = {10, 20, 30, 40};
constexpr std::array<int64_t, 1> kShape = {4};
constexpr std::array<int64_t, 1> kFirst = {0};

Verdict Compiles(Subject& subject) {
  const auto client = subject.client();
  if (!client) return Skip(client.error());
  const Result<const LoadedExecutable*> sum = subject.CompileSum();
  return sum ? Pass("StableHLO as text") : VerdictOf(sum.error());
}

Verdict RefusesNoProgram(Subject& subject) {
  const auto client = subject.client();
  if (!client) return Skip(client.error());
  const Result<LoadedExecutable> compiled = (*client)->Compile(kNoProgram, subject.CompileOptions());
  if (compiled) return Fail(fmt::format("'{}' compiles", kNoProgram));
  if (compiled.error().absent) return VerdictOf(compiled.error());
  if (compiled.error().message.empty()) return Fail("its error says no reason");
  return Pass(fmt::format("{} with a reason", CodeName(compiled.error().code)));
}

// Checks a fact that the executable of the sum reports.
Verdict WithFacts(Subject& subject, const std::function<Verdict(const Executable&)>& check) {
  const auto sum = subject.sum();
  if (!sum) return Skip(sum.error());
  const Result<Executable> facts = (*sum)->Facts();
  return facts ? check(*facts) : VerdictOf(facts.error());
}

Verdict HasName(Subject& subject) {
  return WithFacts(subject, [](const Executable& facts) {
    const Result<std::string> name = facts.Name();
    if (!name) return VerdictOf(name.error());
    return name->empty() ? Fail("it is empty") : Pass(*name);
  });
}

Verdict CountsOutputs(Subject& subject) {
  return WithFacts(subject, [](const Executable& facts) {
    const Result<size_t> count = facts.NumOutputs();
    if (!count) return VerdictOf(count.error());
    return *count == 1 ? Pass("1") : Fail(fmt::format("a program with one output has {}", *count));
  });
}

Verdict RunsOnOne(Subject& subject) {
  return WithFacts(subject, [](const Executable& facts) {
    const Result<size_t> replicas = facts.NumReplicas(), partitions = facts.NumPartitions();
    if (!replicas) return VerdictOf(replicas.error());
    if (!partitions) return VerdictOf(partitions.error());
    if (*replicas == 1 && *partitions == 1) return Pass();
    return Fail(fmt::format("a program for one device has {} replicas and {} partitions", *replicas, *partitions));
  });
}

Verdict TypesOutputs(Subject& subject) {
  return WithFacts(subject, [](const Executable& facts) {
    const Result<std::vector<int>> types = facts.OutputTypes();
    if (!types) return VerdictOf(types.error());
    if (types->size() != 1) return Fail(fmt::format("one output has {} types", types->size()));
    if (types->front() != PJRT_Buffer_Type_F32) {
      return Fail(fmt::format("an output of f32 is described as {}", ElementName(types->front())));
    }
    return Pass();
  });
}

Verdict ShapesOutputs(Subject& subject) {
  return WithFacts(subject, [](const Executable& facts) {
    const Result<std::vector<std::vector<int64_t>>> shapes = facts.OutputShapes();
    if (!shapes) return VerdictOf(shapes.error());
    if (shapes->size() != 1) return Fail(fmt::format("one output has {} shapes", shapes->size()));
    if (shapes->front() != std::vector<int64_t>{4}) {
      return Fail(fmt::format("an output of shape [4] is described as [{}]", fmt::join(shapes->front(), ",")));
    }
    return Pass();
  });
}

Verdict EstimatesCosts(Subject& subject) {
  return WithFacts(subject, [](const Executable& facts) {
    const Result<NamedValues> costs = facts.Costs();
    if (!costs) return VerdictOf(costs.error());
    const auto flops = costs->find("flops");
    if (flops == costs->end()) return Pass(fmt::format("{} properties, flops not among them", costs->size()));
    const auto* value = std::get_if<float>(&flops->second);
    if (value == nullptr || !std::isfinite(*value) || *value < 0) {
      return Fail(fmt::format("flops are {}", ToText(flops->second)));
    }
    return Pass(fmt::format("{} properties, flops {}", costs->size(), *value));
  });
}

Verdict CountsMemory(Subject& subject) {
  return WithFacts(subject, [](const Executable& facts) {
    const Result<std::map<std::string, int64_t>> use = facts.MemoryUse();
    if (!use) return VerdictOf(use.error());
    for (const auto& [what, bytes] : *use) {
      if (bytes < 0) return Fail(fmt::format("{} take {} bytes", what, bytes));
    }
    return Pass(fmt::format("arguments {}, outputs {}", use->at("arguments"), use->at("outputs")));
  });
}

Verdict HasFingerprint(Subject& subject) {
  return WithFacts(subject, [](const Executable& facts) {
    const Result<std::string> fingerprint = facts.Fingerprint();
    if (!fingerprint) return VerdictOf(fingerprint.error());
    return fingerprint->empty() ? Fail("it is empty") : Pass();
  });
}

Verdict GivesOptimizedProgram(Subject& subject) {
  return WithFacts(subject, [](const Executable& facts) {
    const Result<Program> program = facts.OptimizedProgram();
    if (!program) return VerdictOf(program.error());
    if (program->code.empty()) return Fail("it is empty");
    return Pass(fmt::format("{} bytes of {}", program->code.size(), program->format));
  });
}

Result<Buffer> Send(Subject& subject, const Device& device, const Values& values) {
  return (*subject.client())
      ->BufferFromHost({PJRT_Buffer_Type_F32, kShape, std::as_bytes(std::span(values))}, device,
                       PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
}

// The four values of the buffer, or the reason why they cannot be read.
tl::expected<Values, Verdict> Receive(const Buffer& buffer) {
  Values values = {};
  const Result<size_t> size = buffer.HostBytes();
  if (!size) return tl::unexpected(VerdictOf(size.error()));
  if (*size != sizeof(values)) return tl::unexpected(Fail(fmt::format("four f32 are {} bytes on the host", *size)));
  Result<void> copied = buffer.CopyToHost(std::as_writable_bytes(std::span(values)));
  if (!copied) return tl::unexpected(VerdictOf(copied.error()));
  return values;
}

struct Ran {
  Buffer left, right, sum;
};

tl::expected<Ran, Verdict> Run(Subject& subject, const LoadedExecutable& executable, const Values& left_values,
                               const Values& right_values, std::span<const int64_t> not_donated) {
  const auto device = subject.device();
  if (!device) return tl::unexpected(Skip(device.error()));
  Result<Buffer> left = Send(subject, *device, left_values), right = Send(subject, *device, right_values);
  if (!left) return tl::unexpected(VerdictOf(left.error()));
  if (!right) return tl::unexpected(VerdictOf(right.error()));
  const std::array<PJRT_Buffer*, 2> inputs = {left->get(), right->get()};
  Result<Execution> execution = executable.Execute(inputs, 1, not_donated);
  if (!execution) return tl::unexpected(VerdictOf(execution.error()));
  if (Result<void> done = execution->Await((*subject.client())->api()); !done) {
    return tl::unexpected(VerdictOf(done.error()));
  }
  return Ran{std::move(*left), std::move(*right), std::move(execution->outputs.front())};
}

// Checks that the buffer holds the sums, within the rounding error of the narrowest arithmetic.
Verdict IsSum(const Buffer& buffer, const Values& left, const Values& right) {
  constexpr float kTolerance = 0.02F;
  const auto got = Receive(buffer);
  if (!got) return got.error();
  for (size_t i = 0; i < got->size(); ++i) {
    const float expected = left[i] + right[i];
    if (!(std::abs((*got)[i] - expected) <= kTolerance * expected)) {
      return Fail(fmt::format("{} + {} is {}", left[i], right[i], (*got)[i]));
    }
  }
  return Pass();
}

Verdict RunsSum(Subject& subject, const LoadedExecutable& executable, const Values& left, const Values& right) {
  const auto ran = Run(subject, executable, left, right, kFirst);
  return ran ? IsSum(ran->sum, left, right) : ran.error();
}

Verdict Executes(Subject& subject) {
  const auto sum = subject.sum();
  if (!sum) return Skip(sum.error());
  return RunsSum(subject, **sum, kLeft, kRight);
}

// Other arguments must give other results.
Verdict ExecutesAgain(Subject& subject) {
  const auto sum = subject.sum();
  if (!sum) return Skip(sum.error());
  Verdict first = RunsSum(subject, **sum, kLeft, kRight);
  return first.status == Status::kPass ? RunsSum(subject, **sum, kRight, kRight) : first;
}

Verdict KeepsArguments(Subject& subject) {
  const auto sum = subject.sum();
  if (!sum) return Skip(sum.error());
  const auto ran = Run(subject, **sum, kLeft, kRight, kFirst);
  if (!ran) return ran.error();
  for (const auto& [buffer, values] : {std::pair(&ran->left, &kLeft), std::pair(&ran->right, &kRight)}) {
    const auto got = Receive(*buffer);
    if (!got) return got.error();
    if (*got != *values) return Fail("an execution writes into its arguments");
  }
  return Pass();
}

Verdict DescribesOutput(Subject& subject) {
  const auto sum = subject.sum();
  if (!sum) return Skip(sum.error());
  const auto ran = Run(subject, **sum, kLeft, kRight, kFirst);
  if (!ran) return ran.error();
  const Result<int> type = ran->sum.Type();
  if (!type) return VerdictOf(type.error());
  const Result<std::vector<int64_t>> shape = ran->sum.Shape();
  if (!shape) return VerdictOf(shape.error());
  if (*type == PJRT_Buffer_Type_F32 && *shape == std::vector<int64_t>{4}) return Pass();
  return Fail(fmt::format("an output of four f32 is a buffer of shape [{}] and type {}", fmt::join(*shape, ","),
                          static_cast<int>(*type)));
}

Verdict Serializes(Subject& subject) {
  return WithFacts(subject, [&](const Executable& facts) {
    const Result<std::string> bytes = facts.Serialize();
    if (!bytes) return VerdictOf(bytes.error());
    if (bytes->empty()) return Fail("an executable serializes to nothing");
    const Result<LoadedExecutable> loaded = (*subject.client())->Load(*bytes);
    if (!loaded) return VerdictOf(loaded.error());
    Verdict verdict = RunsSum(subject, *loaded, kLeft, kRight);
    return verdict.status == Status::kPass ? Pass(fmt::format("{} bytes", bytes->size())) : verdict;
  });
}

Verdict DeletesExecutable(Subject& subject) {
  const auto client = subject.client();
  if (!client) return Skip(client.error());
  const Result<LoadedExecutable> loaded = (*client)->Compile(SumProgram(), subject.CompileOptions());
  if (!loaded) return Skip("there is no executable");
  if (Result<void> deleted = loaded->Delete(); !deleted) return VerdictOf(deleted.error());
  const Result<bool> gone = loaded->IsDeleted();
  if (!gone) return VerdictOf(gone.error());
  return *gone ? Pass() : Fail("an executable that was deleted says that it is not");
}

// The first argument donates its memory to the result: it must be deleted afterwards, or kept if the run requests that.
Verdict Donates(Subject& subject, bool donated) {
  const auto client = subject.client();
  if (!client) return Skip(client.error());
  const Result<LoadedExecutable> loaded =
      (*client)->Compile(SumProgram("tf.aliasing_output = 0 : i32"), subject.CompileOptions());
  if (!loaded) return VerdictOf(loaded.error());
  const auto kept = donated ? std::span<const int64_t>() : std::span<const int64_t>(kFirst);
  const auto ran = Run(subject, *loaded, kLeft, kRight, kept);
  if (!ran) return ran.error();
  Verdict verdict = IsSum(ran->sum, kLeft, kRight);
  if (verdict.status != Status::kPass) return verdict;
  const Result<bool> gone = ran->left.IsDeleted();
  if (!gone) return VerdictOf(gone.error());
  if (donated) {
    if (*gone) return Pass();
    return {Status::kUnsupported, "an argument that was donated stays"};
  }
  if (*gone) return Fail("an argument that was not to be donated is gone");
  const auto left = Receive(ran->left);
  if (!left) return left.error();
  return *left == kLeft ? Pass() : Fail("an argument that was not to be donated is overwritten");
}

}  // namespace

std::vector<Check> ExecutableChecks() {
  return {{std::string(kCompileCheck), false, &Compiles},
          {"compile.refuses_no_program", false, &RefusesNoProgram},
          {"executable.name", false, &HasName},
          {"executable.outputs", false, &CountsOutputs},
          {"executable.replicas", false, &RunsOnOne},
          {"executable.output_types", false, &TypesOutputs},
          {"executable.output_shapes", false, &ShapesOutputs},
          {"executable.costs", false, &EstimatesCosts},
          {"executable.memory", false, &CountsMemory},
          {"executable.fingerprint", false, &HasFingerprint},
          {"executable.optimized_program", false, &GivesOptimizedProgram},
          {"executable.serialize", false, &Serializes, true},
          {"executable.delete", false, &DeletesExecutable},
          {"execute.sum", false, &Executes, true},
          {"execute.again", false, &ExecutesAgain, true},
          {"execute.keeps_arguments", false, &KeepsArguments, true},
          {"execute.output", false, &DescribesOutput, true},
          {"donation.donated", false, [](Subject& subject) { return Donates(subject, true); }, true},
          {"donation.kept", false, [](Subject& subject) { return Donates(subject, false); }, true}};
}

}  // namespace opbyop::pjrt
