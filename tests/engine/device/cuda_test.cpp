// The CUDA device against the fake driver in fake_cuda/: marshalling, errors, counting, the end of the process.
//
// Tests that lose the context or leave the process run in a process of their own (death tests, "threadsafe" style).
#include "core/error.h"
#include "core/log.h"
#include "device/cubin.h"
#include "device/cuda_driver.h"
#include "device/device.h"
#include "device/stream_order.h"
#include "device/textures.h"
#include "fake_cuda/control.h"
#include "fake_cuda/cubin_maker.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <thread>

namespace quern {
namespace {

std::string site_text(Site site) { return site == no_site ? "" : "script.py:" + std::to_string(site); }

Binary binary() {
  Binary binary;
  binary.code = CubinMaker()
                    .kernel({"_Z5saxpyfPKfPfi", {{0, 4}, {8, 8}, {16, 8}, {24, 4}}})
                    .kernel({"_ZN2ns6reduceIfLi3EEEvPKT_PS1_i", {{0, 8}, {8, 8}, {16, 4}}})
                    .kernel({"_ZN2ns6reduceIdLi3EEEvPKT_PS1_i", {{0, 8}, {8, 8}, {16, 4}}})
                    .kernel({"plain", {{0, 8}, {8, 8}, {16, 1}}})
                    .kernel({"_Z5crashPf", {{0, 8}}})
                    .kernel({"_Z4stopv", {}})
                    .kernel({"_Z4nonev", {}})
                    .global("_ZN2ns12coefficientsE")
                    .make();
  binary.names = {{"ns::reduce<float, 3>", "_ZN2ns6reduceIfLi3EEEvPKT_PS1_i"}};
  return binary;
}

struct SaxpyArgs {
  float a;
  const void* x;
  void* y;
  int n;
};

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    set_site_hooks({nullptr, site_text});
    FAKE(fake_cuda_reset)();
  }
  Device& device = cuda_device(0);
};

ErrorKind kind_of(const std::function<void()>& f, std::string* text = nullptr) {
  try {
    f();
  } catch (const Error& error) {
    if (text) *text = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "no error was raised";
  return ErrorKind::bug;
}

TEST_F(Cuda, Devices) {
  EXPECT_EQ(cuda_device_count(), 2);
  EXPECT_EQ(cuda_unavailable_reason(), "");
  EXPECT_EQ(device.kind, DeviceKind::cuda);
  EXPECT_EQ(device.info().name, "Fake GPU 0");
  EXPECT_EQ(device.info().pci_bus_id, "0000:00:00.0");
  EXPECT_EQ(device.info().max_grid, (Dim3{2147483647, 65535, 65535}));
  EXPECT_EQ(device.info().max_block, (Dim3{1024, 1024, 64}));
  EXPECT_EQ(device.info().max_shared_optin, 232448u);
  EXPECT_EQ(device.target().arch, "sm_90");
  EXPECT_EQ(device.attribute(16), 132);
  EXPECT_EQ(kind_of([&] { device.attribute(99999); }), ErrorKind::value);
  EXPECT_EQ(&cuda_device(0), &device);
  EXPECT_EQ(cuda_device(1).index, 1);
  EXPECT_EQ(kind_of([&] { cuda_device(2); }), ErrorKind::index);
  EXPECT_EQ(device.memory().total, size_t{80} << 30);
}

TEST_F(Cuda, KernelInfo) {
  auto module = device.load(binary());
  LoadedKernel* saxpy = module->kernel("_Z5saxpyfPKfPfi");
  ASSERT_NE(saxpy, nullptr);
  EXPECT_EQ(module->kernel("saxpy"), saxpy);  // one object for each kernel
  const KernelInfo& info = saxpy->info;
  EXPECT_EQ(info.symbol, "_Z5saxpyfPKfPfi");
  EXPECT_EQ(info.name, "saxpy");
  EXPECT_EQ(info.signature, "fPKfPfi");
  EXPECT_EQ(info.param_bytes, 28u);
  ASSERT_EQ(info.params.size(), 4u);
  EXPECT_EQ(info.params[0].access, Access::none);
  EXPECT_EQ(info.params[1].access, Access::read);
  EXPECT_EQ(info.params[1].offset, 8u);
  EXPECT_EQ(info.params[2].access, Access::both);
  EXPECT_EQ(info.params[3].access, Access::none);
  EXPECT_EQ(info.registers, 12u);
  EXPECT_EQ(info.const_bytes, 16u);
  EXPECT_TRUE(info.params_known);
  EXPECT_FALSE(info.prints);

  const KernelInfo& plain = module->kernel("plain")->info;
  EXPECT_EQ(plain.signature, "");
  EXPECT_EQ(plain.params[0].access, Access::both);  // 8 bytes: it may be a pointer
  EXPECT_EQ(plain.params[2].access, Access::none);
}

TEST_F(Cuda, KernelsByName) {
  auto module = device.load(binary());
  LoadedKernel* kernel = module->kernel("ns::reduce<float, 3>");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->info.signature, "PKfPfi");
  EXPECT_EQ(module->kernel("ns::reduce<float,3>"), kernel);
  ASSERT_NE(module->kernel("ns::reduce<double, 3>"), nullptr);  // from the symbol alone
  EXPECT_EQ(module->kernel("ns::reduce<double, 3>")->info.static_shared, 4096u);
  EXPECT_EQ(module->kernel("reduce"), nullptr);  // two of them
  EXPECT_EQ(module->kernel("ns::reduce"), nullptr);
  EXPECT_EQ(module->kernel("missing"), nullptr);
  EXPECT_EQ(module->kernel("$_Z5saxpyfPKfPfi$helper"), nullptr);
  EXPECT_EQ(module->kernel_names().front(), "saxpy");
  EXPECT_EQ(module->kernel_names()[1], "ns::reduce<float, 3>");
  EXPECT_EQ(module->kernel_names().size(), 7u);
}

TEST_F(Cuda, Globals) {
  auto module = device.load(binary());
  for (const char* name : {"ns::coefficients", "coefficients", "_ZN2ns12coefficientsE"}) {
    auto global = module->global(name);
    ASSERT_TRUE(global.has_value()) << name;
    EXPECT_EQ(global->size, 16u);
    EXPECT_NE(global->address, nullptr);
  }
  EXPECT_FALSE(module->global("missing").has_value());
}

TEST_F(Cuda, BadCodeIsAnError) {
  Binary bad;
  bad.code.resize(100);
  EXPECT_EQ(kind_of([&] { device.load(bad); }), ErrorKind::value);
  bad = binary();
  bad.code.resize(bad.code.size() / 2);
  EXPECT_EQ(kind_of([&] { device.load(bad); }), ErrorKind::value);
  FAKE(fake_cuda_fail_next)("cuModuleLoadDataEx", 209);
  std::string text;
  EXPECT_EQ(kind_of([&] { device.load(binary()); }, &text), ErrorKind::value);
  EXPECT_NE(text.find("compute capability 9.0"), std::string::npos) << text;
}

TEST_F(Cuda, Ptx) {
  Binary ptx;
  std::string text = ".version 8.0\n.target sm_90\n.visible .entry _Z5saxpyfPKfPfi(\n.param .f32 a) { ret; }\n";
  ptx.code.resize(text.size());
  std::memcpy(ptx.code.data(), text.data(), text.size());
  auto module = device.load(ptx);
  ASSERT_NE(module->kernel("saxpy"), nullptr);
  EXPECT_EQ(module->kernel("saxpy")->info.param_bytes, 28u);
}

TEST_F(Cuda, Links) {
  auto linked_with = [&](std::vector<LinkedCode> others) { return device.link(binary(), "own.cu", others, 0); };
  std::string cubin(reinterpret_cast<const char*>(binary().code.data()), binary().code.size());
  std::string fatbin = {'\x50', '\xed', '\x55', '\xba', 1, 0, 16, 0, 4, 0, 0, 0, 0, 0, 0, 0, 'c', 'o', 'd', 'e'};
  std::string host = cubin, archive = "!<arch>\n", ptx = ".version 9.0\n.target sm_90\n";
  cubin[18] = static_cast<char>(190);  // e_machine
  Binary linked = linked_with({{CodeKind::cubin, cubin, "a"},
                               {CodeKind::ptx, ptx, "b"},
                               {CodeKind::fatbin, fatbin, "c"},
                               {CodeKind::object, host, "d"},
                               {CodeKind::object, cubin, "e"},  // by its name only
                               {CodeKind::archive, archive, "f"}});
  EXPECT_STREQ(FAKE(fake_cuda_last_link)(), "0012304");
  EXPECT_EQ(linked.names, binary().names);
  ASSERT_NE(device.load(linked)->kernel("saxpy"), nullptr);

  std::string text;
  auto fails = [&](LinkedCode code) { return kind_of([&] { linked_with({std::move(code)}); }, &text); };
  EXPECT_EQ(fails({CodeKind::ptx, ptx + "rat;", "bad.ptx"}), ErrorKind::compile);
  EXPECT_NE(text.find("[link] bad.ptx cannot be linked: ptxas"), std::string::npos);
  for (const std::string& other :
       {std::string(), std::string("text"), fatbin.substr(0, 19), std::string("\177ELF"), cubin.substr(0, 300)}) {
    for (CodeKind kind : {CodeKind::cubin, CodeKind::ptx, CodeKind::fatbin, CodeKind::object, CodeKind::archive}) {
      EXPECT_EQ(fails({kind, other, "other"}), ErrorKind::compile);
      EXPECT_NE(text.find("[link] other is not "), std::string::npos);
    }
  }
  // An unknown error of the linker is its own; others are the context's.
  FAKE(fake_cuda_fail_next)("cuLinkComplete", 999);
  EXPECT_EQ(fails({CodeKind::ptx, ptx, "b"}), ErrorKind::compile);
  FAKE(fake_cuda_fail_next)("cuLinkAddData_v2", 209);
  EXPECT_EQ(fails({CodeKind::ptx, ptx, "b"}), ErrorKind::compile);
  EXPECT_NE(text.find("own.cu cannot be linked"), std::string::npos);
  EXPECT_NE(text.find("sm_90 or as PTX"), std::string::npos);
  FAKE(fake_cuda_fail_next)("cuLinkCreate_v2", 2);
  EXPECT_EQ(fails({CodeKind::ptx, ptx, "b"}), ErrorKind::out_of_memory);
  EXPECT_EQ(FAKE(fake_cuda_live)("link"), 0u);
  device.synchronize();
}

TEST_F(Cuda, CopiesFillsAndLaunch) {
  auto module = device.load(binary());
  auto stream = device.create_stream({});
  constexpr int n = 100;
  std::vector<float> x(n), y(n, 0);
  std::iota(x.begin(), x.end(), 0.0f);
  void* dx = device.allocate(n * sizeof(float));
  void* dy = device.allocate(n * sizeof(float));
  void* dz = device.allocate(n * sizeof(float));
  device.copy(*stream, dx, x.data(), n * sizeof(float), CopyKind::host_to_device);
  device.fill(*stream, dy, 0x3f800000, 4, n);  // 1.0f
  SaxpyArgs args{2.0f, dx, dy, n};
  LaunchShape shape;
  shape.grid = {1, 2, 3};
  shape.block = {32, 4, 1};
  shape.dynamic_shared = 64;
  device.launch(*stream, *module->kernel("saxpy"), shape, &args, 28, 7);
  device.copy(*stream, dz, dy, n * sizeof(float), CopyKind::device_to_device);
  device.copy(*stream, y.data(), dz, n * sizeof(float), CopyKind::device_to_host);
  stream->synchronize();
  for (int i = 0; i < n; ++i) EXPECT_EQ(y[i], 2.0f * static_cast<float>(i) + 1.0f);

  FakeCudaLaunch launch;
  ASSERT_TRUE(FAKE(fake_cuda_last_launch)(&launch));
  EXPECT_STREQ(launch.symbol, "_Z5saxpyfPKfPfi");
  EXPECT_EQ(launch.grid[2], 3u);
  EXPECT_EQ(launch.block[1], 4u);
  EXPECT_EQ(launch.shared_bytes, 64u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(launch.stream), stream->native());
  EXPECT_EQ(launch.arg_bytes, 28u);
  EXPECT_EQ(std::memcmp(launch.args, &args, 28), 0);
  EXPECT_EQ(launch.cooperative, 0);

  std::vector<unsigned char> bytes(400);
  device.fill(*stream, dz, 0xab, 1, 400);
  device.fill_2d(*stream, dz, 40, 0x1234, 2, 3, 5);
  device.copy(*stream, bytes.data(), dz, 400, CopyKind::device_to_host);
  EXPECT_EQ(bytes[0], 0x34);
  EXPECT_EQ(bytes[1], 0x12);
  EXPECT_EQ(bytes[6], 0xab);
  EXPECT_EQ(bytes[165], 0x12);
  EXPECT_EQ(bytes[200], 0xab);
  EXPECT_EQ(kind_of([&] { device.fill(*stream, dz, 0, 8, 1); }), ErrorKind::value);
  device.copy(*stream, nullptr, nullptr, 0, CopyKind::host_to_device);
  EXPECT_EQ(kind_of([&] { device.copy(*stream, nullptr, x.data(), 4, CopyKind::host_to_device); }), ErrorKind::value);
  for (void* p : {dx, dy, dz}) device.release(p);
  device.release(nullptr);
  EXPECT_EQ(FAKE(fake_cuda_live)("memory"), 0u);
}

// Of pageable memory large copies go in pieces; of pinned memory in one.
TEST_F(Cuda, FromOneGpuToAnother) {
  Device& other = cuda_device(1);
  EXPECT_TRUE(device.can_reach(other));
  EXPECT_FALSE(device.can_reach(device));
  EXPECT_FALSE(device.can_reach(cpu_device()));
  device.reach(other);
  other.reach(device);  // both ways are enabled: no error
  cuda::reset_call_counts();
  cuda::count_calls(true);
  device.reach(other);
  cuda::count_calls(false);
  EXPECT_TRUE(cuda::call_counts().empty());

  std::vector<float> values(100), back(100);
  std::iota(values.begin(), values.end(), 0.f);
  const size_t bytes = values.size() * sizeof(float);
  void *there = other.allocate(bytes), *here = device.allocate(bytes);
  EXPECT_EQ(cuda_device_of(there, 0), 1);
  EXPECT_EQ(cuda_device_of(static_cast<char*>(here) + 4, 1), 0);
  EXPECT_EQ(cuda_device_of(values.data(), 0), -1);
  other.copy(other.default_stream(), there, values.data(), bytes, CopyKind::host_to_device);
  FAKE(fake_cuda_hold)(1);  // work there is under way: an event marks it, of that GPU's context
  wait_for(device.default_stream(), other.default_stream());
  FAKE(fake_cuda_hold)(0);
  device.copy(device.default_stream(), here, there, bytes, CopyKind::device_to_device);
  device.copy(device.default_stream(), back.data(), here, bytes, CopyKind::device_to_host);
  EXPECT_EQ(back, values);
  other.release(there);
  device.release(here);
}

TEST_F(Cuda, LargeCopies) {
  for (size_t bytes : {(size_t{8} << 20) - 1, size_t{8} << 20, (size_t{70} << 20) + 12345}) {
    std::vector<char> there(bytes), back(bytes, 0);
    for (size_t i = 0; i < bytes; ++i) there[i] = static_cast<char>(i * 2654435761u >> 13);
    char* memory = static_cast<char*>(device.allocate(bytes));
    auto stream = device.create_stream({});
    for (int round = 0; round < 2; ++round) {
      cuda::count_calls(true);
      cuda::reset_call_counts();
      device.copy(*stream, memory, there.data(), bytes, CopyKind::host_to_device);
      device.copy(*stream, back.data(), memory, bytes, CopyKind::device_to_host);
      stream->synchronize();
      uint64_t copies = 0;
      for (const auto& [name, n] : cuda::call_counts()) {
        if (std::string(name).find("Memcpy") != std::string::npos) copies += n;
      }
      cuda::count_calls(false);
      EXPECT_EQ(copies, bytes < size_t{8} << 20 ? 2 : 2 * ((bytes + (size_t{2} << 20) - 1) / (size_t{2} << 20)));
      EXPECT_EQ(there, back);
      std::fill(back.begin(), back.end(), 0);
    }
    void* pinned = device.allocate_pinned(bytes, {});
    std::memcpy(pinned, there.data(), bytes);
    cuda::count_calls(true);
    cuda::reset_call_counts();
    device.copy(*stream, memory, pinned, bytes, CopyKind::host_to_device);
    stream->synchronize();
    uint64_t copies = 0;
    for (const auto& [name, n] : cuda::call_counts()) {
      if (std::string(name).find("Memcpy") != std::string::npos) copies += n;
    }
    cuda::count_calls(false);
    EXPECT_EQ(copies, 1u);
    device.release_pinned(pinned);
    device.release(memory);
  }
}

TEST_F(Cuda, ArraysTexturesAndSurfaces) {
  Textures& on = textures(device);
  auto stream = device.create_stream({});
  ArrayShape shape{4, 3, 2, {TexelFormat::signed_16, 2}, array_surface};
  auto array = on.create_array(shape);
  ASSERT_TRUE(array);
  std::vector<int> there(24), back(6, 0);
  std::iota(there.begin(), there.end(), 0);
  BoxSide whole{array.get()}, host{nullptr, there.data(), true, 0, 0, 0, 16, 3};
  on.copy(*stream, whole, host, {16, 3, 2});
  BoxSide part{array.get()}, out{nullptr, back.data(), true, 0, 0, 0, 12, 2};
  part.x_bytes = 4, part.y = 1, part.z = 1;
  check(part, "source", {12, 2, 1});
  on.copy(*stream, out, part, {12, 2, 1});
  EXPECT_EQ(back, (std::vector<int>{17, 18, 19, 21, 22, 23}));
  EXPECT_THROW(check(part, "source", {16, 2, 1}), Error);
  EXPECT_THROW(check(part, "source", {2, 2, 1}), Error);

  TextureSource source;
  source.array = array.get();
  TextureSettings settings;
  settings.linear_filter = true;
  EXPECT_THROW(check(source, settings), Error);
  settings.normalized_floats = true;
  check(source, settings);
  cuda::count_calls(true);
  cuda::reset_call_counts();
  on.destroy_texture(on.create_texture(source, settings));
  on.destroy_surface(on.create_surface(*array));
  array.reset();
  std::vector<std::string> called;
  for (const auto& [name, n] : cuda::call_counts()) {
    std::string symbol = name;
    if (symbol.find("Object") != std::string::npos || symbol == "cuArrayDestroy")
      called.push_back(symbol + " " + std::to_string(n));
  }
  cuda::count_calls(false);
  EXPECT_EQ(called, (std::vector<std::string>{"cuArrayDestroy 1", "cuTexObjectCreate 1", "cuTexObjectDestroy 1",
                                              "cuSurfObjectCreate 1", "cuSurfObjectDestroy 1"}));
}

TEST_F(Cuda, CooperativeAndLargeShared) {
  auto module = device.load(binary());
  LoadedKernel& reduce = *module->kernel("ns::reduce<float, 3>");
  char args[20] = {};
  LaunchShape shape;
  shape.cooperative = true;
  shape.block = {256, 1, 1};
  device.launch(device.default_stream(), reduce, shape, args, 20, 1);
  FakeCudaLaunch launch;
  ASSERT_TRUE(FAKE(fake_cuda_last_launch)(&launch));
  EXPECT_EQ(launch.cooperative, 1);
  EXPECT_EQ(launch.block[0], 256u);
  EXPECT_EQ(launch.stream, nullptr);
  shape.grid = {100000, 1, 1};
  std::string text;
  EXPECT_EQ(kind_of([&] { device.launch(device.default_stream(), reduce, shape, args, 20, 1); }, &text), ErrorKind::value);
  EXPECT_NE(text.find("100000 blocks"), std::string::npos) << text;

  shape = {};
  shape.dynamic_shared = 45 * 1024;  // over 48 KiB with the kernel's own 4 KiB
  device.launch(device.default_stream(), reduce, shape, args, 20, 1);
  EXPECT_EQ(FAKE(fake_cuda_function_attribute)("_ZN2ns6reduceIfLi3EEEvPKT_PS1_i", 8), 45 * 1024);
  shape.dynamic_shared = 230 * 1024;
  EXPECT_EQ(kind_of([&] { device.launch(device.default_stream(), reduce, shape, args, 20, 1); }, &text), ErrorKind::value);
  EXPECT_NE(text.find("232448"), std::string::npos) << text;
}

TEST_F(Cuda, RefusedLaunchesSayWhy) {
  auto module = device.load(binary());
  LoadedKernel& none = *module->kernel("none");
  LoadedKernel& reduce = *module->kernel("ns::reduce<float, 3>");
  struct Row {
    Dim3 grid, block;
    const char* says;
  };
  const Row rows[] = {{{0, 1, 1}, {1, 1, 1}, "must be 1 or more"},
                      {{1, 70000, 1}, {1, 1, 1}, "70000 blocks in y"},
                      {{1, 1, 1}, {2048, 1, 1}, "2048 threads in x"},
                      {{1, 1, 1}, {64, 64, 1}, "4096 threads; the limit is 1024"}};
  for (const Row& row : rows) {
    LaunchShape shape;
    shape.grid = row.grid;
    shape.block = row.block;
    std::string text;
    EXPECT_EQ(kind_of([&] { device.launch(device.default_stream(), none, shape, nullptr, 0, 1); }, &text), ErrorKind::value);
    EXPECT_NE(text.find(row.says), std::string::npos) << text;
  }
  LaunchShape shape;
  shape.block = {1024, 1, 1};
  char args[20] = {};
  std::string text;
  EXPECT_EQ(kind_of([&] { device.launch(device.default_stream(), reduce, shape, args, 20, 1); }, &text), ErrorKind::value);
  EXPECT_NE(text.find("40 registers"), std::string::npos) << text;
  shape.block = {1, 1, 1};
  EXPECT_EQ(kind_of([&] { device.launch(device.default_stream(), reduce, shape, args, 12, 1); }, &text), ErrorKind::value);
  EXPECT_NE(text.find("20 bytes of arguments; 12 were given"), std::string::npos) << text;
  EXPECT_EQ(kind_of([&] { device.launch(cuda_device(1).default_stream(), none, {}, nullptr, 0, 1); }, &text), ErrorKind::value);
  EXPECT_NE(text.find("cuda:1"), std::string::npos) << text;
  EXPECT_EQ(kind_of([&] { cuda_device(1).launch(cuda_device(1).default_stream(), none, {}, nullptr, 0, 1); }), ErrorKind::value);
  device.launch(device.default_stream(), none, {}, nullptr, 0, 1);  // the device is well
  device.synchronize();
}

TEST_F(Cuda, OutOfMemory) {
  FAKE(fake_cuda_set_memory)(1000);
  EXPECT_EQ(device.allocate(2000), nullptr);
  void* p = device.allocate(0);
  EXPECT_NE(p, nullptr);
  device.release(p);
  EXPECT_EQ(kind_of([&] { device.allocate_managed(2000, 1); }), ErrorKind::out_of_memory);
  FAKE(fake_cuda_fail_next)("cuStreamCreateWithPriority", 2);
  EXPECT_EQ(kind_of([&] { device.create_stream({}); }), ErrorKind::out_of_memory);
}

TEST_F(Cuda, HostMemory) {
  size_t before = FAKE(fake_cuda_live)("host");  // pieces of large copies stay
  void* p = device.allocate_pinned(100, {true, true, false});
  EXPECT_EQ(FAKE(fake_cuda_last_flags)(), 3u);
  EXPECT_EQ(device.device_pointer(p), p);
  device.release_pinned(p);
  EXPECT_EQ(FAKE(fake_cuda_live)("host"), before);
  char buffer[64];
  EXPECT_EQ(kind_of([&] { device.device_pointer(buffer); }), ErrorKind::value);
  device.register_host(buffer, sizeof buffer, 2);
  EXPECT_EQ(kind_of([&] { device.register_host(buffer, sizeof buffer, 0); }), ErrorKind::value);
  EXPECT_EQ(device.device_pointer(buffer), buffer);
  device.unregister_host(buffer);
  device.unregister_host(buffer);  // an error that is not raised
  void* managed = device.allocate_managed(64, 0);
  EXPECT_NE(managed, nullptr);
  device.release_managed(managed);
}

TEST_F(Cuda, StreamsAndEvents) {
  size_t before = FAKE(fake_cuda_live)("event");
  auto stream = device.create_stream({true, -1});
  EXPECT_EQ(FAKE(fake_cuda_last_flags)(), 1u);
  auto start = device.create_event({});
  EXPECT_EQ(FAKE(fake_cuda_last_flags)(), 0u);
  auto end = device.create_event({});
  EXPECT_EQ(kind_of([&] { end->elapsed_ms(*start); }), ErrorKind::logic);
  start->record(*stream);
  end->record(*stream);
  FAKE(fake_cuda_hold)(1);
  EXPECT_FALSE(end->done());
  EXPECT_FALSE(stream->done());
  EXPECT_EQ(kind_of([&] { end->elapsed_ms(*start); }), ErrorKind::logic);
  FAKE(fake_cuda_hold)(0);
  EXPECT_TRUE(end->done());
  EXPECT_TRUE(stream->done());
  end->synchronize();
  EXPECT_EQ(end->elapsed_ms(*start), 1.0);
  auto quiet = device.create_event({false, true});
  EXPECT_EQ(FAKE(fake_cuda_last_flags)(), 3u);
  quiet->record(*stream);
  EXPECT_EQ(kind_of([&] { quiet->elapsed_ms(*start); }), ErrorKind::logic);
  device.default_stream().wait(*end);
  EXPECT_EQ(device.default_stream().native(), 0u);
  EXPECT_EQ(kind_of([&] { start->record(cuda_device(1).default_stream()); }), ErrorKind::value);
  stream.reset();
  start.reset();
  end.reset();
  quiet.reset();
  EXPECT_EQ(FAKE(fake_cuda_live)("stream"), 0u);
  EXPECT_EQ(FAKE(fake_cuda_live)("event"), before);
}

TEST_F(Cuda, HostCalls) {
  int calls = 0;
  FAKE(fake_cuda_hold)(1);
  device.default_stream().call([&] { ++calls; });
  device.default_stream().call([&] { throw std::out_of_range("from the function"); });
  EXPECT_EQ(calls, 0);
  FAKE(fake_cuda_hold)(0);
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(device.default_stream().synchronize(), std::out_of_range);
  device.default_stream().synchronize();  // raised once
}

TEST_F(Cuda, ContextOfOtherLibrariesIsKept) {
  auto get = quern_test::control<int (*)(void**)>("cuCtxGetCurrent");
  auto set = quern_test::control<int (*)(void*)>("cuCtxSetCurrent");
  device.memory();
  void* ours = nullptr;
  get(&ours);
  EXPECT_NE(ours, nullptr);
  cuda_device(1).memory();  // another device of ours puts the first back
  void* now = nullptr;
  get(&now);
  EXPECT_EQ(now, ours);
  std::thread([&] {
    get(&now);
    EXPECT_EQ(now, nullptr);
    device.memory();
    get(&now);
    EXPECT_EQ(now, ours);
    set(nullptr);
  }).join();
}

TEST_F(Cuda, CountsCalls) {
  auto module = device.load(binary());
  LoadedKernel& none = *module->kernel("none");
  cuda::count_calls(true);
  cuda::reset_call_counts();
  for (int i = 0; i < 5; ++i) device.launch(device.default_stream(), none, {}, nullptr, 0, 1);
  device.synchronize();
  uint64_t launches = 0, waits = 0, copies = 0;
  for (const auto& [name, n] : cuda::call_counts()) {
    if (std::string(name) == "cuLaunchKernel") launches = n;
    if (std::string(name) == "cuCtxSynchronize") waits = n;
    if (std::string(name).find("Memcpy") != std::string::npos) copies += n;
  }
  EXPECT_EQ(launches, 5u);
  EXPECT_EQ(waits, 1u);
  EXPECT_EQ(copies, 0u);
  cuda::count_calls(false);
  cuda::reset_call_counts();
  device.synchronize();
  EXPECT_TRUE(cuda::call_counts().empty());
}

TEST_F(Cuda, ModulesAreUnloadedAfterAWait) {
  device.synchronize();
  size_t before = FAKE(fake_cuda_live)("module");
  auto module = device.load(binary());
  EXPECT_EQ(FAKE(fake_cuda_live)("module"), before + 1);
  module.reset();
  EXPECT_EQ(FAKE(fake_cuda_live)("module"), before + 1);  // a kernel of it could still run
  device.synchronize();
  EXPECT_EQ(FAKE(fake_cuda_live)("module"), before);
  for (int i = 0; i < 64; ++i) device.load(binary());
  EXPECT_EQ(FAKE(fake_cuda_live)("module"), before);
}

TEST_F(Cuda, LaunchesFromManyThreads) {
  auto module = device.load(binary());
  LoadedKernel& none = *module->kernel("none");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      auto stream = device.create_stream({});
      for (int i = 0; i < 500; ++i) device.launch(*stream, none, {}, nullptr, 0, static_cast<Site>(t + 1));
      stream->synchronize();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(FAKE(fake_cuda_launch_count)(), 2000u);
}

// The end of things: each in its own process.

using CudaDeathTest = Cuda;

void say(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    std::fprintf(stderr, "kind %d: %s\n", static_cast<int>(error.kind()), error.what());
  }
}

TEST_F(CudaDeathTest, LostContextNamesKernelAndLine) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto lost = [&] {
    auto module = device.load(binary());
    auto stream = device.create_stream({});
    auto event = device.create_event({});
    void* p = device.allocate(64);
    device.launch(*stream, *module->kernel("none"), {}, nullptr, 0, 11);
    stream->synchronize();
    device.launch(*stream, *module->kernel("crash"), {}, &p, 8, 12);
    std::string first, again;
    if (kind_of([&] { stream->synchronize(); }, &first) != ErrorKind::launch) std::exit(1);
    uint64_t calls = FAKE(fake_cuda_calls)();
    const std::function<void()> later[] = {[&] { device.allocate(64); },
                                           [&] { device.synchronize(); },
                                           [&] { device.launch(*stream, *module->kernel("none"), {}, nullptr, 0, 13); },
                                           [&] { event->record(*stream); },
                                           [&] { device.load(binary()); },
                                           [&] { stream->done(); },
                                           [&] { device.fill(*stream, p, 0, 4, 1); }};
    for (const auto& f : later) {
      if (kind_of(f, &again) != ErrorKind::launch || again != first) std::exit(2);
    }
    std::fprintf(stderr, "%s\n", first.c_str());
    device.release(p);
    event.reset();
    stream.reset();
    module.reset();
    device.shut_down();
    device.synchronize();                                // nothing
    if (FAKE(fake_cuda_calls)() != calls) std::exit(3);  // the driver of a lost context is left alone
    std::exit(0);
  };
  EXPECT_EXIT(lost(), testing::ExitedWithCode(0),
              "the kernel crash, launched at script.py:12, failed: an illegal memory access was encountered "
              "\\(CUDA_ERROR_ILLEGAL_ADDRESS\\)");
}

TEST_F(CudaDeathTest, LostContextListsWhatWasRunning) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto lost = [&] {
    auto module = device.load(binary());
    float* p = nullptr;
    auto early = device.create_event({});
    device.launch(device.default_stream(), *module->kernel("none"), {}, nullptr, 0, 20);
    early->record(device.default_stream());
    early->synchronize();  // the one above has finished
    device.launch(device.default_stream(), *module->kernel("crash"), {}, &p, 8, 21);
    device.launch(device.default_stream(), *module->kernel("none"), {}, nullptr, 0, 22);
    say([&] { device.synchronize(); });
    std::exit(0);
  };
  EXPECT_EXIT(lost(), testing::ExitedWithCode(0),
              "most likely the first:\n  crash, launched at script.py:21\n  none, launched at script.py:22\n");
}

TEST_F(CudaDeathTest, DeviceAssert) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto lost = [&] {
    auto module = device.load(binary());
    device.launch(device.default_stream(), *module->kernel("stop"), {}, nullptr, 0, 31);
    say([&] { device.synchronize(); });
    std::exit(0);
  };
  EXPECT_EXIT(lost(), testing::ExitedWithCode(0), "kernel stop, launched at script.py:31, failed: device-side assert triggered");
}

TEST_F(CudaDeathTest, KernelPrintfIsFlushedByAWait) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  std::string path = testing::TempDir() + "quern_cuda_printf.txt";
  auto print = [&] {
    if (!std::freopen(path.c_str(), "w", stdout)) std::exit(1);
    Binary loud;
    loud.code = CubinMaker().kernel({"_Z5shouti", {{0, 4}}}).prints().make();
    auto module = device.load(loud);
    if (!module->kernel("shout")->info.prints) std::exit(2);
    int n = 42;
    device.launch(device.default_stream(), *module->kernel("shout"), {}, &n, 4, 1);
    device.default_stream().synchronize();
    std::ifstream file(path);  // a file is fully buffered: only a flush brings the text there
    std::string text;
    std::getline(file, text);
    std::fprintf(stderr, "[%s]\n", text.c_str());
    std::exit(0);
  };
  EXPECT_EXIT(print(), testing::ExitedWithCode(0), "\\[hi 42\\]");
  unlink(path.c_str());
}

// Another driver needs another process: fork, set the environment, run this binary's filter.
std::string with_environment(const char* name, const char* value, const char* filter) {
  std::string command = std::string("env ") + name + "=" + value + " /proc/" + std::to_string(getpid()) +
                        "/exe --gtest_also_run_disabled_tests --gtest_filter=" + filter + " 2>&1";
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  pclose(pipe);
  return output;
}

TEST(CudaDriver, DISABLED_SayReason) { std::printf("count %d: %s\n", cuda_device_count(), cuda_unavailable_reason().c_str()); }

TEST(CudaDriver, DISABLED_OldDriverParams) {
  auto module = cuda_device(0).load(binary());
  const KernelInfo& info = module->kernel("saxpy")->info;
  std::printf("optional %d known %d count %zu bytes %u offset %u\n", cuda::driver().cuFuncGetParamInfo != nullptr,
              info.params_known, info.params.size(), info.param_bytes, info.params[2].offset);
}

TEST(CudaDriver, UnavailableReasons) {
  EXPECT_NE(with_environment("QUERN_CUDA_DRIVER", "/nowhere/libcuda.so.1", "CudaDriver.DISABLED_SayReason")
                .find("count 0: QUERN_CUDA_DRIVER=/nowhere/libcuda.so.1 cannot be opened"),
            std::string::npos);
  EXPECT_NE(with_environment("FAKE_CUDA_DEVICES", "0", "CudaDriver.DISABLED_SayReason")
                .find("count 0: the NVIDIA driver does not start: no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE)"),
            std::string::npos);
  EXPECT_NE(with_environment("FAKE_CUDA_VERSION", "11080", "CudaDriver.DISABLED_SayReason")
                .find("count 0: the NVIDIA driver supports CUDA 11.8; CUDA 12.0 or newer is needed"),
            std::string::npos);
}

TEST(CudaDriver, OldDriversTellParametersThroughTheCode) {
  std::string output = with_environment("FAKE_CUDA_VERSION", "12020", "CudaDriver.DISABLED_OldDriverParams");
  EXPECT_NE(output.find("optional 0 known 1 count 4 bytes 28 offset 16"), std::string::npos) << output;
}

// Cubins.

TEST(Cubin, Damaged) {
  std::vector<std::byte> code = binary().code;
  ASSERT_TRUE(read_cubin(code).has_value());
  EXPECT_EQ(read_cubin(code)->kernels.size(), 7u);
  EXPECT_EQ(read_cubin(code)->globals, std::vector<std::string>{"_ZN2ns12coefficientsE"});
  EXPECT_FALSE(read_cubin({}).has_value());
  uint32_t random = 12345;
  for (int round = 0; round < 20000; ++round) {  // no damage may crash the reader
    std::vector<std::byte> damaged = code;
    for (int i = 0; i < 4; ++i) {
      random = random * 1664525u + 1013904223u;
      damaged[(random >> 8) % damaged.size()] = static_cast<std::byte>(random & 0xff);
    }
    if (round % 3 == 0) damaged.resize((random >> 4) % damaged.size());
    read_cubin(damaged);
  }
}

}  // namespace
}  // namespace quern

int main(int argc, char** argv) {
  setenv("QUERN_CUDA_DRIVER", QUERN_FAKE_CUDA, 0);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
