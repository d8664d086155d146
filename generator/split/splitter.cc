// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/splitter.h"

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "generator/program/canonical_hash.h"
#include "generator/program/case_writer.h"
#include "generator/program/describe_case.h"
#include "generator/split/group_cases.h"
#include "generator/split/program_cases.h"
#include "generator/walk/origins.h"
#include "ir/entry_function.h"
#include "support/files/sha256.h"

namespace opbyop::generator {
namespace {

// "12 ops of bert, Bert/layer/0: dot_general"
std::string DescribeOrigin(const Origin& origin) {
  std::string path;
  for (const std::string& module : origin.module_path) path += module + "/";
  std::string text = fmt::format("origin: {}", origin.model);
  if (!path.empty() || !origin.framework_op.empty()) text += fmt::format(", {}{}", path, origin.framework_op);
  if (!origin.regions.empty()) text += fmt::format(", inside {}", fmt::join(origin.regions, "/"));
  return text;
}

// The length of the checksum that replaces the end of a name that is too long.
constexpr size_t kDigestLength = 8;

// The contents of one model, before it is known which of its cases are new.
struct Analysis {
  ProgramCases program;
  GroupCases groups;
  std::vector<Case> cases;  // one for each case of the program and of the groups, with ids that are unique among them
};

// Adds the ids of the requirements that the op exercises, if a suite made it.
void AddCovers(mlir::Operation* op, std::vector<std::string>& covers) {
  const auto list = op->getAttrOfType<mlir::ArrayAttr>(kCoversAttribute);
  if (!list) return;
  for (mlir::StringAttr id : list.getAsRange<mlir::StringAttr>()) covers.push_back(id.str());
}

template <typename T>
void MergeSorted(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

IdParts IdPartsOf(const Case& c) { return {CaseIdStem(c.op, c.target, c.inputs, c.outputs, c.devices()), c.hash}; }

// Counts the ops of the model. Returns an error if the program cannot be split, or if the manifest may not contain the
// model or one of its cases.
Expected<Analysis> Analyse(mlir::ModuleOp module, const SplitOptions& options, Model& model) {
  if (std::string entry = EntryName(module, options.entry); entry != kMainFunction) model.entry = std::move(entry);
  Expected<ProgramCases> program = FindCases(module, options, FoldedParts::kDropped);
  if (!program) return Unexpected(program.error());
  model.not_divided = program->not_divided;
  Analysis analysis{.program = std::move(*program)};
  ConstantFolder folder(options.fold_limit, options.vary_constants);
  for (const ProgramCases::Distinct& distinct : analysis.program.cases) {
    Case& c = analysis.cases.emplace_back(
        DescribeCase(distinct.op, FindInputs(distinct.op, folder), distinct.digest, distinct.grid, distinct.sharding));
    c.elided_constants.assign(distinct.elided.begin(), distinct.elided.end());
  }
  const Walk& walk = analysis.program.walk;
  OriginTable table(walk);
  for (size_t i = 0; i < walk.ops.size(); ++i) {
    const int32_t place = analysis.program.case_of[i];
    std::vector<PlacedAttribute> attributes;
    if (analysis.program.foreign.any()) {
      attributes = analysis.program.foreign.Of(walk.ops[i].op, FindInputs(walk.ops[i].op, folder));
    }
    table.Count(place, walk.ops[i], attributes);
    AddCovers(walk.ops[i].op, analysis.cases[static_cast<size_t>(place)].covers);
  }
  for (auto& [place, origin] : table.Take(model.name)) analysis.cases[place].origins.push_back(std::move(origin));
  Expected<GroupCases> groups = FindGroupCases(module, options, analysis.program, model.name);
  if (!groups) return Unexpected(groups.error());
  analysis.groups = std::move(*groups);
  std::ranges::move(analysis.groups.cases, std::back_inserter(analysis.cases));
  std::vector<IdParts> parts;
  for (const Case& c : analysis.cases) parts.push_back(IdPartsOf(c));
  const std::vector<std::string> ids = MakeIds(parts, options.id_digits);
  for (size_t i = 0; i < ids.size(); ++i) {
    Case& c = analysis.cases[i];
    MergeSorted(c.covers, {});
    c.id = ids[i];
    c.file = fmt::format("cases/{}.mlir", c.id);
    if (const auto fault = FindCaseFault(c)) return MakeError(ExitCode::kBadInput, *fault);
  }
  model.ops = walk.TotalOps();
  const bool has_shardings = std::ranges::any_of(analysis.cases, [](const Case& c) { return c.sharding != nullptr; });
  if (model.split && model.split->shards == Shards::kSharded && !has_shardings) model.split->shards = Shards::kGlobal;
  if (const auto fault = FindCaseFault(model)) return MakeError(ExitCode::kBadInput, *fault);
  return analysis;
}

CaseHeader HeaderOf(const Case& c) {
  CaseHeader header{.id = c.id};
  const Origin& origin = c.origins.front();
  header.notes.push_back(DescribeOrigin(origin));
  if (!origin.locations.empty()) header.notes.push_back("location: " + origin.locations.front());
  return header;
}

// Passes the texts of the cases at `places` to the sink.
Expected<void> Write(const Analysis& analysis, const std::vector<size_t>& places, const SplitOptions& options,
                     const CaseSink& sink) {
  ConstantFolder folder(options.fold_limit, options.vary_constants);
  CaseWriter writer(analysis.program.module);
  std::optional<CaseWriter> group_writer;
  if (!analysis.groups.groups.empty()) group_writer.emplace(analysis.groups.program.module);
  const size_t ops = analysis.program.cases.size();
  for (const size_t place : places) {
    const Case& c = analysis.cases[place];
    const OpGroup group = place < ops ? OpGroup(analysis.program.cases[place].op) : analysis.groups.groups[place - ops];
    const std::string text =
        (place < ops ? writer : *group_writer).Write(group, FindInputs(group, folder), HeaderOf(c));
    if (Expected<void> done = sink(c.id, text); !done) return done;
  }
  return {};
}

}  // namespace

struct Splitter::State {
  SplitOptions options;
  CaseSink sink;

  std::mutex mutex;
  std::condition_variable turned;
  size_t turn = 0;
  std::vector<Model> models;
  std::vector<Case> cases;
  std::unordered_map<std::string, size_t> index;  // position in `cases`, by hash
  std::unordered_set<std::string> handed_out;

  std::unique_lock<std::mutex> AwaitTurn(size_t own) {
    std::unique_lock<std::mutex> lock(mutex);
    turned.wait(lock, [&] { return turn == own; });
    return lock;
  }

  void EndTurn(std::unique_lock<std::mutex> lock, Model model) {
    models.push_back(std::move(model));
    ++turn;
    lock.unlock();
    turned.notify_all();
  }

  // Adds a model that is left out. Its name is listed even if it is invalid; a name that is too long is cut.
  void EndTurnWithError(std::unique_lock<std::mutex> lock, Model model) {
    model.ops = 0;
    if (FindCaseFault(model)) {
      const std::string digest = Sha256Hex(model.name).substr(0, kDigestLength);
      model.name = fmt::format("{}_{}", model.name.substr(0, kLongestName - kDigestLength - 1), digest);
    }
    EndTurn(std::move(lock), std::move(model));
  }

  // Unique among the ids given out so far; the final ids are made when all cases are known.
  std::string ProvisionalId(const IdParts& parts) {
    std::string id = MakeIds({parts}, options.id_digits)[0];
    if (handed_out.insert(id).second) return id;
    id = parts.stem + "_" + parts.hash;
    handed_out.insert(id);
    return id;
  }

  // Enters the cases and origins of a model; returns the positions of those that are new.
  std::vector<size_t> Enter(std::vector<Case>& found) {
    std::vector<size_t> fresh;
    for (size_t i = 0; i < found.size(); ++i) {
      const auto [known, is_new] = index.try_emplace(found[i].hash, cases.size());
      if (is_new) {
        found[i].id = ProvisionalId(IdPartsOf(found[i]));
        cases.push_back(found[i]);
        fresh.push_back(i);
        continue;
      }
      Case& c = cases[known->second];
      MergeSorted(c.elided_constants, found[i].elided_constants);
      MergeSorted(c.covers, found[i].covers);
      MergeSorted(c.members, found[i].members);
      c.origins.insert(c.origins.end(), found[i].origins.begin(), found[i].origins.end());
    }
    return fresh;
  }
};

Splitter::Splitter(SplitOptions options, CaseSink sink) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->sink = std::move(sink);
}

Splitter::~Splitter() = default;

Expected<Splitter::Added> Splitter::Add(size_t turn, mlir::ModuleOp module, Model model) {
  Expected<Analysis> analysis = Analyse(module, state_->options, model);
  if (!analysis) model.error = analysis.error().message;
  std::unique_lock<std::mutex> lock = state_->AwaitTurn(turn);
  if (!model.error.empty()) {
    Added added{.error = model.error};
    state_->EndTurnWithError(std::move(lock), std::move(model));
    return added;
  }
  const std::vector<size_t> fresh = state_->Enter(analysis->cases);
  Added added{.ops = model.ops, .new_cases = fresh.size()};
  state_->EndTurn(std::move(lock), std::move(model));
  if (Expected<void> done = Write(*analysis, fresh, state_->options, state_->sink); !done)
    return Unexpected(done.error());
  return added;
}

Expected<Manifest> Splitter::Describe(mlir::ModuleOp module, Model model, const CaseSink& sink) const {
  Expected<Analysis> analysis = Analyse(module, state_->options, model);
  if (!analysis) model.error = analysis.error().message;
  Manifest manifest;
  manifest.models.push_back(std::move(model));
  if (!manifest.models.front().error.empty()) return manifest;
  std::vector<size_t> unknown;
  for (size_t i = 0; i < analysis->cases.size(); ++i) {
    if (!state_->index.contains(analysis->cases[i].hash)) unknown.push_back(i);
  }
  if (Expected<void> done = Write(*analysis, unknown, state_->options, sink); !done) return Unexpected(done.error());
  manifest.cases = std::move(analysis->cases);
  return manifest;
}

std::vector<Splitter::Entered> Splitter::Enter(Manifest described) {
  std::vector<std::string> ids;
  for (const Case& c : described.cases) ids.push_back(c.id);
  std::unique_lock<std::mutex> lock(state_->mutex);
  std::vector<Entered> entered;
  for (const size_t place : state_->Enter(described.cases)) {
    entered.push_back({ids[place], described.cases[place].id});
  }
  state_->EndTurn(std::move(lock), std::move(described.models.front()));
  return entered;
}

void Splitter::AddUnreadable(size_t turn, Model model) {
  state_->EndTurnWithError(state_->AwaitTurn(turn), std::move(model));
}

SplitResult Splitter::Finish() {
  SplitResult result;
  std::vector<IdParts> parts;
  for (const Case& c : state_->cases) parts.push_back(IdPartsOf(c));
  const std::vector<std::string> ids = MakeIds(parts, state_->options.id_digits);
  for (size_t i = 0; i < ids.size(); ++i) {
    Case& c = state_->cases[i];
    if (c.id != ids[i]) result.renamed.push_back({c.id, ids[i]});
    c.id = ids[i];
    c.file = fmt::format("cases/{}.mlir", c.id);
  }
  std::unordered_map<std::string_view, std::string_view> id_of;
  for (const Case& c : state_->cases) id_of[c.hash] = c.id;
  for (Case& c : state_->cases) {
    for (std::string& member : c.members) member = id_of.at(member);
    MergeSorted(c.members, {});
  }
  result.manifest.models = std::move(state_->models);
  result.manifest.cases = std::move(state_->cases);
  std::sort(result.manifest.cases.begin(), result.manifest.cases.end(),
            [](const Case& a, const Case& b) { return a.id < b.id; });
  return result;
}

}  // namespace opbyop::generator
