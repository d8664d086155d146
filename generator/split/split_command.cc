// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/split/split_command.h"

#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "generator/split/case_folder.h"
#include "generator/split/model_list.h"
#include "generator/split/model_split.h"
#include "generator/split/split_again.h"
#include "generator/split/whole_models.h"
#include "ir/artifact_info.h"
#include "ir/entry_function.h"
#include "ir/foreign_dialects.h"
#include "ir/foreign_program.h"
#include "ir/hlo/hlo_file.h"
#include "ir/op_info.h"
#include "ir/read_module.h"
#include "ir/sections.h"
#include "mlir/IR/MLIRContext.h"
#include "support/files/file.h"
#include "support/files/sha256.h"
#include "support/process/reading_child.h"
#include "support/text/count_text.h"

namespace opbyop::generator {
namespace {

using Clock = std::chrono::steady_clock;

std::string SecondsSince(Clock::time_point start) {
  return fmt::format("{:.2f} s", std::chrono::duration<double>(Clock::now() - start).count());
}

Error FileChanged(const ModelSource& source, const std::string& sha256) {
  constexpr size_t kShown = 16;
  return Error{ExitCode::kBadInput,
               fmt::format("{}: sha256 {}, models.yaml says {}; export the model again or correct the entry",
                           source.file.string(), sha256.substr(0, kShown), source.sha256.substr(0, kShown))};
}

// Prints a line per model.
class Progress {
 public:
  Progress(std::ostream& out, std::ostream& err, bool quiet) : out_(out), err_(err), quiet_(quiet) {}

  void Line(const std::string& line, bool is_error) {
    if (is_error) {
      err_ << line << std::flush;
    } else if (!quiet_) {
      out_ << line << std::flush;
    }
  }

 private:
  std::ostream& out_;
  std::ostream& err_;
  bool quiet_;
};

// Splits all models of one command in as many processes as there are cores. A process reads one model after the other
// until a model ends it or it has grown too large; a new process then takes over the remaining models.
class Job {
 public:
  Job(const SplitCommand& command, std::vector<ModelSource> sources, CaseFolder& folder, Splitter& splitter,
      Progress& progress)
      : command_(command),
        sources_(std::move(sources)),
        errors_(sources_.size()),
        folder_(folder),
        splitter_(splitter),
        progress_(progress) {}

  // Returns an error only if the output cannot be written.
  Expected<void> Run() {
    if (command_.lowering) LowerAll();
    if (sources_.size() > 1) WarmUp();
    std::map<size_t, Ended> ended;  // by turn
    for (size_t turn = 0; turn < sources_.size(); ++turn) {
      if (sources_[turn].error) ended[turn].error = sources_[turn].error;
    }
    std::vector<Reader> readers(std::clamp<size_t>(std::thread::hardware_concurrency(), 1, sources_.size()));
    size_t next = 0;
    for (size_t entered = 0; entered < sources_.size();) {
      for (Reader& reader : readers) {
        while (ended.contains(next)) ++next;
        if (reader.turn || next >= sources_.size()) continue;
        if (const Expected<void> asked = Ask(reader, next++); !asked) return asked;
      }
      if (!ended.contains(entered)) {
        Reader& reader = AwaitOne(readers);
        Expected<Ended> one = End(reader);
        if (!one) return Unexpected(one.error());
        ended[*std::exchange(reader.turn, std::nullopt)] = std::move(*one);
        continue;
      }
      for (; ended.contains(entered); ++entered) {
        if (Expected<void> done = Enter(entered, ended[entered]); !done) return done;
      }
    }
    return {};
  }

  const std::vector<ModelSource>& sources() const { return sources_; }

  // Why each model is left out; nullopt if it was split.
  const std::vector<std::optional<Error>>& errors() const { return errors_; }

 private:
  struct Reader {
    std::optional<ReadingChild> child;
    std::optional<size_t> turn;  // the model that it is working on
    Clock::time_point start;
  };

  struct Ended {
    std::optional<Error> error;  // why the model is left out
    std::string seconds = "0.00 s";
  };

  // A child answers with two bytes and a message. The first byte is 0, or the exit code of the error for which the
  // model is left out, or this value if its texts could not be written.
  static constexpr char kCannotWrite = 100;
  // The second byte is 1 if the child has grown so much that it should be replaced.
  static constexpr int64_t kLargeKb = 256 << 10;

  // Splits a small program in this process. Objects that exist once per process (tables, the addresses of functions,
  // dialects) are then created before the fork, so that the child processes need not each create them.
  void WarmUp() {
    constexpr std::string_view kProgram = R"(
      func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
        %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
        %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
        %2 = stablehlo.constant dense<0.0> : tensor<f32>
        %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
        return %3 : tensor<2xf32>
      })";
    warm_ = MakeContext();
    const Splitter splitter({}, nullptr);
    const CaseSink drop = [](const std::string&, const std::string&) { return Expected<void>(); };
    if (const auto module = ReadModuleFromBytes(kProgram, "warm-up", *warm_)) {
      const auto described = splitter.Describe(**module, {.name = "warm_up"}, drop);
      if (described) WriteManifest(*described);
    }
  }

  static std::unique_ptr<mlir::MLIRContext> MakeContext() {
    auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    AllowForeignDialects(*context);
    return context;
  }

  // Has the compiler lower all models. The threads that do this end before the first process is forked.
  void LowerAll() {
    lowered_.resize(sources_.size());
    std::atomic<size_t> next = 0;
    const auto work = [&] {
      for (size_t turn = next++; turn < sources_.size(); turn = next++) {
        ModelSource& source = sources_[turn];
        if (source.error) continue;
        const Expected<std::filesystem::path> file = command_.lowering(source);
        if (file) lowered_[turn] = *file;
        if (!file) source.error = file.error();
      }
    };
    std::vector<std::thread> threads;
    const size_t count = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, sources_.size());
    for (size_t i = 1; i < count; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
  }

  Expected<void> Ask(Reader& reader, size_t turn) {
    if (!reader.child) {
      Expected<ReadingChild> child = ReadingChild::Start(command_.reading, [this] { return DescribeAll(); });
      if (!child) return Unexpected(child.error());
      reader.child = std::move(*child);
    }
    reader.child->connection().Send(std::to_string(turn));
    reader.turn = turn;
    reader.start = Clock::now();
    return {};
  }

  // Waits until a busy reader has answered or died.
  static Reader& AwaitOne(std::vector<Reader>& readers) {
    std::vector<pollfd> ends;
    ends.reserve(readers.size());
    for (const Reader& reader : readers)
      ends.push_back({reader.turn ? reader.child->connection().fd() : -1, POLLIN, 0});
    while (true) {
      ::poll(ends.data(), ends.size(), -1);
      for (size_t i = 0; i < ends.size(); ++i) {
        if (ends[i].revents != 0) return readers[i];
      }
    }
  }

  static Expected<Ended> End(Reader& reader) {
    const std::optional<std::string> answer = reader.child->connection().Receive();
    Ended ended{.seconds = SecondsSince(reader.start)};
    if (!answer || answer->size() < 2) {
      const Expected<Exit> end = reader.child->Wait();
      reader.child.reset();
      if (end) return MakeError(ExitCode::kNoInput, end->Describe());
      ended.error = end.error();
      return ended;
    }
    const std::string message = answer->substr(2);
    if (answer->at(0) == kCannotWrite) return MakeError(ExitCode::kNoInput, message);
    if (answer->at(0) != 0) ended.error = Error{static_cast<ExitCode>(answer->at(0)), message};
    if (answer->at(1) != 0) reader.child.reset();
    return ended;
  }

  Expected<void> Enter(size_t turn, const Ended& ended) {
    const ModelSource& source = sources_[turn];
    const CasePart part = folder_.Part(turn);
    errors_[turn] = ended.error;
    Expected<Manifest> described = part.LoadManifest();
    if (!described && !ended.error) errors_[turn] = described.error();
    if (errors_[turn]) {
      Model model = described ? described->models.front() : ModelOf(source);
      model.error = errors_[turn]->message;
      splitter_.AddUnreadable(turn, std::move(model));
      progress_.Line(fmt::format("split: model {} is left out: {}\n", source.name, errors_[turn]->message), true);
      return folder_.Merge(part, {});
    }
    const int64_t ops = described->models.front().ops;
    const std::string entry = described->models.front().entry;
    if (!entry.empty() && command_.options.entry == kMainFunction) {
      progress_.Line(fmt::format("split: model {} has no @main: its only function @{} is split\n", source.name, entry),
                     false);
    }
    if (const std::vector<std::string>& not_divided = described->models.front().not_divided; !not_divided.empty()) {
      progress_.Line(
          fmt::format("split: model {}: not all tensors are divided as it states ({}, listed in the manifest "
                      "as `not_divided`): {}\n",
                      source.name, CountText(not_divided.size(), "place"), not_divided.front()),
          true);
    }
    const std::vector<Splitter::Entered> entered = splitter_.Enter(std::move(*described));
    progress_.Line(
        fmt::format("{:<24} {:>7} ops {:>6} new cases {:>8}\n", source.name, ops, entered.size(), ended.seconds),
        false);
    return folder_.Merge(part, entered);
  }

  Model ModelOf(const ModelSource& source) const {
    Model model{.name = source.name,
                .source = source.file.generic_string(),
                .frontend = source.frontend,
                .stage = command_.stage};
    model.section = source.section;
    model.converted_from = source.converted_from;
    model.split = RecordOf(command_.options, AllowsMhlo(source));
    if (command_.options.entry != kMainFunction) model.entry = command_.options.entry;
    for (const ShapeArgument& shape : command_.shapes) model.shapes.push_back(ToText(shape));
    return model;
  }

  // XLA's converter leaves those ops of HLO in MHLO that StableHLO and CHLO do not have.
  bool AllowsMhlo(const ModelSource& source) const {
    return command_.allow_unregistered || source.converted_from.has_value();
  }

  // Runs in the child. The child is killed when nothing is left to read.
  int DescribeAll() const {
    const auto most_kb = [] {
      rusage used{};
      ::getrusage(RUSAGE_SELF, &used);
      return used.ru_maxrss;
    };
    const int64_t before = most_kb();
    while (const std::optional<std::string> turn = ReadingChild::ToParent().Receive()) {
      const Expected<std::optional<Error>> error = Describe(std::stoul(*turn));
      std::string answer(2, '\0');
      if (!error) {
        answer[0] = kCannotWrite;
        answer += error.error().message;
      } else if (*error) {
        answer[0] = static_cast<char>((*error)->code);
        answer += (*error)->message;
      }
      answer[1] = most_kb() - before > kLargeKb ? 1 : 0;
      ReadingChild::ToParent().Send(answer);
    }
    return 0;
  }

  // Runs in the child: writes the model's manifest and the texts of its cases to its part. Returns why the model is
  // left out, or an error if the output cannot be written.
  Expected<std::optional<Error>> Describe(size_t turn) const {
    const ModelSource& source = sources_[turn];
    const std::filesystem::path& file = lowered_.empty() ? source.file : lowered_[turn];
    std::error_code absent;
    const uintmax_t size = std::filesystem::file_size(file, absent);
    const ReadingScope scope(source.file.string(), absent ? 0 : static_cast<int64_t>(size));
    const CasePart part = folder_.Part(turn);
    const CaseSink store = [&](const std::string& id, const std::string& text) { return part.Store(id, text); };
    Model model = ModelOf(source);
    // Never destroyed: the process ends first.
    mlir::MLIRContext& context = warm_ ? *warm_ : *MakeContext().release();
    const Expected<mlir::OwningOpRef<mlir::ModuleOp>> read = Read(turn, model, context);
    Manifest manifest;
    std::optional<Error> error;
    if (!read) {
      error = read.error();
      manifest.models.push_back(std::move(model));
    } else {
      Expected<Manifest> described = splitter_.Describe(**read, std::move(model), store);
      if (!described) return Unexpected(described.error());
      manifest = std::move(*described);
      std::string& message = manifest.models.front().error;
      if (!message.empty() && lowered_.empty() && source.section == 0) {
        message += AboutSections(ReadFile(source.file).value_or(""));
      }
      if (!message.empty()) error = Error{ExitCode::kBadInput, message};
      if (!error && command_.options.granularity.kind == Granularity::Kind::kModel) {
        const Expected<std::optional<Error>> added = AddWholeModel(source, part, manifest);
        if (!added) return Unexpected(added.error());
        error = *added;
      }
    }
    if (const Expected<void> done = part.StoreManifest(manifest); !done) return Unexpected(done.error());
    return error;
  }

  // Adds the model as a case of its ops. Returns why it cannot be one, or an error if the output cannot be written.
  static Expected<std::optional<Error>> AddWholeModel(const ModelSource& source, const CasePart& part,
                                                      Manifest& manifest) {
    Expected<WholeModel> whole = LoadWholeModel(manifest, manifest.models.front(), source);
    if (!whole) return std::optional(whole.error());
    for (const Case& c : manifest.cases) whole->c.members.push_back(c.hash);
    if (const Expected<void> done = part.Store(whole->c.id, whole->text); !done) return Unexpected(done.error());
    manifest.cases.push_back(std::move(whole->c));
    return std::optional<Error>();
  }

  Expected<mlir::OwningOpRef<mlir::ModuleOp>> Read(size_t turn, Model& model, mlir::MLIRContext& context) const {
    const ModelSource& source = sources_[turn];
    Expected<std::string> bytes = ReadFile(source.file);
    if (!bytes) return Unexpected(bytes.error());
    model.sha256 = Sha256Hex(*bytes);
    if (!source.sha256.empty() && source.sha256 != model.sha256) return Unexpected(FileChanged(source, model.sha256));
    if (Expected<ArtifactInfo> info = InspectArtifact(*bytes)) model.producer = info->producer;
    Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
        lowered_.empty() ? ReadModuleFromBytes(TextOfSection(*bytes, source.section), source.file.string(), context,
                                               {.allow_mhlo = AllowsMhlo(source)})
                         : ReadModule(lowered_[turn], context, {.allow_mhlo = true});
    if (!module) return module;
    if (!lowered_.empty()) MakeWalkable(**module);
    if (command_.shapes.empty()) return module;
    const Expected<void> done = SpecializeShapes(**module, command_.options.entry, command_.shapes);
    if (done) return module;
    return MakeError(done.error().code, fmt::format("{}: {}", source.file.string(), done.error().message));
  }

  const SplitCommand& command_;
  std::vector<ModelSource> sources_;
  std::unique_ptr<mlir::MLIRContext> warm_;     // each child process uses its own copy
  std::vector<std::filesystem::path> lowered_;  // by turn; empty: the models themselves are split
  std::vector<std::optional<Error>> errors_;
  CaseFolder& folder_;
  Splitter& splitter_;
  Progress& progress_;
};

// Has a program in HLO converted and stored in the output, which makes the result the file to split.
Expected<void> ConvertHlo(const SplitCommand& command, ModelSource& source) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(source.file, absent)) return {};
  std::string head(256, '\0');
  std::ifstream start(source.file, std::ios::binary);
  start.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(start.gcount()));
  if (!MayBeHlo(head)) return {};
  const Expected<std::string> bytes = ReadFile(source.file);
  if (!bytes || !HloFormOf(*bytes)) return {};
  const std::string sha256 = Sha256Hex(*bytes);
  if (!source.sha256.empty() && source.sha256 != sha256) return Unexpected(FileChanged(source, sha256));
  const Expected<ConvertedProgram> converted = command.converter(source);
  if (!converted) return Unexpected(converted.error());
  const std::filesystem::path file = command.output / "models" / (source.name + ".mlir");
  if (Expected<void> written = WriteFile(file, converted->bytes); !written) return written;
  source.converted_from = {.source = source.file.generic_string(), .sha256 = sha256, .by = converted->by};
  source.file = file;
  source.sha256.clear();
  return {};
}

bool IsDynamic(const Case& c) {
  auto has_open_size = [](const TensorType& type) { return llvm::is_contained(type.shape, kDynamic); };
  const OpInfo* info = LookUpOp(c.op);
  return llvm::any_of(c.inputs, has_open_size) || llvm::any_of(c.outputs, has_open_size) ||
         (info != nullptr && info->category == "dynamism");
}

// " (2 layers, 3 segments)": the cases of several ops; empty if there are none.
std::string DescribeGroups(const Manifest& manifest) {
  std::map<std::string_view, size_t> counts;
  for (const Case& c : manifest.cases) {
    if (c.has_several_ops()) ++counts[c.op];
  }
  std::string text;
  for (const auto& [word, count] : counts)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", CountText(count, word));
  return text.empty() ? "" : fmt::format(" ({})", text);
}

// "12 of 80 ops stay dynamic: stablehlo.dynamic_gather 10, stablehlo.add 2"; empty if there are none.
std::string DescribeDynamicOps(const Manifest& manifest, int64_t ops) {
  std::map<std::string, int64_t> counts;
  int64_t total = 0;
  for (const Case& c : manifest.cases) {
    if (c.has_several_ops() || !IsDynamic(c)) continue;
    for (const Origin& origin : c.origins) {
      counts[c.op] += origin.count;
      total += origin.count;
    }
  }
  if (total == 0) return "";
  std::string names;
  for (const auto& [op, count] : counts) names += fmt::format("{}{} {}", names.empty() ? "" : ", ", op, count);
  return fmt::format("{} of {} ops stay dynamic: {}\n", total, ops, names);
}

}  // namespace

ExitCode RunSplit(const SplitCommand& command, std::ostream& out, std::ostream& err) {
  auto start = Clock::now();
  auto fail = [&](const Error& error) {
    err << "split: " << error.message << "\n";
    return error.code;
  };
  std::vector<ModelSource> sources = ListModels(command.models);
  if (command.split_input_file) sources = EachSection(sources);
  if (sources.empty()) return fail({ExitCode::kNothingToDo, "no model was named"});
  for (ModelSource& source : sources) {
    if (source.error || !command.converter) continue;
    if (const Expected<void> done = ConvertHlo(command, source); !done) source.error = done.error();
  }
  const Expected<std::unique_ptr<CaseFolder>> folder = CaseFolder::Open(command.output);
  if (!folder) return fail(folder.error());
  Splitter splitter(command.options,
                    [&](const std::string& id, const std::string& text) { return (*folder)->Store(id, text); });
  Progress progress(out, err, command.quiet);
  Job job(command, std::move(sources), **folder, splitter, progress);
  if (const Expected<void> done = job.Run(); !done) return fail(done.error());

  size_t bad = std::count_if(job.errors().begin(), job.errors().end(), [](const auto& e) { return e.has_value(); });
  size_t all = job.errors().size();
  if (bad == all) return job.errors()[0]->code;
  SplitResult result = splitter.Finish();
  for (const std::string& argument : command.models) {
    if (!IsSplitFolder(argument)) continue;
    const Expected<Manifest> first = LoadManifest(std::filesystem::path(argument) / "manifest.yaml");
    if (!first) return fail(first.error());
    AttributeToModels(*first, result.manifest);
  }
  if (result.manifest.cases.empty()) {
    return fail({ExitCode::kNothingToDo, "the models hold no op besides constants"});
  }
  if (Expected<void> done = (*folder)->Publish(result); !done) return fail(done.error());
  int64_t ops = 0;
  for (const Model& model : result.manifest.models) ops += model.ops;
  out << fmt::format("{}, {}, {}{} in {}: {}\n", CountText(all - bad, "model"), CountText(ops, "op"),
                     CountText(result.manifest.cases.size(), "case"), DescribeGroups(result.manifest),
                     SecondsSince(start), (command.output / "manifest.yaml").string());
  if (!command.shapes.empty()) out << DescribeDynamicOps(result.manifest, ops);
  if (bad > 0) out << fmt::format("{} of {} models are left out\n", bad, all);
  return bad > 0 ? ExitCode::kPartial : ExitCode::kOk;
}

}  // namespace opbyop::generator
