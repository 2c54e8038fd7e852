#include "device/cudnn.h"

#include <dlfcn.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/log.h"
#include "core/nvidia_libraries.h"
#include "device/cuda_capture.h"

namespace quern {

namespace {

using Status = int;
struct Opaque;
using Handle = Opaque*;

enum : int {  // kinds of descriptors
  convolution_kind = 1,
  engine_kind = 2,
  configuration_kind = 3,
  heuristic_kind = 4,
  plan_kind = 5,
  result_kind = 10,
  weight_gradient_kind = 11,
  input_gradient_kind = 12,
  graph_kind = 15,
  pointers_kind = 16,
  tensor_kind = 17
};
enum : int {  // types of attributes
  a_handle = 0,
  a_data_type = 1,
  an_int64 = 3,
  a_float = 4,
  a_double = 5,
  a_pointer = 6,
  a_convolution_mode = 7,
  a_heuristic_mode = 8,
  a_numerical_note = 11,
  a_descriptor = 15
};
enum : int {
  convolution_compute = 100,
  convolution_mode = 101,
  convolution_dilations = 102,
  convolution_strides = 103,
  convolution_after = 104,
  convolution_before = 105,
  convolution_axes = 106,
  heuristic_mode = 200,
  heuristic_graph = 201,
  heuristic_results = 202,
  configuration_engine = 300,
  plan_handle = 400,
  plan_configuration = 401,
  plan_workspace = 402,
  graph_handle = 800,
  graph_operations = 801,
  tensor_alignment = 900,
  tensor_type = 901,
  tensor_shape = 902,
  tensor_strides = 903,
  tensor_id = 906,
  pointers_ids = 1000,
  pointers_data = 1001,
  pointers_workspace = 1003,
  engine_notes = 1303
};
enum : int { cross_correlation = 1, by_decision_tree = 3, by_fallback = 2 };
enum : int { note_tensor_cores = 0, note_rounded_factors = 1, note_not_deterministic = 4 };

// An operation's attributes: the convolution and the tensors, in the order input, weight, result.
struct OperationRow {
  int kind, alpha, beta, convolution, tensors[3];
};
constexpr OperationRow operations[] = {
    {result_kind, 700, 701, 702, {704, 703, 705}},
    {input_gradient_kind, 706, 707, 708, {710, 709, 711}},
    {weight_gradient_kind, 712, 713, 714, {716, 715, 717}},
};

// Every symbol used.
struct Library {
  size_t (*version)();
  size_t (*cuda_version)();
  const char* (*describe)(Status);
  void (*last_error)(char* text, size_t bytes);
  Status (*create)(Handle*);
  Status (*set_stream)(Handle, void* stream);
  Status (*descriptor_create)(int kind, Handle*);
  Status (*descriptor_destroy)(Handle);
  Status (*descriptor_set)(Handle, int attribute, int type, int64_t count, const void* values);
  Status (*descriptor_get)(Handle, int attribute, int type, int64_t wanted, int64_t* count, void* values);
  Status (*descriptor_finalize)(Handle);
  Status (*execute)(Handle, Handle plan, Handle pointers);
};

struct Loaded {
  std::optional<Library> library;
  std::string problem;
};

// Raises ErrorKind::runtime where the library does not fit.
Library load() {
  const std::optional<NvidiaSource> source = chosen_nvidia_source();
  if (source && !find_nvidia_library("cudnn"))
    raise(ErrorKind::runtime, "cuDNN is not installed: pip install nvidia-cudnn-cu{}", source->major);
  void* handle = open_nvidia_library("cudnn");
  Library l{};
  auto get = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    if (!function) raise(ErrorKind::runtime, "cuDNN has no {}; version 9 is needed", name);
  };
  get(l.version, "cudnnGetVersion");
  get(l.cuda_version, "cudnnGetCudartVersion");
  get(l.describe, "cudnnGetErrorString");
  get(l.last_error, "cudnnGetLastErrorString");
  get(l.create, "cudnnCreate");
  get(l.set_stream, "cudnnSetStream");
  get(l.descriptor_create, "cudnnBackendCreateDescriptor");
  get(l.descriptor_destroy, "cudnnBackendDestroyDescriptor");
  get(l.descriptor_set, "cudnnBackendSetAttribute");
  get(l.descriptor_get, "cudnnBackendGetAttribute");
  get(l.descriptor_finalize, "cudnnBackendFinalize");
  get(l.execute, "cudnnBackendExecute");
  const int cuda = static_cast<int>(l.cuda_version() / 1000), used = source->major;
  if (cuda != used)
    raise(ErrorKind::runtime,
          "cuDNN was built for CUDA {}, and the NVIDIA libraries in use are of CUDA {}: pip install nvidia-cudnn-cu{}", cuda,
          used, used);
  return l;
}

const Loaded& loaded() {
  static const Loaded* once = [] {
    auto* out = new Loaded;
    try {
      out->library = load();
    } catch (const Error& error) {
      out->problem = error.what();
      log(LogLevel::compiles, "cuda: convolutions without cuDNN: {}", out->problem);
    }
    return out;
  }();
  return *once;
}
const Library& library() { return *loaded().library; }

// The library declines a descriptor: another way is looked for.
struct Declined {
  Status status;
};
void require(Status status) {
  if (status) throw Declined{status};
}

class Descriptor {
 public:
  explicit Descriptor(int kind) { require(library().descriptor_create(kind, &handle_)); }
  ~Descriptor() {
    if (handle_) library().descriptor_destroy(handle_);
  }
  Descriptor(Descriptor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  Handle handle() const { return handle_; }
  template <class T>
  Descriptor& set(int attribute, int type, std::span<const T> values) {
    require(library().descriptor_set(handle_, attribute, type, static_cast<int64_t>(values.size()), values.data()));
    return *this;
  }
  template <class T>
  Descriptor& set(int attribute, int type, T value) {
    return set(attribute, type, std::span<const T>(&value, 1));
  }
  Descriptor& set(int attribute, const Descriptor& other) { return set(attribute, a_descriptor, other.handle_); }
  // How many there are.
  template <class T>
  int64_t get(int attribute, int type, std::span<T> values) const {
    int64_t count = 0;
    require(library().descriptor_get(handle_, attribute, type, static_cast<int64_t>(values.size()), &count, values.data()));
    return count;
  }
  Descriptor& finalize() {
    require(library().descriptor_finalize(handle_));
    return *this;
  }

 private:
  Handle handle_ = nullptr;
};

int type_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return 0;
    case DType::float64:
      return 1;
    case DType::float16:
      return 2;
    case DType::bfloat16:
      return 9;
    default:
      bug("a convolution of {} by cuDNN", row(dtype).name);
  }
}

int64_t alignment_of(const void* pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer) | CapturedCall::alignment;
  return static_cast<int64_t>(address & -address);
}

std::array<const TensorOnGpu*, 3> tensors_of(const ConvolutionOnGpu& c) { return {&c.input, &c.weight, &c.result}; }

// The library has two axes or three: the first one is left out where it is none.
size_t axes_of(const ConvolutionOnGpu& c) {
  const bool is_flat = c.input.shape[2] == 1 && c.weight.shape[2] == 1 && c.result.shape[2] == 1 && c.padding[0] == 0;
  return is_flat ? 2 : 3;
}

Descriptor tensor_of(const TensorOnGpu& tensor, int64_t id, DType dtype, size_t axes) {
  auto kept = [&](const std::array<int64_t, 5>& numbers) {
    std::vector<int64_t> out(numbers.begin(), numbers.end());
    if (axes == 2) out.erase(out.begin() + 2);
    return out;
  };
  const std::vector<int64_t> shape = kept(tensor.shape), strides = kept(tensor.strides);
  Descriptor out(tensor_kind);
  out.set(tensor_type, a_data_type, type_of(dtype));
  out.set(tensor_shape, an_int64, std::span<const int64_t>(shape));
  out.set(tensor_strides, an_int64, std::span<const int64_t>(strides));
  out.set(tensor_id, an_int64, id);
  out.set(tensor_alignment, an_int64, alignment_of(tensor.data));
  return std::move(out.finalize());
}

struct Plan {
  Descriptor plan;
  size_t workspace;
};

// What was found out for a form of convolution, best first. The plans refer to the other descriptors.
struct Found {
  std::vector<Descriptor> kept;
  std::vector<Plan> plans;
  uint64_t uses = 0;
  std::optional<CapturedCall> learned;
};

// Device, what is asked for, alignments, shapes and strides, the axes' steps.
using Key = std::array<int64_t, 6 + 3 * 11 + 3 * 3>;
Key key_of(const Device& device, const ConvolutionOnGpu& c) {
  Key key{};
  size_t n = 0;
  auto add = [&](const auto& numbers) {
    for (int64_t number : numbers) key[n++] = number;
  };
  add(std::array<int64_t, 3>{device.index, static_cast<int64_t>(c.wanted), static_cast<int64_t>(c.dtype)});
  add(std::array<int64_t, 3>{c.tf32, c.deterministic, c.measured});
  for (const TensorOnGpu* tensor : tensors_of(c)) {
    add(std::array<int64_t, 1>{alignment_of(tensor->data)});
    add(tensor->shape);
    add(tensor->strides);
  }
  for (const auto* numbers : {&c.stride, &c.padding, &c.dilation}) add(*numbers);
  return key;
}

// The graph of this one operation; what it refers to is kept.
Handle graph_of(Handle handle, const ConvolutionOnGpu& c, std::vector<Descriptor>& kept) {
  const size_t axes = axes_of(c), first = 3 - axes;
  const bool is_double = c.dtype == DType::float64;
  auto along = [&](const std::array<int64_t, 3>& numbers) { return std::span<const int64_t>(numbers).subspan(first); };
  Descriptor convolution(convolution_kind);
  convolution.set(convolution_compute, a_data_type, type_of(is_double ? DType::float64 : DType::float32));
  convolution.set(convolution_mode, a_convolution_mode, int{cross_correlation});
  convolution.set(convolution_axes, an_int64, static_cast<int64_t>(axes));
  convolution.set(convolution_before, an_int64, along(c.padding)).set(convolution_after, an_int64, along(c.padding));
  convolution.set(convolution_strides, an_int64, along(c.stride)).set(convolution_dilations, an_int64, along(c.dilation));
  convolution.finalize();

  const OperationRow& row = operations[static_cast<size_t>(c.wanted)];
  Descriptor operation(row.kind);
  operation.set(row.convolution, convolution);
  for (size_t i = 0; i < 3; ++i) {
    kept.push_back(tensor_of(*tensors_of(c)[i], static_cast<int64_t>(i + 1), c.dtype, axes));
    operation.set(row.tensors[i], kept.back());
  }
  if (is_double)
    operation.set(row.alpha, a_double, 1.0).set(row.beta, a_double, 0.0);
  else
    operation.set(row.alpha, a_float, 1.0f).set(row.beta, a_float, 0.0f);
  operation.finalize();

  Descriptor graph(graph_kind);
  graph.set(graph_operations, operation).set(graph_handle, a_handle, handle).finalize();
  const Handle out = graph.handle();
  for (Descriptor* each : {&convolution, &operation, &graph}) kept.push_back(std::move(*each));
  return out;
}

// PyTorch's rules: TF32 only where it is allowed, other rounded factors never.
bool is_allowed(const Descriptor& configuration, const ConvolutionOnGpu& c) {
  Descriptor engine(engine_kind);
  Handle handle = engine.handle();
  configuration.get(configuration_engine, a_descriptor, std::span(&handle, 1));
  std::array<int, 16> notes{};
  const int64_t count = engine.get(engine_notes, a_numerical_note, std::span<int>(notes));
  auto has = [&](int note) { return std::ranges::find(notes.begin(), notes.begin() + count, note) != notes.begin() + count; };
  if (c.deterministic && has(note_not_deterministic)) return false;
  if (c.dtype != DType::float32) return true;
  return !has(note_rounded_factors) && (c.tf32 || !has(note_tensor_cores));
}

// The ways that the library proposes, as plans: the first that can be had, or of those to be measured a few.
void add_plans(Handle handle, const ConvolutionOnGpu& c, Handle graph, int mode, size_t most, Found& found) {
  Descriptor heuristic(heuristic_kind);
  heuristic.set(heuristic_graph, a_descriptor, graph).set(heuristic_mode, a_heuristic_mode, mode).finalize();
  const int64_t all = heuristic.get(heuristic_results, a_descriptor, std::span<Handle>());
  std::vector<Descriptor> proposed;
  std::vector<Handle> handles;
  for (int64_t i = 0; i < all; ++i) handles.push_back(proposed.emplace_back(configuration_kind).handle());
  const auto count = static_cast<size_t>(heuristic.get(heuristic_results, a_descriptor, std::span(handles)));
  for (size_t i = 0; i < std::min(count, proposed.size()) && found.plans.size() < most; ++i) {
    try {
      if (!is_allowed(proposed[i], c)) continue;
      Descriptor plan(plan_kind);
      plan.set(plan_handle, a_handle, handle).set(plan_configuration, proposed[i]).finalize();
      int64_t workspace = 0;
      plan.get(plan_workspace, an_int64, std::span(&workspace, 1));
      constexpr int64_t largest = int64_t{1} << 30;
      if (workspace > largest) continue;
      found.plans.push_back({std::move(plan), static_cast<size_t>(workspace)});
      found.kept.push_back(std::move(proposed[i]));
    } catch (const Declined&) {
    }
  }
  found.kept.push_back(std::move(heuristic));
}

Found find(Handle handle, const ConvolutionOnGpu& c) {
  Found found;
  try {
    const Handle graph = graph_of(handle, c, found.kept);
    const size_t most = c.measured ? 8 : 1;
    add_plans(handle, c, graph, by_decision_tree, most, found);
    if (found.plans.empty()) add_plans(handle, c, graph, by_fallback, most, found);
  } catch (const Declined&) {
  }
  if (found.plans.empty())
    log(LogLevel::compiles, "cuda: cuDNN has no way to compute a convolution of {} {} with {} weights; quern's own kernel does",
        row(c.dtype).name, join_text(c.input.shape, "x"), join_text(c.weight.shape, "x"));
  return found;
}

// The library's state; all of it is used with the lock held and the device in use.
struct State {
  std::mutex lock;
  std::map<int, Handle> handles;
  std::map<Key, Found> found;
};
State& state() {
  static auto* once = new State;
  return *once;
}

Handle handle_on(Device& device) {
  Handle& handle = state().handles[device.index];
  if (!handle) {
    if (const Status status = library().create(&handle))
      raise(ErrorKind::runtime, "[convolution] cudnnCreate failed: {}", library().describe(status));
  }
  return handle;
}

Found& found_for(Device& device, const ConvolutionOnGpu& c) {
  State& s = state();
  if (s.found.size() > 2048) s.found.clear();  // plans hold code on the GPU
  const Key key = key_of(device, c);
  auto known = s.found.find(key);
  if (known == s.found.end()) known = s.found.emplace(key, find(handle_on(device), c)).first;
  return known->second;
}

// `pointers`: of input, weight, result and workspace.
Status execute(Handle handle, const Plan& plan, std::span<char* const> pointers, void* stream) {
  try {
    static constexpr std::array<int64_t, 3> ids{1, 2, 3};
    require(library().set_stream(handle, stream));
    Descriptor pack(pointers_kind);
    pack.set(pointers_ids, an_int64, std::span<const int64_t>(ids));
    pack.set(pointers_data, a_pointer, std::span<char* const>(pointers.data(), 3));
    pack.set(pointers_workspace, a_pointer, pointers[3]).finalize();
    return library().execute(handle, plan.plan.handle(), pack.handle());
  } catch (const Declined& declined) {
    return declined.status;
  }
}

// Leaves the fastest plan: the shortest of a few runs of each, in turn, for the GPU's clock rises under load.
void measure(Device& device, Stream& stream, Handle handle, Found& found, std::span<char* const> pointers) {
  constexpr int rounds = 4;  // the first one loads code
  std::unique_ptr<Event> start = device.create_event({}), end = device.create_event({});
  std::vector<double> best(found.plans.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < found.plans.size(); ++i) {
      start->record(stream);
      const bool has_run = execute(handle, found.plans[i], pointers, reinterpret_cast<void*>(stream.native())) == 0;
      end->record(stream);
      end->synchronize();
      if (has_run && round > 0) best[i] = std::min(best[i], end->elapsed_ms(*start));
    }
  }
  std::swap(found.plans[0], found.plans[static_cast<size_t>(std::ranges::min_element(best) - best.begin())]);
  found.plans.erase(found.plans.begin() + 1, found.plans.end());
}

}  // namespace

const std::string& cudnn_problem() { return loaded().problem; }
int64_t cudnn_version() { return loaded().library ? static_cast<int64_t>(library().version()) : 0; }

std::optional<size_t> convolution_workspace(Device& device, const ConvolutionOnGpu& c) {
  if (!loaded().library) return std::nullopt;
  auto use = device.use();
  std::lock_guard hold(state().lock);
  const Found& found = found_for(device, c);
  if (found.plans.empty()) return std::nullopt;
  return std::ranges::max_element(found.plans, {}, &Plan::workspace)->workspace;
}

void convolve_on_gpu(Device& device, Stream& stream, const ConvolutionOnGpu& c, void* workspace, Site site) {
  static auto* name = new std::string("convolution");
  auto use = device.use();
  std::lock_guard hold(state().lock);
  Handle handle = handle_on(device);
  Found& found = found_for(device, c);
  char* pointers[] = {static_cast<char*>(c.input.data), static_cast<char*>(c.weight.data), static_cast<char*>(c.result.data),
                      static_cast<char*>(workspace)};
  if (found.plans.size() > 1) measure(device, stream, handle, found, pointers);
  const Plan& plan = found.plans[0];
  CudaStream& on = static_cast<CudaStream&>(stream);
  // The library loads what a plan needs when it first runs: then it is not captured yet.
  if (++found.uses == 2) {
    found.learned = CapturedCall::learn(on.cuda_device, pointers, [&](std::span<char* const> given, cuda::StreamHandle to) {
      return execute(handle, plan, given, to) == 0;
    });
  }
  if (found.learned) return found.learned->launch(on, pointers, name, site);
  if (const Status status = execute(handle, plan, pointers, reinterpret_cast<void*>(stream.native()))) {
    char text[256] = {};
    library().last_error(text, sizeof text);
    raise(ErrorKind::runtime, "[convolution] cuDNN failed: {} {}", library().describe(status), text);
  }
}

}  // namespace quern
