#include "device/cuda_together.h"

#include "core/hash.h"
#include "device/cuda.h"

#include <algorithm>

namespace quern {

using namespace cuda;

namespace {

// The driver copies what the words point to.
struct NodeWords {
  NodeWords(const CudaLaunch& launch, const char* args) : bytes(launch.arg_bytes) {
    extra[0] = launch_param_buffer;
    extra[1] = const_cast<char*>(args);
    extra[2] = launch_param_size;
    extra[3] = &bytes;
    extra[4] = launch_param_end;
    node = {launch.function, launch.grid[0], launch.grid[1], launch.grid[2],          launch.block[0], launch.block[1],
            launch.block[2], launch.shared,  nullptr,        bytes ? extra : nullptr, nullptr,         nullptr};
  }
  NodeWords(const NodeWords&) = delete;
  size_t bytes;
  void* extra[5];
  KernelNode node;
};

}  // namespace

void CudaTogether::Launches::clear() {
  launches.clear();
  args.clear();
  words.clear();
  hash = 0;
}

void CudaTogether::Launches::add(const CudaLaunch& launch, const void* given) {
  launches.push_back(launch);
  const char* bytes = static_cast<const char*>(given);
  args.insert(args.end(), bytes, bytes + launch.arg_bytes);
  const uint64_t more[] = {reinterpret_cast<uintptr_t>(launch.function), launch.grid[0] | uint64_t{launch.grid[1]} << 32,
                           launch.grid[2] | uint64_t{launch.shared} << 32,
                           launch.block[0] | uint64_t{launch.block[1]} << 16 | uint64_t{launch.block[2]} << 32 |
                               static_cast<uint64_t>(launch.arg_bytes) << 48};
  for (uint64_t word : more) {
    words.push_back(word);
    hash = mixed(hash, word);
  }
}

void CudaTogether::begin(CudaStream& stream) {
  std::lock_guard hold(lock_);
  CudaStream* now = stream_.load(std::memory_order_relaxed);
  if (now && now != &stream) return;
  stream_.store(&stream, std::memory_order_relaxed);
  collected_.stream = stream.bare_handle();
  ++depth_;
}

// What runs inside (a handler of a signal that uses arrays, another thread while a kernel is compiled) ends with its work
// submitted, too.
void CudaTogether::end(CudaStream& stream) {
  std::optional<Refused> refused;
  {
    std::lock_guard hold(lock_);
    if (stream_.load(std::memory_order_relaxed) != &stream) return;
    if (--depth_ == 0) stream_.store(nullptr, std::memory_order_relaxed);
    refused = send();
  }
  if (refused) device_.refuse_launch(refused->result, refused->launch);
}

bool CudaTogether::add(CudaStream& stream, const CudaLaunch& launch, const void* args) {
  std::lock_guard hold(lock_);
  if (stream_.load(std::memory_order_relaxed) != &stream) return false;
  collected_.add(launch, args);
  return true;
}

void CudaTogether::submit() {
  std::optional<Refused> refused;
  {
    std::lock_guard hold(lock_);
    refused = send();
  }
  if (refused) device_.refuse_launch(refused->result, refused->launch);
}

// What a message needs may be Python's to tell: no lock is held when the launch that failed is spoken of.
std::optional<CudaTogether::Refused> CudaTogether::send() {
  if (collected_.launches.empty()) return std::nullopt;
  struct Clear {
    Launches& launches;
    ~Clear() { launches.clear(); }
  } after{collected_};
  if (send_as_graph()) {
    for (const CudaLaunch& launch : collected_.launches) device_.launched(collected_.stream, launch);
    return std::nullopt;
  }
  const char* args = collected_.args.data();
  for (const CudaLaunch& launch : collected_.launches) {
    Result result = device_.try_launch(collected_.stream, launch, args);
    if (result != success) return Refused{result, launch};
    args += launch.arg_bytes;
  }
  return std::nullopt;
}

bool CudaTogether::send_as_graph() {
  Graph* graph = graph_for();
  if (!graph) return false;
  if (set_arguments(*graph) && driver().cuGraphLaunch(graph->exec, collected_.stream) == success) return true;
  drop(*graph);
  graphs_.erase(collected_.hash);
  return false;
}

// None where these launches were not seen lately: making a graph costs as much as twenty launches.
CudaTogether::Graph* CudaTogether::graph_for() {
  constexpr size_t most = 128;
  auto found = graphs_.find(collected_.hash);
  if (found != graphs_.end() && found->second.words == collected_.words) {
    found->second.used = ++uses_;
    return &found->second;
  }
  uint64_t& seen = seen_[collected_.hash >> 58];
  if (seen != collected_.hash) {
    seen = collected_.hash;
    return nullptr;
  }
  if (found == graphs_.end() && graphs_.size() >= most) {
    found = std::min_element(graphs_.begin(), graphs_.end(), [](auto& a, auto& b) { return a.second.used < b.second.used; });
  }
  if (found != graphs_.end()) {
    drop(found->second);
    graphs_.erase(found);
  }
  Graph graph;
  if (!make(graph)) {
    drop(graph);
    return nullptr;
  }
  graph.used = ++uses_;
  return &graphs_.emplace(collected_.hash, std::move(graph)).first->second;
}

bool CudaTogether::make(Graph& graph) {
  if (driver().cuGraphCreate(&graph.graph, 0) != success) return false;
  const char* args = collected_.args.data();
  for (const CudaLaunch& launch : collected_.launches) {
    NodeWords words(launch, args);
    args += launch.arg_bytes;
    GraphNodeHandle node = nullptr;
    const GraphNodeHandle* last = graph.nodes.empty() ? nullptr : &graph.nodes.back();
    if (driver().cuGraphAddKernelNode_v2(&node, graph.graph, last, last ? 1 : 0, &words.node) != success) return false;
    graph.nodes.push_back(node);
  }
  if (driver().cuGraphInstantiateWithFlags(&graph.exec, graph.graph, 0) != success) return false;
  graph.args = collected_.args;
  graph.words = collected_.words;
  return true;
}

bool CudaTogether::set_arguments(Graph& graph) {
  size_t at = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const CudaLaunch& launch = collected_.launches[i];
    char *old = graph.args.data() + at, *now = collected_.args.data() + at;
    at += launch.arg_bytes;
    if (launch.arg_bytes == 0 || std::memcmp(old, now, launch.arg_bytes) == 0) continue;
    NodeWords words(launch, now);
    if (driver().cuGraphExecKernelNodeSetParams_v2(graph.exec, graph.nodes[i], &words.node) != success) return false;
    std::memcpy(old, now, launch.arg_bytes);
  }
  return true;
}

void CudaTogether::drop(Graph& graph) noexcept {
  if (graph.exec) driver().cuGraphExecDestroy(graph.exec);
  if (graph.graph) driver().cuGraphDestroy(graph.graph);
  graph.exec = nullptr;
  graph.graph = nullptr;
}

void CudaTogether::forget_graphs() {
  std::lock_guard hold(lock_);
  for (auto& [hash, graph] : graphs_) drop(graph);
  graphs_.clear();
}

}  // namespace quern
