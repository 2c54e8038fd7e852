// Launches that go to the driver together, as one CUDA graph: a launch costs the host 3 to 5 us, a graph of thirteen less than 4
// (docs/decisions/0013-graphs-of-launches.md).
//
// Between CudaStream::begin_together() and end_together() what is launched on the stream is collected. It goes out at the end, or
// as soon as anything else is asked of the stream. Launches that were seen before in this order (functions, grids, blocks) are a
// graph: arguments that changed are set in its nodes. The others go out one by one, and so do all of a graph that the driver
// refuses. Start at CudaTogether::submit().
#pragma once

#include "device/cuda_driver.h"
#include "device/device.h"

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace quern {

class CudaDevice;
class CudaKernel;
class CudaStream;

// A launch as the driver takes it.
struct CudaLaunch {
  cuda::FunctionHandle function = nullptr;
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  uint32_t shared = 0;
  size_t arg_bytes = 0;
  const std::string* name = nullptr;   // lives for ever
  const CudaKernel* kernel = nullptr;  // nullptr: a library's
  Site site = no_site;
};

class CudaTogether {
 public:
  explicit CudaTogether(CudaDevice& device) : device_(device) {}
  // One stream at a time: launches on another one go out at once.
  void begin(CudaStream& stream);
  void end(CudaStream& stream);
  bool collects(const CudaStream& stream) const { return stream_.load(std::memory_order_relaxed) == &stream; }
  // False: it is not collected, or no longer.
  bool add(CudaStream& stream, const CudaLaunch& launch, const void* args);
  void submit();
  void forget_graphs();  // functions are about to go

 private:
  // Launches one after the other; the arguments of all of them lie in one piece.
  struct Launches {
    std::vector<CudaLaunch> launches;
    std::vector<char> args;
    std::vector<uint64_t> words;  // what has to be equal
    cuda::StreamHandle stream = nullptr;
    uint64_t hash = 0;
    void clear();
    void add(const CudaLaunch& launch, const void* args);
  };
  struct Graph {
    cuda::GraphHandle graph = nullptr;
    cuda::GraphExecHandle exec = nullptr;
    std::vector<cuda::GraphNodeHandle> nodes;
    std::vector<char> args;  // of the nodes
    std::vector<uint64_t> words;
    uint64_t used = 0;
  };

  struct Refused {
    cuda::Result result;
    CudaLaunch launch;
  };
  std::optional<Refused> send();  // with the lock held, as all that follows
  bool send_as_graph();
  Graph* graph_for();
  bool make(Graph& graph);
  bool set_arguments(Graph& graph);
  void drop(Graph& graph) noexcept;

  CudaDevice& device_;
  std::atomic<CudaStream*> stream_{nullptr};
  std::mutex lock_;
  int depth_ = 0;
  Launches collected_;
  std::unordered_map<uint64_t, Graph> graphs_;
  std::array<uint64_t, 64> seen_{};
  uint64_t uses_ = 0;
};

}  // namespace quern
