#include "compile/clang/front_end/diagnostics.h"

#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/DiagnosticSerialization.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace quern::plugin {
namespace {

// Headers that programs for the GPU include and that no compiler brings by itself, or that are there and no use.
struct MissingHeader {
  std::string_view prefix, what, advice;
  bool is_there = false;
};
constexpr MissingHeader missing_headers[] = {
    {"thrust/", "this part of Thrust",
     "complex.h, functional.h, pair.h, tuple.h and iterators are; write the loop as a kernel or use array operations (sort, sum, "
     "cumsum)"},
    {"cub/", "this header of CUB",
     "those of blocks, warps and threads are; for whole arrays use array operations (sum, cumsum, sort)"},
    {"cuda/barrier", "libcu++'s barrier", "use __syncthreads(), or cooperative_groups.h and its groups", true},
    {"cuda/std/", "this header of libcu++", "use the types and functions that CUDA C++ has built in"},
    {"cuda/", "this header of libcu++", "use the atomics and intrinsics that CUDA C++ has built in"},
    {"nv/", "this header of libcu++", "use the types and functions that CUDA C++ has built in"},
    {"mma.h", "the tensor core interface (wmma)", "use a matrix product of arrays"},
    {"cuda_fp8.h", "the 8-bit floating-point types", "use float or half"},
    {"curand", "this part of cuRAND", "include curand_kernel.h, or draw the numbers as an array and pass it to the kernel"},
    {"cusparse", "a host library", "call it from the host"},
    {"cublas", "a host library", "call it from the host"},
    {"cufft", "a host library", "call it from the host"},
    {"cooperative_groups/", "this part of cooperative groups",
     "use __syncthreads(), __syncwarp() and the __shfl_*_sync() functions"},
};

// CUDA functions that are not supported.
struct MissingName {
  std::string_view name, advice;
};
constexpr std::string_view in_source_modules =
    "texture and surface references belong to SourceModule; take a texture or surface object here";
constexpr std::string_view no_cubemaps = "there are no cube maps; use tex2DLayered()";
constexpr std::string_view arrays_for_cub =
    "CUB is there for blocks, warps and threads; take array operations (sum, cumsum, sort)";
constexpr std::string_view with_masks =
    "it went with compute capability 7.0; its form that ends in _sync takes a mask first, such as 0xffffffff";
constexpr std::string_view one_space = "pointers do not tell what memory they are of; decide it where the pointer is made";
constexpr MissingName missing_names[] = {
    {"__shfl", with_masks},
    {"__shfl_up", with_masks},
    {"__shfl_down", with_masks},
    {"__shfl_xor", with_masks},
    {"__ballot", with_masks},
    {"__any", with_masks},
    {"__all", with_masks},
    {"__isGlobal", one_space},
    {"__isShared", one_space},
    {"__isConstant", one_space},
    {"__isLocal", one_space},
    {"curand_discrete", "draw a uniform number and look it up in a table of sums"},
    {"texture", in_source_modules},
    {"surface", in_source_modules},
    {"tex2Dgather", "call tex2D() for each of the four texels"},
    {"texCubemap", no_cubemaps},
    {"texCubemapLayered", no_cubemaps},
    {"surfCubemapread", no_cubemaps},
    {"surfCubemapwrite", no_cubemaps},
    {"DeviceReduce", arrays_for_cub},
    {"DeviceScan", arrays_for_cub},
    {"DeviceRadixSort", arrays_for_cub},
    {"DeviceSegmentedReduce", arrays_for_cub},
    {"DeviceSelect", arrays_for_cub},
    {"DeviceHistogram", arrays_for_cub},
};

std::string name_between_quotes(const std::string& message) {
  size_t open = message.find('\'');
  size_t close = open == std::string::npos ? open : message.find('\'', open + 1);
  return close == std::string::npos ? "" : message.substr(open + 1, close - open - 1);
}

// A better text for an error that means "not supported here"; "" for all others.
std::string explanation(const std::string& message) {
  std::string name = name_between_quotes(message);
  if (message == "initialization is not supported for __shared__ variables") {
    return "[compile] dynamic initialization is not supported for a __shared__ variable: declare an empty constructor "
           "(`= default`), and assign in the kernel";
  }
  if (message.compare(0, 33, "reference to __global__ function ") == 0) {
    return "[compile] kernels cannot launch kernels (dynamic parallelism is not supported): launch '" + name + "' from the host";
  }
  if (message.find("in namespace 'std'") != std::string::npos && message.compare(0, 3, "no ") == 0) {
    return "[compile] 'std::" + name + "' is not available here: kernels have the C++ standard library of libcu++ only: " +
           "numbers, type_traits, pairs and arrays; tuples, complex numbers, algorithms and more are in <cuda/std/...>";
  }
  for (const MissingName& missing : missing_names) {
    if (name == missing.name) return "[compile] '" + name + "' is not available here: " + std::string(missing.advice);
  }
  return "";
}

bool is_serialization(unsigned id) { return id > clang::diag::DIAG_START_SERIALIZATION && id < clang::diag::DIAG_START_LEX; }

class HeaderWatch : public clang::PPCallbacks {
 public:
  explicit HeaderWatch(clang::Preprocessor& preprocessor) : diagnostics_(preprocessor.getDiagnostics()) {
    error_ = diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Fatal, "%0");
  }

  bool FileNotFound(llvm::StringRef) override { return true; }  // InclusionDirective reports it, with the place

  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef name, bool, clang::CharSourceRange range,
                          clang::OptionalFileEntryRef file, llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    if (file && !refused(name)) return;
    diagnostics_.Report(range.getBegin(), error_) << text(name);
  }

 private:
  static bool refused(llvm::StringRef name) {
    return std::any_of(std::begin(missing_headers), std::end(missing_headers),
                       [&](const MissingHeader& header) { return header.is_there && name == llvm::StringRef(header.prefix); });
  }

  static std::string text(llvm::StringRef name) {
    std::string_view path(name.data(), name.size());
    for (const MissingHeader& header : missing_headers) {
      if (path.substr(0, header.prefix.size()) == header.prefix) {
        return "[compile] #include <" + std::string(path) + ">: " + std::string(header.what) + " is not available here; " +
               std::string(header.advice);
      }
    }
    return "[compile] #include <" + std::string(path) +
           ">: no such header; CUDA's own small headers are built in, others are searched in the folders given by -I";
  }

  clang::DiagnosticsEngine& diagnostics_;
  unsigned error_;
};

}  // namespace

Messages::Messages(std::string& log, clang::DiagnosticOptions* options) : log_(log), out_(log_), options_(options) {}
Messages::~Messages() = default;

void Messages::BeginSourceFile(const clang::LangOptions& language, const clang::Preprocessor* preprocessor) {
  printer_ = std::make_unique<clang::TextDiagnostic>(out_, language, options_, preprocessor);
}

void Messages::EndSourceFile() { printer_.reset(); }

void Messages::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& message) {
  DiagnosticConsumer::HandleDiagnostic(level, message);
  if (is_serialization(message.getID()) && level >= clang::DiagnosticsEngine::Error) bad_precompiled_header = true;
  if (silent_) return;
  llvm::SmallString<128> buffer;
  message.FormatDiagnostic(buffer);
  std::string text(buffer.str());
  if (level >= clang::DiagnosticsEngine::Error) {
    std::string better = explanation(text);
    if (!better.empty()) {
      text = better;
      silent_ = true;
    }
  }
  if (level == clang::DiagnosticsEngine::Fatal) level = clang::DiagnosticsEngine::Error;  // one word for one thing
  if (printer_ && message.hasSourceManager()) {
    printer_->emitDiagnostic(clang::FullSourceLoc(message.getLocation(), message.getSourceManager()), level, text,
                             message.getRanges(), message.getFixItHints());
  } else {
    out_ << (level >= clang::DiagnosticsEngine::Error ? "error: " : "warning: ") << text << "\n";
  }
}

void explain_missing_headers(clang::Preprocessor& preprocessor) {
  preprocessor.addPPCallbacks(std::make_unique<HeaderWatch>(preprocessor));
}

}  // namespace quern::plugin
