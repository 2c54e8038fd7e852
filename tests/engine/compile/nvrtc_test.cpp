// Finding NVIDIA's libraries, NVRTC's options, and compiling with the real NVRTC where one is installed (no GPU is needed).
#include "compile/nvrtc.h"
#include "compile/c_kernels.h"
#include "compile/cache.h"
#include "compile/signature.h"
#include "core/error.h"
#include "core/nvidia_libraries.h"
#include "device/cubin.h"
#include "python_paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace quern {
namespace {

namespace fs = std::filesystem;

class Libraries : public testing::Test {
 protected:
  void SetUp() override {
    root = fs::path(testing::TempDir()) / ("quern_libraries_" + std::to_string(getpid()));
    fs::remove_all(root);
    unsetenv("CUDA_PATH");
    unsetenv("CONDA_PREFIX");
    setenv("CUDA_HOME", (root / "toolkit").c_str(), 1);
  }
  void TearDown() override {
    fs::remove_all(root);
    unsetenv("CUDA_HOME");
    set_nvidia_search_paths({});
    limit_nvidia_libraries(0);
  }
  void file(const std::string& name) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << name;
  }
  void folder(const std::string& name) { fs::create_directories(root / name); }
  void pip12() {
    file("site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    file("site/nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9");
    file("site/nvidia/cuda_nvrtc/lib/libnvrtc.alt.so.12");
    file("site/nvidia/cublas/lib/libcublas.so.12");
    file("site/nvidia/cufft/lib/libcufft.so.11");
    file("site/nvidia/cudnn/lib/libcudnn.so.9");
  }
  void pip13() {
    file("site/nvidia/cu13/lib/libnvrtc.so.13");
    file("site/nvidia/cu13/lib/libnvrtc-builtins.so.13.0");
    file("site/nvidia/cu13/lib/libcufft.so.12");
  }
  void toolkit() {
    file("toolkit/lib64/libnvrtc.so.12");
    file("toolkit/lib64/libnvrtc-builtins.so.12.4");
    file("toolkit/lib64/libcublasLt.so.12");
    folder("toolkit/include");
  }
  std::string relative(const std::string& path) { return fs::relative(path, root).string(); }
  fs::path root;
};

TEST_F(Libraries, PipComesFirstAndNothingIsMixed) {
  pip12();
  toolkit();
  set_nvidia_search_paths({(root / "empty").string(), (root / "site").string()});
  auto chosen = chosen_nvidia_source();
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ(chosen->kind, "pip");
  EXPECT_EQ(chosen->major, 12);
  EXPECT_EQ(chosen->version, "12.9");
  EXPECT_EQ(relative(find_nvidia_library("nvrtc")->path), "site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  EXPECT_EQ(relative(find_nvidia_library("cufft")->path), "site/nvidia/cufft/lib/libcufft.so.11");
  EXPECT_EQ(relative(find_nvidia_library("cudnn")->path), "site/nvidia/cudnn/lib/libcudnn.so.9");
  EXPECT_FALSE(find_nvidia_library("cublasLt").has_value());  // the toolkit has it; the two are not mixed
  EXPECT_THROW(open_nvidia_library("cublasLt"), Error);
  EXPECT_THROW(find_nvidia_library("nonsense"), Error);
  auto sources = nvidia_sources();
  ASSERT_GE(sources.size(), 2u);
  EXPECT_EQ(sources[1].kind, "toolkit");
  EXPECT_EQ(sources[1].version, "12.4");
  EXPECT_EQ(sources[1].include_dirs.size(), 1u);
}

TEST_F(Libraries, NewerThanTheDriverIsPassedOver) {
  pip12();
  pip13();
  set_nvidia_search_paths({(root / "site").string()});
  EXPECT_EQ(chosen_nvidia_source()->major, 13);
  EXPECT_EQ(relative(find_nvidia_library("cufft")->path), "site/nvidia/cu13/lib/libcufft.so.12");
  limit_nvidia_libraries(12040);
  EXPECT_EQ(chosen_nvidia_source()->major, 12);
  EXPECT_EQ(relative(find_nvidia_library("cufft")->path), "site/nvidia/cufft/lib/libcufft.so.11");
  EXPECT_NE(nvidia_sources()[0].passed_over.find("newer than the driver, which supports CUDA 12.4"), std::string::npos);
  limit_nvidia_libraries(13000);
  EXPECT_EQ(chosen_nvidia_source()->major, 13);
}

TEST_F(Libraries, ToolkitWhenPipHasNone) {
  toolkit();
  file("site/nvidia/cublas/lib/libcublas.so.12");  // without NVRTC this is no source
  set_nvidia_search_paths({(root / "site").string()});
  EXPECT_EQ(chosen_nvidia_source()->kind, "toolkit");
  EXPECT_EQ(chosen_nvidia_source()->root, (root / "toolkit").string());
  EXPECT_EQ(relative(find_nvidia_library("cublasLt")->path), "toolkit/lib64/libcublasLt.so.12");
  EXPECT_FALSE(find_nvidia_library("cublas").has_value());
  for (const NvidiaLibrary& library : nvidia_libraries()) {
    if (library.name == "cudnn") continue;  // comes apart: the system's folders of this machine may have it
    EXPECT_EQ(library.path.empty(), library.name != "nvrtc" && library.name != "cublasLt") << library.name;
  }
  // A package of its own serves the toolkit, too, before the system's folders.
  file("site/nvidia/cudnn/lib/libcudnn.so.9");
  EXPECT_EQ(relative(find_nvidia_library("cudnn")->path), "site/nvidia/cudnn/lib/libcudnn.so.9");
}

TEST_F(Libraries, TooOldIsPassedOver) {
  file("site/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2");
  toolkit();
  set_nvidia_search_paths({(root / "site").string()});
  EXPECT_EQ(chosen_nvidia_source()->kind, "toolkit");
  EXPECT_NE(nvidia_sources()[0].passed_over.find("too old"), std::string::npos);
}

// Options.

std::vector<std::string> options_of(std::vector<std::string> flags, bool exact = false, const char* arch = "sm_90") {
  CompileOptions options;
  options.flags = std::move(flags);
  options.exact_arithmetic = exact;
  return nvrtc_options(options, arch);
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(NvrtcOptions, Translation) {
  auto words = options_of({"-I/a/b", "-I", "/c", "-isystem=/d", "-DX=1", "-D", "Y", "--define-macro=Z=2", "-UQ", "-use_fast_math",
                           "-lineinfo", "-G", "-w", "-Xptxas", "-v", "-include", "my.h", "--maxrregcount=32", "-std=c++20"});
  for (const char* word : {"--include-path=/a/b", "--include-path=/c", "--include-path=/d", "--define-macro=X=1",
                           "--define-macro=Y", "--define-macro=Z=2", "--undefine-macro=Q", "--use_fast_math",
                           "--generate-line-info", "--device-debug", "--disable-warnings", "--ptxas-options=-v",
                           "--pre-include=my.h", "--maxrregcount=32", "--std=c++20", "--gpu-architecture=sm_90"}) {
    EXPECT_TRUE(has(words, word)) << word;
  }
  EXPECT_FALSE(has(words, "--std=c++17"));
  words = options_of({"--ptxas-options=-v,-O1"});
  EXPECT_TRUE(has(words, "--ptxas-options=-v") && has(words, "--ptxas-options=-O1"));
  EXPECT_TRUE(has(options_of({}), "--std=c++17"));
}

TEST(NvrtcOptions, WhatIsForOthersIsDropped) {
  auto plain = options_of({});
  EXPECT_EQ(options_of({"-O3", "-arch=sm_70", "--gpu-architecture", "compute_75", "-gencode", "arch=compute_70,code=sm_70",
                        "-Xcompiler", "-fPIC", "-ccbin=g++", "-rdc=true", "-dlto", "--expt-relaxed-constexpr", "-lcudadevrt",
                        "-L/usr/lib", "-Werror", "-m64", "-g", "-c", ""}),
            plain);
  EXPECT_TRUE(has(options_of({"-arch=sm_90a"}), "--gpu-architecture=sm_90a"));
  EXPECT_TRUE(has(options_of({"-arch=sm_100a"}), "--gpu-architecture=sm_90"));
  EXPECT_TRUE(has(options_of({"--something-new=1"}), "--something-new=1"));  // NVRTC decides
  EXPECT_THROW(options_of({"-I"}), Error);
}

TEST(NvrtcOptions, ExactArithmetic) {
  auto words = options_of({"--use_fast_math", "-fmad=true", "-ftz=true", "-DX"}, true);
  EXPECT_FALSE(has(words, "--use_fast_math"));
  EXPECT_FALSE(has(words, "--fmad=true"));
  EXPECT_FALSE(has(words, "--ftz=true"));
  EXPECT_TRUE(has(words, "--fmad=false"));
  EXPECT_TRUE(has(words, "--ftz=false"));
  EXPECT_TRUE(has(words, "--define-macro=X"));
  EXPECT_FALSE(has(options_of({}), "--fmad=false"));
}

// The real compiler.

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    static const std::vector<std::string> paths = python_paths();
    limit_nvidia_libraries(0);
    set_nvidia_search_paths(paths);
    if (!chosen_nvidia_source()) GTEST_SKIP() << "no NVRTC on this machine: pip install nvidia-cuda-nvrtc-cu12";
  }
  Binary compile(const std::string& text, CompileOptions options = {}, const char* arch = "sm_90") {
    return nvrtc_compiler().compile({text, "user.cu"}, options, {DeviceKind::cuda, arch});
  }
  std::string error_of(const std::string& text, CompileOptions options = {}) {
    try {
      compile(text, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::compile);
      return error.what();
    }
    ADD_FAILURE() << "this compiled:\n" << text;
    return "";
  }
};

bool is_loaded(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

TEST_F(Nvrtc, IdDoesNotLoadIt) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        std::string id = nvrtc_compiler().id();
        std::fprintf(stderr, "%s\n", id.c_str());
        if (is_loaded("libnvrtc") || id != nvrtc_compiler().id()) std::exit(1);
        compile("extern \"C\" __global__ void k() {}");
        if (!is_loaded("libnvrtc") || id != nvrtc_compiler().id()) std::exit(2);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^nvrtc 1[2-9]\\.[0-9]+ [0-9a-f]+ r");
}

constexpr const char* several = R"(
__device__ int counter;
__constant__ float coefficients[4];
namespace ns {
struct Pair { float x; int n; };
__global__ void saxpy(float a, const float* __restrict__ x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i] + coefficients[i & 3];
}
template <class T, int N> __global__ void reduce(const T* x, T* out, Pair p) { out[0] = x[N] + T(p.x); }
}
extern "C" __global__ void plain(const double* a, double* b, char c, long long d) { b[0] = a[0] + c + d; atomicAdd(&counter, 1); }
)";

// What the walk over #include lines (compile/include_walk.h) stands on.
TEST_F(Nvrtc, OurHeadersComeFirst) {
  fs::path folder = fs::path(testing::TempDir()) / ("quern_headers_" + std::to_string(getpid()));
  fs::create_directories(folder / "sub");
  for (const char* name : {"cuda_fp16.h", "sub/cuda_fp16.h"}) std::ofstream(folder / name) << "#error not this one\n";
  std::ofstream(folder / "sub" / "h.h") << "#include \"cuda_fp16.h\"\n";
  CompileOptions options;
  options.flags = {"-I" + folder.string()};
  compile("#include <cuda_fp16.h>\n#include \"cuda_fp16.h\"\n#include <sub/h.h>\n__half h;\n", options, "sm_90");
  fs::remove_all(folder);
}

TEST_F(Nvrtc, KeptWhileItsFilesAreTheSame) {
  fs::path folder = fs::path(testing::TempDir()) / ("quern_headers_" + std::to_string(getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder / "first");
  auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("h.h", "#define VALUE 1\n");
  Target target{DeviceKind::cuda, "sm_90"};
  CompileOptions options;
  options.flags = {"-I", (folder / "first").string(), "-I" + folder.string(), "-DNAME=\"h.h\""};
  auto hit = [&](const std::string& text) {
    return compile_cache()
        .get(nvrtc_compiler(), {text + "\n__global__ void f(int* a) { *a = VALUE; } // " + folder.string()}, options, target)
        .hit;
  };
  for (std::string text :
       {"#include \"h.h\"", "#include NAME", "# /* x */ include /* y */ <h.h> // z", "#inc\\\nlude \"h.h\"",
        "// #include NONE\n/*\n#include NONE\n*/\n%:include \"h.h\"", "const char* s = \"#include NONE\";\n#include \"h.h\"",
        "#if 0\n don't\n#include NONE\n#endif\n#include \"h.h\""}) {
    SCOPED_TRACE(text);
    bool known = text.find("don't") == std::string::npos;
    fs::remove(folder / "first" / "h.h");
    write("h.h", "#define VALUE 1\n");
    EXPECT_EQ(hit(text), CacheHit::compiled);
    EXPECT_EQ(hit(text), known ? CacheHit::memory : CacheHit::compiled);
    write("other.h", "");
    EXPECT_EQ(hit(text), known ? CacheHit::memory : CacheHit::compiled);
    write("h.h", "#define VALUE 2\n");
    EXPECT_EQ(hit(text), CacheHit::compiled);
    EXPECT_EQ(hit(text), known ? CacheHit::memory : CacheHit::compiled);
    write("first/h.h", "#define VALUE 3\n");
    EXPECT_EQ(hit(text), CacheHit::compiled);
    EXPECT_EQ(hit(text), known ? CacheHit::memory : CacheHit::compiled);
  }
  // Put together by macros: nobody can tell, and nothing is kept.
  std::string joined = "#define S(x) #x\n#define H(x) S(x.h)\n#include H(h)";
  EXPECT_EQ(hit(joined), CacheHit::compiled);
  EXPECT_EQ(hit(joined), CacheHit::compiled);
  fs::remove_all(folder);
}

TEST_F(Nvrtc, CubinsOfThreeGenerations) {
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    SCOPED_TRACE(arch);
    CompileOptions options;
    options.name_expressions = {"ns::reduce<float, 3>", "ns::reduce<double, 1>", "&coefficients"};
    options.tells_types = true;
    Binary binary = compile(several, options, arch);
    ASSERT_EQ(binary.names.size(), 4u);
    EXPECT_EQ(binary.names[3].first, type_request("plain"));
    EXPECT_EQ(type_told(binary.names[3].second), "PKdPdcx");
    EXPECT_EQ(binary.names[0].second, "_ZN2ns6reduceIfLi3EEEvPKT_PS1_NS_4PairE");
    auto contents = read_cubin(binary.code);
    ASSERT_TRUE(contents.has_value());
    EXPECT_FALSE(contents->is_ptx);
    EXPECT_FALSE(contents->prints);
    ASSERT_EQ(contents->kernels.size(), 4u);
    EXPECT_TRUE(has(contents->globals, "counter"));
    EXPECT_TRUE(has(contents->globals, "coefficients"));
    for (const CubinKernel& kernel : contents->kernels) {
      SymbolName name = read_symbol(kernel.symbol);
      ASSERT_TRUE(kernel.params_known);
      std::vector<uint32_t> sizes, offsets;
      for (const auto& param : kernel.params) {
        sizes.push_back(param.size);
        offsets.push_back(param.offset);
      }
      if (name.plain == "saxpy") {
        EXPECT_EQ(name.signature, "fPKfPfi");
        EXPECT_EQ(sizes, (std::vector<uint32_t>{4, 8, 8, 4}));
        EXPECT_EQ(offsets, (std::vector<uint32_t>{0, 8, 16, 24}));
      } else if (name.plain == "plain") {
        EXPECT_EQ(name.signature, "");
        EXPECT_EQ(sizes, (std::vector<uint32_t>{8, 8, 1, 8}));
        EXPECT_EQ(offsets, (std::vector<uint32_t>{0, 8, 16, 24}));
      } else {
        EXPECT_EQ(name.qualified, "ns::reduce");
        EXPECT_EQ(sizes, (std::vector<uint32_t>{8, 8, 8}));
      }
    }
  }
}

TEST_F(Nvrtc, ManyParameterBytes) {
  Binary binary =
      compile("struct Big { char c[5000]; }; extern \"C\" __global__ void big(Big b, int* o) { o[0] = b.c[threadIdx.x]; }");
  auto contents = read_cubin(binary.code);
  ASSERT_TRUE(contents && contents->kernels.size() == 1);
  ASSERT_EQ(contents->kernels[0].params.size(), 2u);
  EXPECT_EQ(contents->kernels[0].params[0].size, 5000u);
  EXPECT_EQ(contents->kernels[0].params[1].offset, 5000u);
  EXPECT_EQ(contents->kernels[0].params[1].size, 8u);
}

TEST_F(Nvrtc, PrintingIsSeen) {
  Binary binary = compile("extern \"C\" __global__ void shout(int n) { printf(\"%d\\n\", n); }");
  EXPECT_TRUE(read_cubin(binary.code)->prints);
}

TEST_F(Nvrtc, ErrorsNameTheUsersLine) {
  std::string text = error_of("// a comment\n__global__ void k(float* x) {\n  x[0] = undefined_thing;\n}\n");
  EXPECT_NE(text.find("user.cu(3): error: identifier \"undefined_thing\" is undefined"), std::string::npos) << text;
  EXPECT_NE(text.find("  x[0] = undefined_thing;"), std::string::npos) << text;
  text = error_of("#line 40 \"script.py\"\n__global__ void k(float* x) { x[0] = 1 +; }\n");
  EXPECT_NE(text.find("script.py(40): error"), std::string::npos) << text;
}

TEST_F(Nvrtc, WarningsAreKept) {
  Binary binary = compile("extern \"C\" __global__ void k(float* x) {\n  int unused_thing;\n  x[0] = 1;\n}\n");
  EXPECT_NE(binary.log.find("user.cu(2): warning"), std::string::npos) << binary.log;
  EXPECT_EQ(compile("extern \"C\" __global__ void k(float* x) { x[0] = 1; }").log, "");
}

// What spares NVRTC work (compile/nvrtc_shortcuts.h) is not to be seen.
TEST_F(Nvrtc, TheSameCodeWithKeptHeaders) {
  const std::string head = "#include \"quern/array.cuh\"\nusing namespace quern;\n";
  const std::string body = "extern \"C\" __global__ void k(double* x) { x[threadIdx.x] = op::sin(x[threadIdx.x]) * ";
  std::vector<Binary> first, later;
  for (const char* number : {"2.0; }\n", "3.0; }\n"}) first.push_back(compile(head + body + number));
  for (const char* number : {"2.0; }\n", "3.0; }\n", "2.0; }\n", "3.0; }\n"}) later.push_back(compile(head + body + number));
  for (size_t i = 0; i < later.size(); ++i) {
    EXPECT_EQ(later[i].code, first[i % 2].code);
    EXPECT_EQ(later[i].log, "");
  }
  Binary warned = compile(head + "extern \"C\" __global__ void k(double* x) {\n  int unused_thing;\n  x[0] = 1;\n}\n");
  EXPECT_NE(warned.log.find("user.cu(4): warning"), std::string::npos) << warned.log;
  for (int i = 0; i < 4; ++i) {
    CompileOptions options;
    options.flags = {"-DN=" + std::to_string(i % 2)};
    EXPECT_EQ(compile(head + "extern \"C\" __global__ void k(double* x) { x[N] = " + std::to_string(i) + "; }", options).log, "");
  }
  std::string error = error_of(head + "extern \"C\" __global__ void k() { nothing(); }");
  EXPECT_TRUE(error.starts_with("[compile] user.cu(3): error")) << error;
}

TEST_F(Nvrtc, TypesOfTheRuntimeByAnyName) {
  Binary binary =
      compile("#define JOIN(a, b) a##b\nextern \"C\" __global__ void k(int* x) { JOIN(cu, daError_t) e{}; x[0] = e; }\n");
  EXPECT_EQ(binary.log, "");
  EXPECT_FALSE(binary.code.empty());
}

TEST_F(Nvrtc, WhatIsNotServedIsSaidOnce) {
  std::string text = error_of("texture<float, 2> tex;\n__global__ void k(float* o) { o[0] = tex2D(tex, 1, 1); }");
  EXPECT_EQ(text,
            "[compile] user.cu(1): error: texture and surface references belong to SourceModule: take a texture or surface "
            "object here");
  text = error_of("#include <thrust/sort.h>\n");
  EXPECT_EQ(
      text,
      "[compile] user.cu(1): error: Thrust's algorithms are not supported in kernel source: use quern's sort, reduce and scan");
  compile("#include <cub/cub.cuh>\n");
  text = error_of("\n#include <cub/device/device_reduce.cuh>\n");
  EXPECT_NE(text.find("user.cu(2): error: this header of CUB is not supported"), std::string::npos) << text;
}

TEST_F(Nvrtc, BadNameExpressionsAndOptions) {
  CompileOptions options;
  options.name_expressions = {"nope<int>"};
  std::string text = error_of(several, options);
  EXPECT_NE(text.find("the name \"nope < int >\" that was asked for means nothing in this text"), std::string::npos) << text;
  options = {};
  options.flags = {"--no-such-option"};
  text = error_of(several, options);
  EXPECT_NE(text.find("--no-such-option"), std::string::npos) << text;
}

TEST_F(Nvrtc, OptionsReachTheText) {
  fs::path folder = fs::path(testing::TempDir()) / ("quern_nvrtc_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "mine.h") << "#define FROM_HEADER 5\n";
  CompileOptions options;
  options.flags = {"-I", folder.string(), "-DVALUE=37", "--use_fast_math"};
  compile("#include \"mine.h\"\nstatic_assert(VALUE + FROM_HEADER == 42, \"\");\nextern \"C\" __global__ void k() {}", options);
  fs::remove_all(folder);
}

// What the PyCUDA front end asks for.
TEST_F(Nvrtc, WhatNvccIncludes) {
  CompileOptions options;
  options.flags = {"-include=nvcc_includes.h", "-include=cmath", "-include", "limits"};
  const char* text =
      "static_assert(INT_MAX == std::numeric_limits<int>::max() && sizeof(int64_t) == 8 && M_PI > 3, \"\");\n"
      "extern \"C\" __global__ void k(float* x) { x[0] = isinf(x[1]) ? INFINITY : FLT_MAX; x[2] = std::sqrt(NAN); }\n";
  EXPECT_EQ(compile(text, options).log, "");
  EXPECT_NE(error_of("\n__global__ void k() { nothing; }\n", options).find("user.cu(2): error"), std::string::npos);
}

TEST_F(Nvrtc, ExactArithmeticChangesTheCode) {
  const char* text = "extern \"C\" __global__ void k(float* x, float a, float b) { x[0] = x[0] * a + b; }";
  CompileOptions exact, same;
  exact.exact_arithmetic = true;
  same.exact_arithmetic = true;
  same.flags = {"--use_fast_math"};
  EXPECT_NE(compile(text).code, compile(text, exact).code);
  EXPECT_EQ(compile(text, exact).code, compile(text, same).code);
}

TEST_F(Nvrtc, RelocatableCodeMayLackFunctions) {
  std::string text = "extern \"C\" __device__ int other(int); extern \"C\" __global__ void k(int* x) { x[0] = other(1); }";
  EXPECT_NE(error_of(text).find("other"), std::string::npos);
  CompileOptions relocatable;
  relocatable.relocatable = true;
  std::optional<CubinContents> contents = read_cubin(compile(text, relocatable).code);
  ASSERT_TRUE(contents.has_value());
  ASSERT_EQ(contents->kernels.size(), 1u);
  EXPECT_EQ(contents->kernels[0].symbol, "k");
  Binary ptx = compile("extern \"C\" __device__ int other(int x) { return x; }", relocatable, "compute_90");
  std::string_view function(reinterpret_cast<const char*>(ptx.code.data()), ptx.code.size());
  EXPECT_NE(function.find(".visible .func"), std::string_view::npos);
  Target target{DeviceKind::cuda, "sm_90"};
  EXPECT_FALSE(cache_key(nvrtc_compiler(), {text}, {}, target) == cache_key(nvrtc_compiler(), {text}, relocatable, target));
}

TEST_F(Nvrtc, UnknownGpus) {
  Binary newer = compile("extern \"C\" __global__ void k(int* x) { x[0] = 1; }", {}, "sm_999");
  auto contents = read_cubin(newer.code);
  ASSERT_TRUE(contents.has_value());
  EXPECT_TRUE(contents->is_ptx);
  ASSERT_EQ(contents->kernels.size(), 1u);
  EXPECT_EQ(contents->kernels[0].symbol, "k");
  EXPECT_THROW(compile("extern \"C\" __global__ void k() {}", {}, "sm_20"), Error);
  EXPECT_FALSE(read_cubin(compile("extern \"C\" __global__ void k() {}", {}, "sm_88").code)->is_ptx);  // by sm_86's code
}

}  // namespace
}  // namespace quern
