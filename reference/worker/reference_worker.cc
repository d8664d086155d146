// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reference/worker/reference_worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "ir/foreign_dialects.h"
#include "ir/read_module.h"
#include "ir/sharding/product_parts.h"
#include "manifests/policies/policy.h"
#include "manifests/results/comparison_verdict.h"
#include "manifests/results/result.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "reference/eval/alternatives.h"
#include "reference/eval/evaluator.h"
#include "reference/eval/ops/run_on_grid.h"
#include "reference/inputs/captured.h"
#include "reference/inputs/inputs.h"
#include "reference/inputs/trial.h"
#include "reference/raise/raise.h"
#include "reference/worker/argument_files.h"
#include "reference/worker/declaration_hint.h"
#include "reference/worker/differing_replicas.h"
#include "reference/worker/elementwise_judge.h"
#include "reference/worker/freed_memory.h"
#include "reference/worker/output_judge.h"
#include "reference/worker/plain_tensor.h"
#include "reference/worker/product_judge.h"
#include "reference/worker/product_rows_judge.h"
#include "reference/worker/rows_judge.h"
#include "reference/worker/whole_model.h"
#include "support/dtype.h"
#include "support/files/npy.h"
#include "support/sharding/sharding_text.h"

namespace opbyop::reference {
namespace {

using protocol::CompareVerb;
using protocol::InputsVerb;
using protocol::Reply;
using protocol::Request;

// An MLIRContext never frees uniqued objects. After this many programs a new context keeps the worker's memory small.
constexpr int kProgramsPerContext = 2000;

// The greatest number of elements of results that are kept for another comparison: some 100 MB with bounds and
// deviations.
constexpr int64_t kMostKeptElements = int64_t{4} << 20;

// Whether the elements were drawn independently of each other, as the deviations of sums assume.
bool HasIndependentInputs(const Request& request, bool own_inputs, const Policy& policy) {
  return policy.inputs == InputKind::kDomain && !own_inputs && !IsJudgedAsModel(request.op);
}

// Loads the policy's file if the request names one. Else the name is just a kind of inputs.
Expected<Policy> PolicyOf(const protocol::PolicyName& named) {
  if (!named.file.empty()) return LoadPolicy(named.file);
  Policy policy;
  policy.name = named.name;
  const Expected<InputKind> kind = ParseInputKind(named.name);
  if (!kind) return Unexpected(kind.error());
  policy.inputs = *kind;
  return policy;
}

// The work of all processes together.
Work WorkOfAll(Work one, const Grid& grid) {
  const auto processes = static_cast<double>(grid.processes());
  for (double* part : {&one.operations, &one.executions, &one.bytes, &one.live_bytes}) *part *= processes;
  return one;
}

int64_t ElementsOf(const Values& values) {
  int64_t elements = 0;
  for (const Value& value : values) elements += value.is_tensor() ? value.tensor().size() : 0;
  return elements;
}

// Returns the first of the request's earlier policies that gives this program the same inputs. Empty if there is none.
// All policies draw the same for a program that is judged by a property.
std::string SameAs(const InputsVerb& inputs, mlir::ModuleOp module, InputKind kind, bool has_property) {
  for (const protocol::PolicyName& earlier : inputs.earlier) {
    const Expected<Policy> policy = PolicyOf(earlier);
    if (policy && has_property && policy->inputs != InputKind::kCaptured && kind != InputKind::kCaptured) {
      return earlier.name;
    }
    if (policy && DrawsSameInputs(module, kind, policy->inputs)) return earlier.name;
  }
  return "";
}

// The results of all processes are numbered together (manifests/cases/grid.h). NameProcess() turns the number of a
// comparison into a process and its result, NumberOf() is the reverse; `all` is the number of results.
void NameProcess(const Grid& grid, size_t all, Comparison& comparison) {
  if (grid == Grid()) return;
  const auto each = static_cast<int64_t>(all) / grid.processes();
  comparison.process = comparison.output / each;
  comparison.output %= each;
}
size_t NumberOf(const Grid& grid, size_t all, const Comparison& comparison) {
  const auto each = static_cast<int64_t>(all) / grid.processes();
  return static_cast<size_t>(comparison.process.value_or(0) * each + comparison.output);
}

// Whether an output of the last run differs from that of the first: because of a race, or of state that the first run
// left behind. A worker writes it only then.
bool DiffersInLastRun(const Request& request, size_t output) {
  return std::filesystem::exists(FileOf(request, "last_output", output));
}
bool AnyDiffersInLastRun(const Request& request, size_t outputs) {
  for (size_t i = 0; i < outputs; ++i) {
    if (DiffersInLastRun(request, i)) return true;
  }
  return false;
}

// The reply if the reference itself fails, so that nothing is known about the device's results.
Reply ReferenceFailure(const Error& error) {
  return {error.code == ExitCode::kUnsupported ? Status::kUnsupported : Status::kInconclusive, error.message};
}

// Returns the op name by which a policy's relaxations match a program: that of a case of several ops, else the first op
// that is neither constant nor return. A relaxation of one op does not hold for what others make of its result.
std::string OpNameOf(const Request& request, mlir::Operation* entry) {
  if (HasSeveralOps(request.op)) return request.op;
  for (mlir::Operation& op : entry->getRegion(0).front()) {
    const llvm::StringRef name = op.getName().getStringRef();
    if (name != "stablehlo.constant") return name.str();
  }
  return "";
}

// The devices that may each have a part of a sum of products of the program: 1, unless its tensors are divided.
Expected<int64_t> ProductPartsOf(const Request& request, mlir::Operation* entry) {
  auto function = llvm::cast<mlir::FunctionOpInterface>(entry);
  const std::vector<std::string>& texts = request.shardings.inputs;
  if (texts.empty()) return 1;
  if (texts.size() != function.getNumArguments()) {
    return MakeError(ExitCode::kBadInput,
                     fmt::format("{} shardings for {} arguments", texts.size(), function.getNumArguments()));
  }
  std::vector<Division> divisions;
  divisions.reserve(texts.size());
  for (const auto& [text, type] : llvm::zip(texts, function.getArgumentTypes())) {
    const auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    const Expected<Sharding> sharding = ParseSharding(text, tensor ? static_cast<size_t>(tensor.getRank()) : 0);
    if (!sharding) return Unexpected(sharding.error());
    divisions.push_back(WholeWhereOpen(*sharding));
  }
  return ProductParts(function, divisions);
}

// Whether an op of the program uses the result of another one that is not a constant.
bool HasIntermediates(mlir::Operation* entry) {
  return llvm::any_of(entry->getRegion(0).front(), [](mlir::Operation& op) {
    return !op.hasTrait<mlir::OpTrait::IsTerminator>() && llvm::any_of(op.getOperands(), [](mlir::Value operand) {
      return operand.getDefiningOp() != nullptr && operand.getDefiningOp()->getNumOperands() > 0;
    });
  });
}

// Whether a policy relaxes the bounds of a result of the program. Multiplied by any factor a bound of zero stays zero,
// so the sums of such a program are not taken to be exact.
bool IsRelaxed(const Policy& policy, std::string_view op, mlir::Operation* entry, std::string_view target) {
  return llvm::any_of(llvm::cast<mlir::FunctionOpInterface>(entry).getResultTypes(), [&](mlir::Type type) {
    const auto element = ElementTypeOf(type);
    return element && policy.For(op, NameOf(*element), target).factor > 1;
  });
}

Expected<bool> SaveExpected(const Request& request, size_t i, const Tensor& expected) {
  const Expected<void> values =
      WriteNpy(FileOf(request, "expected", i), expected.tensor_type(), TensorToBytes(expected));
  if (!values) return Unexpected(values.error());
  Tensor bound = Tensor::Zeros(ElementType::kF64, expected.shape());
  if (!expected.bounds().empty()) std::ranges::copy(expected.bounds(), bound.Mutable<double>().begin());
  const Expected<void> bounds = WriteNpy(FileOf(request, "bound", i), bound.tensor_type(), TensorToBytes(bound));
  if (!bounds) return Unexpected(bounds.error());
  return true;
}

}  // namespace

ReferenceWorker::ReferenceWorker(WorkLimits limits, Meanings meanings)
    : limits_(limits), meanings_(std::move(meanings)) {}

protocol::Hello ReferenceWorker::MakeHello() { return {"reference", "reference", "opbyop-reference/1"}; }

Expected<mlir::ModuleOp> ReferenceWorker::Load(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto written = std::filesystem::last_write_time(file, ignored);
  if (module_ && file == file_ && written == written_) return module_.get();
  module_ = nullptr;
  applied_ = {};  // before the context of its module
  if (!context_ || loads_ >= kProgramsPerContext) {
    context_ = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    AllowAnyDialect(*context_);  // inputs are also generated for the IR of a compiler's stage
    loads_ = 0;
  }
  ++loads_;
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module = ReadModule(file, *context_, {.allow_mhlo = true});
  if (!module) return Unexpected(module.error());
  Expected<Applied> applied = meanings_.Apply(module->get());
  if (!applied) return Unexpected(applied.error());
  applied_ = std::move(*applied);
  module_ = std::move(*module);
  raised_ = false;
  why_not_raised_.clear();
  if (const Expected<bool> raised = RaiseToStablehlo(*module_)) {
    raised_ = *raised;
  } else if (raised.error().code == ExitCode::kUnsupported) {
    why_not_raised_ = raised.error().message;
  }
  file_ = file;
  written_ = written;
  work_ = EstimateWork(*module_);
  KeepLargeBlocks(work_.live_bytes);
  return module_.get();
}

Reply ReferenceWorker::Handle(const Request& request, protocol::StageEvents& events) {
  const auto* inputs = std::get_if<InputsVerb>(&request.verb);
  const auto* compare = std::get_if<CompareVerb>(&request.verb);
  const std::string_view verb = NameOf(request.verb);
  if (inputs == nullptr && compare == nullptr) {
    return Reply::Unsupported(fmt::format("the reference does not know the verb '{}'", verb));
  }
  events.Begin(verb);
  // A sharded case means what the op means on one process.
  Request of_values = request;
  if (request.shardings != protocol::Shardings()) of_values.grid = Grid();
  Reply reply = inputs != nullptr ? Inputs(of_values, *inputs) : Compare(of_values, *compare);
  events.End(reply.status, reply.diagnostic);
  ReturnFreedMemory();
  return reply;
}

Reply ReferenceWorker::Inputs(const Request& request, const InputsVerb& asked) {
  const Expected<mlir::ModuleOp> module = Load(request.file);
  if (!module) return Reply::Of(module.error());
  const bool whole = IsJudgedAsModel(request.op);
  Work work = WorkOfAll(work_, request.grid);
  if (applied_.judge) work.operations += applied_.judge->Work();
  if (const auto reason = TooLarge(work, whole ? kWholeModelLimits : limits_); reason && !IsJudgedByChecksum(request)) {
    return {Status::kSkipped, *reason};
  }
  const Expected<Policy> policy = PolicyOf(request.policy);
  if (!policy) return Reply::Of(policy.error());
  Reply reply;
  InputKind kind = policy->inputs;
  // A factorization of special values, or of zeros, demands nothing of its results.
  if (applied_.judge && kind != InputKind::kCaptured) kind = InputKind::kDomain;
  if (const std::string same = SameAs(asked, *module, kind, applied_.judge.has_value()); !same.empty()) {
    reply.payload["same_as"] = same;
    return reply;
  }
  reply.diagnostic = applied_.words;
  Expected<std::vector<InputData>> inputs = std::vector<InputData>();
  Expected<CapturedIndex> index = CapturedIndex();
  if (kind == InputKind::kCaptured) index = CapturedIndex::Load(request.file.parent_path().parent_path());
  if (!index) return Reply::Of(index.error());
  const std::vector<std::string>* names = index->Find(request.case_id);
  const bool stored = names != nullptr && request.grid == Grid();  // a model is captured on one process
  if (stored) {
    inputs = index->Inputs(*module, *names);
  } else if (kind == InputKind::kCaptured && !whole) {
    kind = InputKind::kDomain;
    reply.diagnostic += (reply.diagnostic.empty() ? "" : "; ") +
                        std::string("generated as `domain`: nothing was captured for this case");
  }
  if (!stored) {
    Expected<GeneratedInputs> drawn =
        whole ? GenerateModelInputs(*module, kind, request.case_id, request.seed, request.input_ranges, request.grid)
              : GenerateInputs(*module, kind, request.case_id, request.seed, limits_, request.grid,
                               applied_.judge ? LargeInputs::kWhole : LargeInputs::kByBlocks);
    if (!drawn) return Reply::Of(drawn.error());
    if (!drawn->unfit.empty()) return {drawn->out_of_time ? Status::kTimeout : Status::kSkipped, drawn->unfit};
    if (!drawn->note.empty()) reply.diagnostic += (reply.diagnostic.empty() ? "" : "; ") + drawn->note;
    inputs = std::move(drawn->inputs);
    if (applied_.judge) {
      if (const Expected<void> done = applied_.judge->Prepare(*inputs); !done) return Reply::Of(done.error());
    }
  }
  if (!inputs) return Reply::Of(inputs.error());
  for (size_t i = 0; i < inputs->size(); ++i) {
    Expected<std::string> digest = WriteInput(FileOf(request, "input", i), std::move((*inputs)[i]));
    if (!digest) return Reply::Of(digest.error());
    reply.payload["input_digests"].push_back(std::move(*digest));
  }
  reply.payload["inputs"] = inputs->size();
  return reply;
}

bool ReferenceWorker::IsJudgedByChecksum(const Request& request) {
  const Expected<mlir::Operation*> entry = EntryOf(*module_);
  if (!entry || IsJudgedAsModel(request.op) || request.grid != Grid() || applied_.judge) return false;
  return IsProduct(*entry) && TooLarge(work_, limits_) && work_.live_bytes <= LimitsOfMachine().bytes;
}

Expected<Reply> ReferenceWorker::CompareByChecksum(const Request& request, const Policy& policy, mlir::Operation* entry,
                                                   const EvalOptions& plain, const Values& arguments,
                                                   OutputCriteria criteria) {
  const mlir::Type result = llvm::cast<mlir::FunctionOpInterface>(entry).getResultTypes()[0];
  const Expected<PlainTensor> type = PlainTensorOf(result, "a result");
  if (!type) return Unexpected(type.error());
  criteria.relaxation = policy.For(OpNameOf(request, entry), NameOf(type->element), request.target);
  Evaluator evaluator(module_.get(), plain);
  std::optional<Comparison> comparison;
  for (const std::string_view stem : {"output", "last_output"}) {
    if (stem != "output" && (!DiffersInLastRun(request, 0) || !comparison->accepted)) break;
    const Expected<NpyFile> got = ReadNpy(FileOf(request, stem, 0));
    if (!got) return Unexpected(got.error());
    Expected<Comparison> judged =
        JudgeProduct(entry, evaluator, arguments, got->shape(), got->bytes(), criteria,
                     AlternativesOf(request.arithmetic, plain), SeedOf(request.case_id, request.seed));
    if (!judged) return Unexpected(judged.error());
    comparison = std::move(*judged);
  }
  const ComparisonVerdict verdict = VerdictOf({{*comparison}});
  Reply reply{verdict.status, verdict.diagnostic};
  reply.payload["comparisons"] = {*comparison};
  return reply;
}

EvalOptions ReferenceWorker::OptionsFor(const Request& request, const CompareVerb& compare, const Policy& policy,
                                        mlir::Operation* entry, std::string_view op) {
  const bool whole = IsJudgedAsModel(request.op);
  const bool relaxed = IsRelaxed(policy, op, entry, request.target);
  EvalOptions options{.bounds = true,
                      .exact_integers = policy.inputs == InputKind::kExactInt && !relaxed,
                      .exact_sums = !relaxed,
                      .deviations = HasIndependentInputs(request, compare.own_inputs, policy),
                      .provenance = whole,
                      .arithmetic = request.arithmetic};
  WorkLimits limits = whole ? kWholeModelLimits : limits_;
  // The program ended when its inputs were generated.
  limits.seconds = limits.seconds_of_many_trips = std::numeric_limits<double>::infinity();
  options.hook = meanings_.CallingPython(GuardOf(module_.get(), limits));
  return options;
}

Expected<Values> ReferenceWorker::Evaluate(const std::vector<std::string>& digests, mlir::Operation* entry,
                                           const EvalOptions& options, const Grid& grid, Values arguments) {
  // Without digests, files of the same names may have other contents, so results are not reused.
  const std::string key = digests.empty() && !arguments.empty()
                              ? ""
                              : fmt::format("{} {} {} {} {} {} {} {} {}", file_.string(), ToString(grid),
                                            written_.time_since_epoch().count(), options.exact_integers,
                                            options.exact_sums, options.deviations, options.product_parts,
                                            ArithmeticToJson(options.arithmetic).dump(), fmt::join(digests, " "));
  if (!key.empty() && key == results_key_) return results_;
  results_key_.clear();
  results_.clear();
  Expected<Values> results = EvaluateOnGrid(module_.get(), entry, options, grid, std::move(arguments));
  if (results && ElementsOf(*results) <= kMostKeptElements) {
    results_key_ = key;
    results_ = *results;
  }
  return results;
}

Reply ReferenceWorker::Compare(const Request& request, const CompareVerb& compare) {
  const Expected<mlir::ModuleOp> module = Load(request.file);
  if (!module) return ReferenceFailure(module.error());
  const Expected<mlir::Operation*> entry = EntryOf(*module);
  if (!entry) return ReferenceFailure(entry.error());
  const Expected<Policy> policy = PolicyOf(request.policy);
  if (!policy) return ReferenceFailure(policy.error());
  const size_t digests = compare.input_digests.size();
  const size_t count = (*entry)->getRegion(0).getNumArguments() * static_cast<size_t>(request.grid.processes());
  if (digests != 0 && digests != count) {
    return {Status::kInconclusive, fmt::format("{} digests of inputs for {} arguments", digests, count)};
  }
  ArgumentFiles files(request, compare);
  Reply reply = CompareWith(files, request, compare, *policy, *entry);
  if (const Expected<void> same = files.CheckMapped(); !same) {
    results_key_.clear();
    return Reply::Of(same.error());
  }
  return reply;
}

Reply ReferenceWorker::CompareWith(ArgumentFiles& files, const Request& request, const CompareVerb& compare,
                                   const Policy& policy, mlir::Operation* entry) {
  const bool whole = IsJudgedAsModel(request.op);
  const std::string op = OpNameOf(request, entry);
  Expected<Values> arguments = files.Read(entry);
  if (!arguments) return Reply::Of(arguments.error());
  if (applied_.judge) return CompareByProperty(request, policy, entry, *arguments);
  const Expected<int64_t> product_parts = ProductPartsOf(request, entry);
  if (!product_parts) return ReferenceFailure(product_parts.error());
  EvalOptions plain = OptionsFor(request, compare, policy, entry, op);
  plain.product_parts = *product_parts;
  if (IsJudgedByChecksum(request)) {
    const Expected<Reply> judged =
        CompareByChecksum(request, policy, entry, plain, *arguments,
                          {.own_inputs = compare.own_inputs, .raised = raised_, .meaning = applied_.words});
    return judged ? *judged : Reply::Of(judged.error());
  }
  if (const auto right =
          CompareByBlocks(request, policy, entry, plain, *arguments,
                          {.own_inputs = compare.own_inputs, .raised = raised_, .meaning = applied_.words})) {
    Reply reply;
    reply.diagnostic = VerdictOf({{*right}}).diagnostic;
    reply.payload["comparisons"] = {*right};
    return reply;
  }
  Expected<Values> results = Evaluate(compare.input_digests, entry, plain, request.grid, std::move(*arguments));
  if (!results && results.error().code == ExitCode::kUnsupported && !why_not_raised_.empty()) {
    return Reply::Unsupported(why_not_raised_);
  }
  if (!results) return ReferenceFailure(results.error());
  if (whole) {
    for (Value& result : *results) KeepStored(result);
  }

  Reply reply;
  const auto evaluate = [&](const Alternative& way) -> Expected<Values> {
    Expected<Values> again = files.Read(entry);
    if (!again) return again;
    return EvaluateOnGrid(module_.get(), entry, way.options, request.grid, std::move(*again));
  };
  const auto others = [&](const Arithmetic& declared) {
    return AlternativeResults(AlternativesOf(declared, plain), evaluate);
  };
  AlternativeResults declared = others(request.arithmetic);
  AlternativeResults likely(LikelyWaysOf(request.arithmetic, plain), evaluate);
  OutputCriteria criteria{
      .alternatives = &declared, .own_inputs = compare.own_inputs, .raised = raised_, .meaning = applied_.words};
  if (request.op == kWindow && plain.deviations) criteria.likely = &likely;
  std::optional<AlternativeResults> rounded;
  if (whole) {
    EvalOptions toward_zero = plain;
    toward_zero.bounds = false;
    toward_zero.rounds_toward_zero = true;
    rounded.emplace(std::vector<Alternative>{{"rounded toward zero", std::move(toward_zero)}}, evaluate);
    criteria.weak = CriterionOf(module_.get());
    criteria.rounded = &*rounded;
  }
  std::vector<Comparison> comparisons;
  std::vector<std::string_view> notes;  // a note on each comparison
  const auto judge = [&](std::string_view stem, size_t i, const OutputCriteria& by) -> Expected<Comparison> {
    const Expected<NpyFile> got = ReadNpy(FileOf(request, stem, i));
    if (!got) return Unexpected(got.error());
    Expected<Comparison> comparison =
        JudgeOutput(static_cast<int64_t>(i), Undecoded((*results)[i].tensor()), got->shape(), got->bytes(), by);
    if (comparison) NameProcess(request.grid, results->size(), *comparison);
    return comparison;
  };
  const auto relaxation = [&](size_t i) {
    return policy.For(op, NameOf((*results)[i].tensor().type()), request.target);
  };
  for (size_t i = 0; i < results->size(); ++i) {
    if (!(*results)[i].is_tensor()) continue;
    const Tensor& expected = (*results)[i].tensor();
    if (request.save_intermediates) {
      if (const Expected<bool> done = SaveExpected(request, i, expected); !done) return ReferenceFailure(done.error());
    }
    criteria.relaxation = relaxation(i);
    Expected<Comparison> comparison = judge("output", i, criteria);
    if (!comparison) return Reply::Of(comparison.error());
    std::string_view note;
    if (comparison->accepted && DiffersInLastRun(request, i)) {
      Expected<Comparison> last = judge("last_output", i, criteria);
      if (!last) return Reply::Of(last.error());
      if (!last->accepted || (last->precision_ratio > 1 && comparison->precision_ratio <= 1)) {
        comparison = std::move(last);
        note = " in the last run; the first was right";
      }
    }
    comparisons.push_back(std::move(*comparison));
    notes.push_back(note);
  }
  const ComparisonVerdict verdict = VerdictOf(comparisons);
  reply.status = verdict.status;
  reply.diagnostic = verdict.diagnostic;
  if (reply.status == Status::kPass && request.grid != Grid() && !request.arithmetic.replicas_may_differ) {
    for (const bool last : {false, true}) {
      if (last && !AnyDiffersInLastRun(request, results->size())) break;
      const Expected<std::string> differing = FindDifferingReplicas(request.grid, *results, [&](size_t i) {
        return ReadNpy(FileOf(request, last && DiffersInLastRun(request, i) ? "last_output" : "output", i));
      });
      if (!differing) return Reply::Of(differing.error());
      if (differing->empty()) continue;
      reply.status = Status::kImprecise;
      reply.diagnostic = *differing;
      break;
    }
  }
  if (verdict.deciding) {
    if (whole && verdict.status == Status::kFail) {
      const Comparison& comparison = comparisons[*verdict.deciding];
      reply.diagnostic +=
          fmt::format(", pcc {:.6g}, error {:.3g} of the range", comparison.pcc, comparison.range_error);
    }
    reply.diagnostic += notes[*verdict.deciding];
    if (verdict.status == Status::kFail && !whole) {
      reply.diagnostic += DeclarationHint(request.arithmetic, policy.inputs, *results, HasIntermediates(entry),
                                          [&](const Arithmetic& supposed) {
                                            AlternativeResults alternatives = others(supposed);
                                            OutputCriteria supposing = criteria;
                                            supposing.alternatives = &alternatives;
                                            return std::ranges::all_of(comparisons, [&](const Comparison& comparison) {
                                              if (comparison.accepted) return true;
                                              const size_t i = NumberOf(request.grid, results->size(), comparison);
                                              supposing.relaxation = relaxation(i);
                                              const Expected<Comparison> again = judge("output", i, supposing);
                                              return again && again->accepted;
                                            });
                                          });
    }
  }
  reply.payload["comparisons"] = comparisons;
  return reply;
}

std::optional<Comparison> ReferenceWorker::CompareByBlocks(const Request& request, const Policy& policy,
                                                           mlir::Operation* entry, const EvalOptions& plain,
                                                           const Values& arguments, OutputCriteria criteria) const {
  const llvm::ArrayRef<mlir::Type> types = llvm::cast<mlir::FunctionOpInterface>(entry).getResultTypes();
  const bool whole = request.save_intermediates || IsJudgedAsModel(request.op) || DiffersInLastRun(request, 0);
  if (whole || request.grid != Grid() || types.size() != 1) return std::nullopt;
  const Expected<PlainTensor> type = PlainTensorOf(types[0], "a result");
  const Expected<NpyFile> got = ReadNpy(FileOf(request, "output", 0));
  if (!type || !got || got->shape() != type->shape) return std::nullopt;
  if (static_cast<int64_t>(got->bytes().size()) != SizeOf(type->shape) * StoredBytes(type->element))
    return std::nullopt;
  criteria.relaxation = policy.For(OpNameOf(request, entry), NameOf(type->element), request.target);
  Evaluator evaluator(module_.get(), plain);
  const CompareOptions options{.factor = criteria.relaxation.factor, .reason = criteria.relaxation.reason};
  std::optional<Comparison> comparison;
  if (IsProduct(entry)) {
    comparison = JudgeProductByRows(entry, evaluator, arguments, got->bytes(), options);
  } else if (comparison = JudgeByRows(entry, evaluator, arguments, got->bytes(), options); !comparison) {
    comparison =
        JudgeElementwise(entry, evaluator, arguments, got->bytes(), options, AlternativesOf(request.arithmetic, plain));
  }
  if (!comparison || VerdictOf({{*comparison}}).status != Status::kPass) return std::nullopt;
  AddRemarks(criteria, *comparison);
  return comparison;
}

Reply ReferenceWorker::CompareByProperty(const Request& request, const Policy& policy, mlir::Operation* entry,
                                         const Values& arguments) const {
  const llvm::ArrayRef<mlir::Type> types = llvm::cast<mlir::FunctionOpInterface>(entry).getResultTypes();
  CompareOptions options;
  // The outputs of the first run, or those of the last where these differ.
  const auto judge = [&](bool last) -> Expected<std::vector<Comparison>> {
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < types.size(); ++i) {
      const bool differs = last && DiffersInLastRun(request, i);
      const Expected<NpyFile> got = ReadNpy(FileOf(request, differs ? "last_output" : "output", i));
      if (!got) return Unexpected(got.error());
      const Expected<PlainTensor> type = PlainTensorOf(types[i], "a result");
      if (!type) return Unexpected(type.error());
      if (got->shape() != type->shape) {
        return MakeError(ExitCode::kBadInput, fmt::format("output {}: has shape [{}], expected [{}]", i,
                                                          fmt::join(got->shape(), ", "), fmt::join(type->shape, ", ")));
      }
      Expected<Tensor> output = TensorFromBytes(type->element, type->shape, got->bytes());
      if (!output) return Unexpected(output.error());
      outputs.push_back(std::move(*output));
      const Policy::Applied relaxation = policy.For(OpNameOf(request, entry), NameOf(type->element), request.target);
      if (relaxation.factor > options.factor) options = {.factor = relaxation.factor, .reason = relaxation.reason};
    }
    return applied_.judge->Judge(arguments, outputs, request.arithmetic, options);
  };
  Expected<std::vector<Comparison>> comparisons = judge(false);
  std::string_view note;
  if (comparisons && VerdictOf(*comparisons).status == Status::kPass && AnyDiffersInLastRun(request, types.size())) {
    Expected<std::vector<Comparison>> last = judge(true);
    if (!last || VerdictOf(*last).status != Status::kPass) {
      comparisons = std::move(last);
      note = " in the last run; the first was right";
    }
  }
  if (!comparisons) {
    return comparisons.error().code == ExitCode::kUnsupported ? ReferenceFailure(comparisons.error())
                                                              : Reply::Of(comparisons.error());
  }
  for (Comparison& comparison : *comparisons) comparison.rule += ", " + applied_.words;
  const ComparisonVerdict verdict = VerdictOf(*comparisons);
  Reply reply;
  reply.status = verdict.status;
  reply.diagnostic = verdict.diagnostic;
  if (verdict.deciding) reply.diagnostic += note;
  reply.payload["comparisons"] = *comparisons;
  return reply;
}

}  // namespace opbyop::reference
