// Graphs of launches, in the stand-in for the driver: a list of launches, made one after the other when the graph is launched.
// Nothing can be captured: there is no library whose calls could be.
#include "device/cuda_driver.h"
#include "fake_cuda/fake_cuda.h"

#include <memory>
#include <mutex>
#include <set>
#include <vector>

using namespace quern::cuda;

extern "C" Result cuLaunchKernel(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                 unsigned block_y, unsigned block_z, unsigned shared_bytes, StreamHandle stream, void** params,
                                 void** extra);

namespace {

struct Node {
  KernelNode launch;
  std::vector<char> args;
};
struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
};
struct Exec {
  std::vector<const Node*> keys;
  std::vector<Node> nodes;
};

std::mutex lock;
std::set<Graph*> graphs;
std::set<Exec*> execs;
size_t graph_launches = 0;

Node copied(const KernelNode& launch) {
  Node out{launch, {}};
  out.launch.extra = nullptr;
  if (launch.extra) {
    const char* args = static_cast<const char*>(launch.extra[1]);
    out.args.assign(args, args + *static_cast<size_t*>(launch.extra[3]));
  }
  return out;
}

}  // namespace

extern "C" {

size_t fake_cuda_graph_launches() {
  std::lock_guard hold(lock);
  return graph_launches;
}

size_t fake_cuda_graphs() {
  std::lock_guard hold(lock);
  return execs.size();
}

Result cuGraphCreate(GraphHandle* graph, unsigned) {
  std::lock_guard hold(lock);
  auto* made = new Graph;
  graphs.insert(made);
  *graph = reinterpret_cast<GraphHandle>(made);
  return success;
}

Result cuGraphDestroy(GraphHandle graph) {
  std::lock_guard hold(lock);
  auto* made = reinterpret_cast<Graph*>(graph);
  if (!graphs.erase(made)) return error_invalid_value;
  delete made;
  return success;
}

// Of a chain.
Result cuGraphAddKernelNode_v2(GraphNodeHandle* node, GraphHandle graph, const GraphNodeHandle* after, size_t count,
                               const KernelNode* launch) {
  std::lock_guard hold(lock);
  auto* made = reinterpret_cast<Graph*>(graph);
  if (!graphs.count(made) || count != (made->nodes.empty() ? 0 : 1)) return error_invalid_value;
  if (count && reinterpret_cast<Node*>(*after) != made->nodes.back().get()) return error_invalid_value;
  made->nodes.push_back(std::make_unique<Node>(copied(*launch)));
  *node = reinterpret_cast<GraphNodeHandle>(made->nodes.back().get());
  return success;
}

Result cuGraphInstantiateWithFlags(GraphExecHandle* exec, GraphHandle graph, unsigned long long) {
  std::lock_guard hold(lock);
  auto* from = reinterpret_cast<Graph*>(graph);
  if (!graphs.count(from)) return error_invalid_value;
  auto* made = new Exec;
  for (const auto& node : from->nodes) {
    made->keys.push_back(node.get());
    made->nodes.push_back(*node);
  }
  execs.insert(made);
  *exec = reinterpret_cast<GraphExecHandle>(made);
  return success;
}

Result cuGraphExecKernelNodeSetParams_v2(GraphExecHandle exec, GraphNodeHandle node, const KernelNode* launch) {
  std::lock_guard hold(lock);
  auto* of = reinterpret_cast<Exec*>(exec);
  if (!execs.count(of)) return error_invalid_value;
  for (size_t i = 0; i < of->keys.size(); ++i) {
    if (of->keys[i] != reinterpret_cast<Node*>(node)) continue;
    of->nodes[i] = copied(*launch);
    return success;
  }
  return error_invalid_value;
}

Result cuGraphExecDestroy(GraphExecHandle exec) {
  std::lock_guard hold(lock);
  auto* of = reinterpret_cast<Exec*>(exec);
  if (!execs.erase(of)) return error_invalid_value;
  delete of;
  return success;
}

Result cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  std::lock_guard hold(lock);
  auto* of = reinterpret_cast<Exec*>(exec);
  if (!execs.count(of)) return error_invalid_value;
  ++graph_launches;
  for (Node& node : of->nodes) {
    const KernelNode& k = node.launch;
    size_t bytes = node.args.size();
    void* extra[] = {launch_param_buffer, node.args.data(), launch_param_size, &bytes, launch_param_end};
    Result result = cuLaunchKernel(k.function, k.grid_x, k.grid_y, k.grid_z, k.block_x, k.block_y, k.block_z, k.shared_bytes,
                                   stream, nullptr, bytes ? extra : nullptr);
    if (result != success) return result;
  }
  return success;
}

Result cuStreamBeginCapture_v2(StreamHandle, int) { return error_not_supported; }
Result cuStreamEndCapture(StreamHandle, GraphHandle*) { return error_not_supported; }
Result cuGraphGetNodes(GraphHandle, GraphNodeHandle*, size_t*) { return error_not_supported; }
Result cuGraphGetEdges(GraphHandle, GraphNodeHandle*, GraphNodeHandle*, size_t*) { return error_not_supported; }
Result cuGraphNodeGetType(GraphNodeHandle, int*) { return error_not_supported; }
Result cuGraphKernelNodeGetParams_v2(GraphNodeHandle, KernelNode*) { return error_not_supported; }
Result cuGraphKernelNodeGetAttribute(GraphNodeHandle, int, void*) { return error_not_supported; }

}  // extern "C"
