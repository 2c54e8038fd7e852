// Looking for NVIDIA's libraries. Start at find_sources(): it reads like the order it promises.
#include "core/nvidia_libraries.h"

#include "core/error.h"
#include "core/log.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

namespace quern {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr const char* target_folder = "targets/sbsa-linux";
constexpr const char* system_folder = "/usr/lib/aarch64-linux-gnu";
#else
constexpr const char* target_folder = "targets/x86_64-linux";
constexpr const char* system_folder = "/usr/lib/x86_64-linux-gnu";
#endif

constexpr int oldest_major = 12;
constexpr int newest_major = 13;  // the newest one whose sonames the table knows

// The number after ".so." in each CUDA major version, and what must be loaded before.
struct LibraryRow {
  const char* name;
  int cuda12, cuda13;
  const char* needs;      // names, separated by spaces
  bool is_apart = false;  // comes on its own, so that another source may have it
};

constexpr LibraryRow library_rows[] = {
    {"nvrtc", 12, 13, ""},
    {"cudart", 12, 13, ""},
    {"nvJitLink", 12, 13, ""},
    {"cublasLt", 12, 13, ""},
    {"cublas", 12, 13, "cublasLt"},
    {"cufft", 11, 12, ""},
    {"cusparse", 12, 12, "nvJitLink"},
    {"cusolver", 11, 12, "nvJitLink cublasLt cublas cusparse"},
    {"curand", 10, 10, ""},
    {"cudnn", 9, 9, "nvrtc cublasLt cublas", true},
    {"cupti", 12, 13, ""},
};

const LibraryRow* find_row(const std::string& name) {
  for (const LibraryRow& row : library_rows) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::vector<std::string> existing(std::vector<fs::path> candidates) {
  std::vector<std::string> result;
  for (const fs::path& path : candidates) {
    if (is_folder(path) && std::find(result.begin(), result.end(), path.string()) == result.end())
      result.push_back(path.string());
  }
  return result;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) result.push_back(it->path());
  std::sort(result.begin(), result.end());
  return result;
}

// "libnvrtc.so.12" gives "12", "libnvrtc.so.12.9.86" gives "12.9.86"; "" for another file.
std::string version_after(const std::string& file, const std::string& stem) {
  if (file.compare(0, stem.size(), stem) != 0) return "";
  std::string version = file.substr(stem.size());
  bool numeric = !version.empty() && version.find_first_not_of("0123456789.") == std::string::npos;
  return numeric && version[0] != '.' ? version : "";
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// Every major version of NVRTC in the source's folders, newest first: one source each. Folders are not listed, for the system's
// are long: the names are known.
void add_sources(std::vector<NvidiaSource>& sources, const NvidiaSource& base) {
  for (int major = newest_major + 4; major >= oldest_major - 1; --major) {
    for (const std::string& folder : base.library_dirs) {
      fs::path path = fs::path(folder) / formatted("libnvrtc.so.{}", major);
      if (!is_there(path)) path += ".2";  // CUDA 11's own numbering
      if (!is_there(path)) continue;
      NvidiaSource source = base;
      source.major = major;
      source.version = std::to_string(major);
      source.nvrtc = path.string();
      for (int minor = 0; minor < 20; ++minor) {  // only the builtins' name has the minor version
        if (!is_there(fs::path(folder) / formatted("libnvrtc-builtins.so.{}.{}", major, minor))) continue;
        source.version = formatted("{}.{}", major, minor);
        break;
      }
      std::error_code error;
      bool known = std::any_of(sources.begin(), sources.end(),
                               [&](const NvidiaSource& other) { return fs::equivalent(other.nvrtc, source.nvrtc, error); });
      if (!known) sources.push_back(source);
      break;
    }
  }
}

void add_pip(std::vector<NvidiaSource>& sources, const std::string& site_packages) {
  fs::path nvidia = fs::path(site_packages) / "nvidia";
  if (!is_folder(nvidia)) return;
  // CUDA 13 and later: nvidia/cu13/lib. Up to 12: a folder for each library. cuDNN and NCCL have their own folder in both.
  std::vector<fs::path> bundles, libraries, includes;
  for (const fs::path& folder : entries(nvidia)) {
    std::string name = folder.filename().string();
    if (name.size() > 2 && name.compare(0, 2, "cu") == 0 && name.find_first_not_of("0123456789", 2) == std::string::npos) {
      bundles.insert(bundles.begin(), folder);
    } else {
      libraries.push_back(folder / "lib");
      includes.push_back(folder / "include");
    }
  }
  for (const fs::path& bundle : bundles) {
    NvidiaSource source;
    source.kind = "pip";
    source.root = bundle.string();
    source.library_dirs = existing({bundle / "lib", nvidia / "cudnn" / "lib", nvidia / "nccl" / "lib"});
    source.include_dirs = existing({bundle / "include", nvidia / "cudnn" / "include"});
    add_sources(sources, source);
  }
  NvidiaSource source;
  source.kind = "pip";
  source.root = nvidia.string();
  source.library_dirs = existing(libraries);
  source.include_dirs = existing(includes);
  add_sources(sources, source);
}

void add_folder(std::vector<NvidiaSource>& sources, const char* kind, const fs::path& root) {
  NvidiaSource source;
  source.kind = kind;
  source.root = root.string();
  fs::path target = root / target_folder;
  source.library_dirs = existing({root / "lib64", root / "lib", target / "lib", root / "extras" / "CUPTI" / "lib64"});
  source.include_dirs = existing({root / "include", root / "include" / "cccl", target / "include", target / "include" / "cccl"});
  add_sources(sources, source);
}

void add_environment(std::vector<NvidiaSource>& sources, const char* kind, const char* variable) {
  const char* root = std::getenv(variable);
  if (root && *root) add_folder(sources, kind, root);
}

// Where the system's loader looks, without asking it: asking would load.
std::vector<fs::path> system_folders() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("LD_LIBRARY_PATH");
  std::string rest = path ? path : "";
  for (size_t start = 0; start < rest.size();) {
    size_t end = std::min(rest.find(':', start), rest.size());
    if (end > start) folders.emplace_back(rest.substr(start, end - start));
    start = end + 1;
  }
  for (const fs::path& conf : entries("/etc/ld.so.conf.d")) {
    std::ifstream file(conf);
    for (std::string line; std::getline(file, line);) {
      if (!line.empty() && line[0] == '/') folders.emplace_back(line);
    }
  }
  for (const char* folder : {system_folder, "/usr/lib64", "/usr/lib"}) folders.emplace_back(folder);
  return folders;
}

std::string why_not(const NvidiaSource& source, int driver) {
  if (source.major < oldest_major) return formatted("NVRTC {} is too old: {} or newer is needed", source.version, oldest_major);
  if (driver && source.major > driver / 1000) {
    return formatted("NVRTC {} is newer than the driver, which supports CUDA {}.{}", source.version, driver / 1000,
                     driver % 1000 / 10);
  }
  return "";
}

std::vector<NvidiaSource> find_sources(const std::vector<std::string>& site_packages, int driver) {
  std::vector<NvidiaSource> sources;
  for (const std::string& folder : site_packages) add_pip(sources, folder);
  add_environment(sources, "toolkit", "CUDA_HOME");
  add_environment(sources, "toolkit", "CUDA_PATH");
  add_folder(sources, "toolkit", "/usr/local/cuda");
  std::vector<fs::path> local = entries("/usr/local");
  std::reverse(local.begin(), local.end());
  for (const fs::path& path : local) {
    if (path.filename().string().compare(0, 5, "cuda-") == 0) add_folder(sources, "toolkit", path);
  }
  add_environment(sources, "conda", "CONDA_PREFIX");
  NvidiaSource system;
  system.kind = "system";
  system.root = "the system's loader";
  system.library_dirs = existing(system_folders());
  add_sources(sources, system);
  for (NvidiaSource& source : sources) source.passed_over = why_not(source, driver);
  return sources;
}

struct State {
  std::mutex mutex;
  std::vector<std::string> site_packages;
  int driver = 0;
  std::optional<std::vector<NvidiaSource>> sources;
  std::map<std::string, void*> handles;  // by path; never closed
};

State& state() {
  static State& state = *new State;
  return state;
}

const std::vector<NvidiaSource>& sources_locked(State& s) {
  if (!s.sources) s.sources = find_sources(s.site_packages, s.driver);
  return *s.sources;
}

// Where a library that comes apart may lie: pip's package of its own, then the folders of all sources of that major version.
std::vector<std::string> folders_apart(State& s, const std::string& name, int major) {
  std::vector<std::string> folders;
  for (const std::string& site : s.site_packages) folders.push_back((fs::path(site) / "nvidia" / name / "lib").string());
  for (const NvidiaSource& source : sources_locked(s)) {
    if (source.major == major) folders.insert(folders.end(), source.library_dirs.begin(), source.library_dirs.end());
  }
  for (const fs::path& folder : system_folders()) folders.push_back(folder.string());
  return folders;
}

NvidiaLibrary library_in(State& s, const NvidiaSource& source, const LibraryRow& row) {
  NvidiaLibrary library;
  library.name = row.name;
  if (library.name == "nvrtc") {
    library.path = source.nvrtc;
    library.version = source.version;
    return library;
  }
  int number = source.major <= 12 ? row.cuda12 : row.cuda13 + std::max(0, source.major - newest_major);
  if (row.is_apart) number = row.cuda12;
  std::string file = formatted("lib{}.so.{}", row.name, number);
  std::vector<std::string> folders = source.library_dirs;
  if (row.is_apart) {
    const std::vector<std::string> others = folders_apart(s, library.name, source.major);
    folders.insert(folders.end(), others.begin(), others.end());
  }
  for (const std::string& folder : folders) {
    fs::path path = fs::path(folder) / file;
    if (!is_there(path)) continue;
    library.path = path.string();
    std::error_code error;
    fs::path real = fs::canonical(path, error);
    std::string version = error ? "" : version_after(real.filename().string(), formatted("lib{}.so.", row.name));
    library.version = version.empty() ? std::to_string(number) : version;
    break;
  }
  return library;
}

}  // namespace

void set_nvidia_search_paths(std::vector<std::string> site_packages) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.site_packages = std::move(site_packages);
  s.sources.reset();
}

void limit_nvidia_libraries(int cuda_version) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.driver = cuda_version;
  s.sources.reset();
}

std::vector<NvidiaSource> nvidia_sources() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  return sources_locked(s);
}

std::optional<NvidiaSource> chosen_nvidia_source() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  for (const NvidiaSource& source : sources_locked(s)) {
    if (source.passed_over.empty()) return source;
  }
  return std::nullopt;
}

std::optional<NvidiaLibrary> find_nvidia_library(const std::string& name) {
  const LibraryRow* row = find_row(name);
  if (!row) bug("no NVIDIA library is called {}", name);
  std::optional<NvidiaSource> source = chosen_nvidia_source();
  if (!source) return std::nullopt;
  State& s = state();
  std::lock_guard lock(s.mutex);
  NvidiaLibrary library = library_in(s, *source, *row);
  if (library.path.empty()) return std::nullopt;
  return library;
}

std::vector<NvidiaLibrary> nvidia_libraries() {
  std::vector<NvidiaLibrary> libraries;
  std::optional<NvidiaSource> source = chosen_nvidia_source();
  if (!source) return libraries;
  State& s = state();
  std::lock_guard lock(s.mutex);
  for (const LibraryRow& row : library_rows) libraries.push_back(library_in(s, *source, row));
  return libraries;
}

void* open_nvidia_library(const std::string& name) {
  std::optional<NvidiaLibrary> library = find_nvidia_library(name);
  if (!library) {
    std::optional<NvidiaSource> source = chosen_nvidia_source();
    if (source) {
      raise(ErrorKind::runtime,
            "[cuda] lib{} is not among the NVIDIA libraries in use ({} {}, CUDA {}); "
            "a CUDA toolkit has them, and for Python pip install \"quern[cuda]\" brings a full set",
            name, source->kind, source->root, source->version);
    }
    std::string reasons;
    for (const NvidiaSource& other : nvidia_sources()) reasons += formatted("\n  {}: {}", other.nvrtc, other.passed_over);
    raise(ErrorKind::runtime,
          "[cuda] no usable NVIDIA libraries were found: a CUDA toolkit has them, and for Python pip install \"quern[cuda]\" "
          "brings them{}{}",
          reasons.empty() ? "" : "; rejected:", reasons);
  }
  {
    State& s = state();
    std::lock_guard lock(s.mutex);
    auto known = s.handles.find(library->path);
    if (known != s.handles.end()) return known->second;
  }
  std::string needs = find_row(name)->needs;
  for (size_t start = 0; start < needs.size();) {
    size_t end = std::min(needs.find(' ', start), needs.size());
    std::string need = needs.substr(start, end - start);
    if (find_nvidia_library(need)) open_nvidia_library(need);
    start = end + 1;
  }
  // NVRTC looks for its builtins by bare name: the right ones must be there first.
  if (name == "nvrtc" && library->version.find('.') != std::string::npos) {
    fs::path builtins = fs::path(library->path).parent_path() / ("libnvrtc-builtins.so." + library->version);
    dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  void* handle = dlopen(library->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* error = dlerror();
    raise(ErrorKind::runtime, "[cuda] {} does not load: {}", library->path, error ? error : "no reason given");
  }
  log(LogLevel::compiles, "cuda: loaded {}", library->path);
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.handles[library->path] = handle;
  return handle;
}

void* open_nvidia_library_if_any(const std::string& name) noexcept {
  try {
    return find_nvidia_library(name) ? open_nvidia_library(name) : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace quern
