#include "device/cuda_capture.h"

#include "core/error.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace quern {

using namespace cuda;

namespace {

// Ends the capture and gives the graph back, however the call ended.
class Capture {
 public:
  explicit Capture(StreamHandle stream) : stream_(stream) {
    is_on_ = driver().cuStreamBeginCapture_v2(stream, capture_thread_local) == success;
  }
  ~Capture() {
    end();
    if (graph_) driver().cuGraphDestroy(graph_);
  }
  Capture(const Capture&) = delete;
  bool is_on() const { return is_on_; }
  GraphHandle end() {
    if (is_on_ && driver().cuStreamEndCapture(stream_, &graph_) != success) graph_ = nullptr;
    is_on_ = false;
    return graph_;
  }

 private:
  StreamHandle stream_;
  GraphHandle graph_ = nullptr;
  bool is_on_;
};

// The nodes one after the other; none where they are no chain.
std::vector<GraphNodeHandle> chain_of(GraphHandle graph) {
  size_t count = 0, edges = 0;
  if (driver().cuGraphGetNodes(graph, nullptr, &count) != success || count == 0) return {};
  std::vector<GraphNodeHandle> nodes(count), from(count), to(count), out;
  if (driver().cuGraphGetNodes(graph, nodes.data(), &count) != success) return {};
  if (driver().cuGraphGetEdges(graph, nullptr, nullptr, &edges) != success || edges != count - 1) return {};
  if (edges > 0 && driver().cuGraphGetEdges(graph, from.data(), to.data(), &edges) != success) return {};
  std::map<GraphNodeHandle, GraphNodeHandle> next;
  for (size_t i = 0; i < edges; ++i) {
    if (!next.emplace(from[i], to[i]).second) return {};
  }
  auto is_first = [&](GraphNodeHandle node) { return std::find(to.begin(), to.begin() + edges, node) == to.begin() + edges; };
  for (auto node = std::find_if(nodes.begin(), nodes.end(), is_first); node != nodes.end();) {
    out.push_back(*node);
    auto found = next.find(*node);
    node = found == next.end() ? nodes.end() : std::find(nodes.begin(), nodes.end(), found->second);
    if (out.size() > count) return {};
  }
  return out.size() == count ? out : std::vector<GraphNodeHandle>{};
}

bool is_plain(GraphNodeHandle node) {
  int type = -1;
  if (driver().cuGraphNodeGetType(node, &type) != success || type != node_kernel) return false;
  for (int attribute : {launch_attribute_cooperative, launch_attribute_cluster, launch_attribute_programmatic}) {
    alignas(8) char value[64] = {};
    Result result = driver().cuGraphKernelNodeGetAttribute(node, attribute, value);
    bool is_set = std::any_of(value, value + sizeof value, [](char c) { return c != 0; });
    if (result == success && is_set) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<CapturedCall::Step>> CapturedCall::captured(CudaDevice& device, std::span<char* const> pointers,
                                                                      const Submit& call) {
  static auto* streams = new std::map<int, std::unique_ptr<Stream>>;  // with the graph's lock held
  std::unique_ptr<Stream>& stream = (*streams)[device.index];
  if (!stream) stream = device.create_stream({true, 0});
  StreamHandle handle = static_cast<CudaStream&>(*stream).bare_handle();  // nothing ever runs on it
  Capture capture(handle);
  if (!capture.is_on() || !call(pointers, handle)) return std::nullopt;
  GraphHandle graph = capture.end();
  if (!graph) return std::nullopt;
  std::vector<Step> steps;
  for (GraphNodeHandle node : chain_of(graph)) {
    KernelNode found{};
    if (!is_plain(node) || driver().cuGraphKernelNodeGetParams_v2(node, &found) != success || !found.function || !found.params)
      return std::nullopt;
    Step step;
    step.launch = {found.function,
                   {found.grid_x, found.grid_y, found.grid_z},
                   {found.block_x, found.block_y, found.block_z},
                   found.shared_bytes};
    size_t offset = 0, size = 0;
    for (size_t i = 0; driver().cuFuncGetParamInfo(found.function, i, &offset, &size) == success; ++i) {
      step.args.resize(std::max(step.args.size(), offset + size));
      std::memcpy(step.args.data() + offset, found.params[i], size);
    }
    step.launch.arg_bytes = step.args.size();
    steps.push_back(std::move(step));
  }
  if (steps.empty()) return std::nullopt;
  return steps;
}

std::optional<CapturedCall> CapturedCall::learn(CudaDevice& device, std::span<char* const> pointers, const Submit& call) {
  if (!driver().cuFuncGetParamInfo) return std::nullopt;  // before CUDA 12.4
  // Moved by distances that are not sums or differences of one another.
  std::vector<char*> moved(pointers.begin(), pointers.end());
  std::vector<int64_t> distances;
  for (size_t i = 0; i < moved.size(); ++i) {
    distances.push_back(alignment << (4 + 3 * i));
    moved[i] += distances[i];
  }
  auto first = captured(device, pointers, call);
  if (!first) return std::nullopt;
  auto second = captured(device, moved, call);
  if (!second || second->size() != first->size()) return std::nullopt;
  for (size_t k = 0; k < first->size(); ++k) {
    Step &a = (*first)[k], &b = (*second)[k];
    const CudaLaunch &x = a.launch, &y = b.launch;
    if (x.function != y.function || x.grid != y.grid || x.block != y.block || x.shared != y.shared ||
        a.args.size() != b.args.size())
      return std::nullopt;
    for (size_t at = 0; at < a.args.size(); at += 8) {
      size_t bytes = std::min<size_t>(8, a.args.size() - at);
      if (std::memcmp(a.args.data() + at, b.args.data() + at, bytes) == 0) continue;
      int64_t was = 0, is = 0;
      std::memcpy(&was, a.args.data() + at, bytes);
      std::memcpy(&is, b.args.data() + at, bytes);
      auto which = std::find(distances.begin(), distances.end(), is - was);
      if (bytes < 8 || which == distances.end()) return std::nullopt;
      size_t i = static_cast<size_t>(which - distances.begin());
      a.pointers.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(i), was - reinterpret_cast<int64_t>(pointers[i])});
    }
  }
  CapturedCall out;
  out.steps_ = std::move(*first);
  return out;
}

void CapturedCall::launch(CudaStream& stream, std::span<char* const> pointers, const std::string* name, Site site) const {
  for (const Step& step : steps_) {
    CudaLaunch launch = step.launch;
    launch.name = name;
    launch.site = site;
    alignas(16) char args[4096];
    if (step.args.size() > sizeof args) bug("a library's kernel with {} bytes of arguments", step.args.size());
    std::memcpy(args, step.args.data(), step.args.size());
    for (const Pointer& pointer : step.pointers) {
      int64_t address = reinterpret_cast<int64_t>(pointers[pointer.which]) + pointer.offset;
      std::memcpy(args + pointer.at, &address, 8);
    }
    stream.cuda_device.launch(stream, launch, args);
  }
}

}  // namespace quern
