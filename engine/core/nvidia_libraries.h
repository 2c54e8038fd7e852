// NVIDIA's libraries, found at run time: NVRTC, cuBLAS and others.
//
// There is one fixed order: pip's nvidia packages, CUDA_HOME or CUDA_PATH, /usr/local/cuda*, a conda environment, the system's
// loader. The first source with an NVRTC that the driver supports is chosen, and every library comes from that source: two
// sources are never mixed, but for cuDNN, which no toolkit has. Nothing is loaded before open_nvidia_library.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace quern {

struct NvidiaSource {
  std::string kind;                       // "pip", "toolkit", "conda", "system"
  std::string root;                       // where it was found
  int major = 0;                          // of its NVRTC, which is CUDA's
  std::string version;                    // "12.9"
  std::string nvrtc;                      // path
  std::vector<std::string> library_dirs;  // searched in order
  std::vector<std::string> include_dirs;  // headers that came along, perhaps none
  std::string passed_over;                // why it is not used; "" when it can be
};

struct NvidiaLibrary {
  std::string name;     // "cublasLt"
  std::string path;     // "" when the source has it not
  std::string version;  // what the file's name says
};

// Where pip's nvidia packages may lie: Python sets its site-packages folders, in the order of sys.path.
void set_nvidia_search_paths(std::vector<std::string> site_packages);

// The CUDA version that the driver supports (12040): an NVRTC of a newer major version is passed over. 0: no limit.
void limit_nvidia_libraries(int cuda_version);

// For a report: every source in order, and the libraries of the chosen one.
std::vector<NvidiaSource> nvidia_sources();
std::vector<NvidiaLibrary> nvidia_libraries();

std::optional<NvidiaSource> chosen_nvidia_source();

// "nvrtc", "cublas", "cublasLt", "cufft", "cusolver", "cusparse", "curand", "nvJitLink", "cudart", "cudnn", "cupti". Path only.
std::optional<NvidiaLibrary> find_nvidia_library(const std::string& name);

// Loads it with what it needs and returns dlopen's handle; raises ErrorKind::runtime that says what to install.
void* open_nvidia_library(const std::string& name);
void* open_nvidia_library_if_any(const std::string& name) noexcept;  // null where there is none that loads

}  // namespace quern
