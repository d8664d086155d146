// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the time that the pjrt worker adds to the plugin's own. Requests to the worker and a plain loop over the
// same C calls alternate in one process, on one client. Budget: 10 %. Processor time includes that of the program that
// writes the artifact; on a busy machine, only processor time is meaningful.
//
//   build/bin/pjrt_benchmark [TARGET.yaml [ROUNDS]]
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pjrt_c_api.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "device/device_span.h"
#include "device/pjrt/compile_options.h"
#include "device/pjrt/worker/pjrt_worker.h"
#include "manifests/targets/find_plugin.h"
#include "manifests/targets/target.h"
#include "support/dtype.h"
#include "support/files/file.h"
#include "support/files/npy.h"
#include "support/files/project_folder.h"

namespace {

namespace fs = std::filesystem;

using opbyop::TensorType;

constexpr int64_t kRuns = 10;

struct Sample {
  const char* name;
  const char* text;
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
};

// All tensors are f32; each sample has one output.
const std::vector<Sample> kSamples = {
    {"add",
     "func.func @main(%a: tensor<8x128xf32>, %b: tensor<8x128xf32>) -> tensor<8x128xf32> {\n"
     "  %0 = stablehlo.add %a, %b : tensor<8x128xf32>\n  return %0 : tensor<8x128xf32>\n}\n",
     {{{8, 128}, "f32"}, {{8, 128}, "f32"}},
     {{{8, 128}, "f32"}}},
    {"tanh",
     "func.func @main(%a: tensor<512x768xf32>) -> tensor<512x768xf32> {\n"
     "  %0 = stablehlo.tanh %a : tensor<512x768xf32>\n  return %0 : tensor<512x768xf32>\n}\n",
     {{{512, 768}, "f32"}},
     {{{512, 768}, "f32"}}},
    {"reduce",
     "func.func @main(%a: tensor<8x128xf32>, %b: tensor<f32>) -> tensor<8xf32> {\n"
     "  %0 = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1]"
     " : (tensor<8x128xf32>, tensor<f32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n",
     {{{8, 128}, "f32"}, {{}, "f32"}},
     {{{8}, "f32"}}},
    {"dot_general",
     "func.func @main(%a: tensor<128x256xf32>, %b: tensor<256x256xf32>) -> tensor<128x256xf32> {\n"
     "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]"
     " : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>\n  return %0 : tensor<128x256xf32>\n}\n",
     {{{128, 256}, "f32"}, {{256, 256}, "f32"}},
     {{{128, 256}, "f32"}}}};

[[noreturn]] void Die(const std::string& why) {
  fmt::print(stderr, "pjrt_benchmark: {}\n", why);
  std::exit(1);
}

// The plain calls, with nothing around them.
class PlainLoop {
 public:
  PlainLoop(const PJRT_Api* api, PJRT_Client* client, PJRT_Device* device)
      : api_(api), client_(client), device_(device) {}

  void Run(const std::string& artifact, const std::string& options, const Sample& sample,
           const std::vector<float>& data) {
    PJRT_Program program = {PJRT_Program_STRUCT_SIZE, nullptr, const_cast<char*>(artifact.data()),
                            artifact.size(),          "mlir",  4};
    PJRT_Client_Compile_Args compile = {PJRT_Client_Compile_Args_STRUCT_SIZE};
    compile.client = client_;
    compile.program = &program;
    compile.compile_options = options.data();
    compile.compile_options_size = options.size();
    Check(api_->PJRT_Client_Compile(&compile));

    std::vector<PJRT_Buffer*> inputs;
    for (const TensorType& type : sample.inputs) inputs.push_back(Upload(type, data));
    PJRT_Buffer* output = nullptr;
    for (int64_t run = 0; run < kRuns; ++run) {
      if (output != nullptr) Destroy(output);
      output = Execute(compile.executable, inputs);
    }
    std::vector<float> result(static_cast<size_t>(*opbyop::NumElements(sample.outputs[0])));
    PJRT_Buffer_ToHostBuffer_Args fetch = {PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE};
    fetch.src = output;
    fetch.dst = result.data();
    fetch.dst_size = result.size() * sizeof(float);
    Check(api_->PJRT_Buffer_ToHostBuffer(&fetch));
    Await(fetch.event);
    Destroy(output);
    for (PJRT_Buffer* input : inputs) Destroy(input);
    PJRT_LoadedExecutable_Destroy_Args destroy = {PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE};
    destroy.executable = compile.executable;
    Check(api_->PJRT_LoadedExecutable_Destroy(&destroy));
  }

 private:
  static void Check(const PJRT_Error* error) {
    if (error != nullptr) Die("a plain call failed");
  }

  void Await(PJRT_Event* event) {
    PJRT_Event_Await_Args await = {PJRT_Event_Await_Args_STRUCT_SIZE, nullptr, event};
    Check(api_->PJRT_Event_Await(&await));
    PJRT_Event_Destroy_Args destroy = {PJRT_Event_Destroy_Args_STRUCT_SIZE, nullptr, event};
    Check(api_->PJRT_Event_Destroy(&destroy));
  }

  void Destroy(PJRT_Buffer* buffer) {
    PJRT_Buffer_Destroy_Args destroy = {PJRT_Buffer_Destroy_Args_STRUCT_SIZE, nullptr, buffer};
    Check(api_->PJRT_Buffer_Destroy(&destroy));
  }

  PJRT_Buffer* Upload(const TensorType& type, const std::vector<float>& data) {
    PJRT_Client_BufferFromHostBuffer_Args args = {PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE};
    args.client = client_;
    args.data = data.data();
    args.type = PJRT_Buffer_Type_F32;
    args.dims = type.shape.data();
    args.num_dims = type.shape.size();
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
    args.device = device_;
    Check(api_->PJRT_Client_BufferFromHostBuffer(&args));
    Await(args.done_with_host_buffer);
    return args.buffer;
  }

  PJRT_Buffer* Execute(PJRT_LoadedExecutable* executable, const std::vector<PJRT_Buffer*>& inputs) {
    PJRT_ExecuteOptions options = {PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_Buffer* const* arguments = inputs.data();
    PJRT_Buffer* output = nullptr;
    PJRT_Buffer** outputs = &output;
    PJRT_Event* event = nullptr;
    PJRT_LoadedExecutable_Execute_Args args = {PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE};
    args.executable = executable;
    args.options = &options;
    args.argument_lists = &arguments;
    args.num_devices = 1;
    args.num_args = inputs.size();
    args.output_lists = &outputs;
    args.device_complete_events = &event;
    Check(api_->PJRT_LoadedExecutable_Execute(&args));
    Await(event);
    return output;
  }

  const PJRT_Api* api_;
  PJRT_Client* client_;
  PJRT_Device* device_;
};

double Median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// The processor time of a program, as /proc reports it.
double ProgramMilliseconds(pid_t pid) {
  const auto text = opbyop::ReadFile(fmt::format("/proc/{}/schedstat", pid));
  return text ? std::strtod(text->c_str(), nullptr) / 1e6 : 0;
}

double CpuMilliseconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Spent {
  std::vector<double> wall;
  std::vector<double> cpu;
};

template <typename Body>
void Measure(pid_t helper, Spent& spent, Body&& body) {
  const int64_t start = opbyop::device::MonotonicNs();
  const double cpu = CpuMilliseconds() + ProgramMilliseconds(helper);
  body();
  spent.cpu.push_back(CpuMilliseconds() + ProgramMilliseconds(helper) - cpu);
  spent.wall.push_back(static_cast<double>(opbyop::device::MonotonicNs() - start) / 1e6);
}

void Print(const char* name, double plain, double worker, double plain_cpu, double worker_cpu) {
  fmt::print(
      "{:12} plain loop {:8.2f} ms, worker {:8.2f} ms: {:+6.1f} %; processor time {:8.2f} ms, {:8.2f} ms: {:+6.1f} %\n",
      name, plain, worker, 100 * (worker / plain - 1), plain_cpu, worker_cpu, 100 * (worker_cpu / plain_cpu - 1));
}

void Ask(opbyop::pjrt::PjrtWorker& worker, const opbyop::protocol::Request& request, int fd) {
  opbyop::protocol::StageEvents events(fd, request.id);
  const opbyop::protocol::Reply reply = worker.Handle(request, events);
  if (reply.status != opbyop::Status::kPass) Die(fmt::format("{}: {}", NameOf(request.verb), reply.diagnostic));
}

int Run(const std::string& target_file, int rounds) {
  const auto target = opbyop::LoadTarget(target_file);
  if (!target) Die(target.error().message);
  const auto plugin = opbyop::FindPlugin(*target);
  if (!plugin) Die(plugin.error().message);
  auto session = opbyop::pjrt::Session::Open(*target, "");
  if (!session) Die(session.error().message);
  void* library = ::dlopen(plugin->c_str(), RTLD_NOW | RTLD_NOLOAD);
  const PJRT_Api* api = reinterpret_cast<const PJRT_Api* (*)()>(::dlsym(library, "GetPjrtApi"))();
  PlainLoop loop(api, (*session)->client()->get(), (*session)->devices().front().get());
  const std::string options = opbyop::pjrt::SerializeCompileOptions({});
  const fs::path writer_program = opbyop::ProgramFolder() / "opbyop-artifact-writer";
  auto writer = opbyop::pjrt::ArtifactWriter::Start(writer_program);
  auto plain_writer = opbyop::pjrt::ArtifactWriter::Start(writer_program);
  if (!writer || !plain_writer) Die("opbyop-artifact-writer does not start");
  const std::string newest = (*session)->NewestVersion();
  const pid_t helper = (*writer)->pid();
  opbyop::pjrt::PjrtWorker worker(std::move(*session), std::move(*writer));
  const fs::path dir = fs::temp_directory_path() / fmt::format("opbyop-pjrt-benchmark-{}", ::getpid());
  fs::create_directories(dir);
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const std::vector<float> data(1 << 20, 0.5F);
  double plain_sum = 0, worker_sum = 0, plain_cpu = 0, worker_cpu = 0;
  for (const Sample& sample : kSamples) {
    const fs::path file = dir / "case.mlir";
    if (!opbyop::WriteFile(file, sample.text)) Die("the scratch folder cannot be written");
    const auto written = (*plain_writer)->Write({.file = file, .output = dir / "plain.mlirbc", .newest = newest});
    if (!written) Die(written.error().message);
    const std::string artifact = opbyop::ReadFile(dir / "plain.mlirbc").value_or("");
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      const auto bytes =
          std::as_bytes(std::span(data)).first(static_cast<size_t>(opbyop::StoredBytes(sample.inputs[i])));
      if (!opbyop::WriteNpy(dir / fmt::format("input_{}.npy", i), sample.inputs[i], bytes)) Die("no input");
    }
    opbyop::protocol::Request request = {.id = 1, .case_id = sample.name, .file = file, .dir = dir};
    request.inputs = sample.inputs;
    request.outputs = sample.outputs;
    Spent plain, asked, warm;
    for (int round = -1; round < rounds; ++round) {
      Measure(helper, round < 0 ? warm : plain, [&] { loop.Run(artifact, options, sample, data); });
      Measure(helper, round < 0 ? warm : asked, [&] {
        request.verb = opbyop::protocol::CompileVerb{};
        Ask(worker, request, null);
        request.verb = opbyop::protocol::ExecuteVerb{.repeat = {.min = kRuns, .max = kRuns}};
        Ask(worker, request, null);
      });
    }
    Print(sample.name, Median(plain.wall), Median(asked.wall), Median(plain.cpu), Median(asked.cpu));
    plain_sum += Median(plain.wall);
    worker_sum += Median(asked.wall);
    plain_cpu += Median(plain.cpu);
    worker_cpu += Median(asked.cpu);
  }
  Print("all", plain_sum, worker_sum, plain_cpu, worker_cpu);
  fs::remove_all(dir);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string usual = (opbyop::ProjectFolder() / "manifests/targets/xla-cpu-pjrt.yaml").string();
  constexpr int kRounds = 21;
  return Run(argc > 1 ? argv[1] : usual, argc > 2 ? std::max(1, std::atoi(argv[2])) : kRounds);
}
