// NVIDIA's libraries: which are found, and how exact and how reproducible what they compute is.
#include "bindings/objects.h"
#include "core/nvidia_libraries.h"
#include "device/cudnn.h"
#include "run/calls/convolution.h"
#include "run/calls/matmul.h"

namespace quern::python {

namespace {

CudnnSettings settings_of(const nb::dict& given) {
  auto is_on = [&](const char* name) { return nb::cast<bool>(given[name]); };
  return {is_on("enabled"), is_on("benchmark"), is_on("deterministic"), is_on("allow_tf32")};
}

nb::dict as_dict(const CudnnSettings& settings) {
  nb::dict out;
  out["enabled"] = settings.enabled;
  out["benchmark"] = settings.benchmark;
  out["deterministic"] = settings.deterministic;
  out["allow_tf32"] = settings.allow_tf32;
  return out;
}

}  // namespace

void init_libraries(nb::module_& m) {
  m.def("set_nvidia_search_paths", [](std::vector<std::string> paths) { set_nvidia_search_paths(std::move(paths)); });
  m.def("nvidia_sources", [] {
    nb::list out;
    for (const NvidiaSource& source : nvidia_sources()) {
      nb::dict d;
      d["kind"] = source.kind;
      d["root"] = source.root;
      d["version"] = source.version;
      d["passed_over"] = source.passed_over;
      out.append(d);
    }
    return out;
  });
  m.def("nvidia_libraries", [] {
    nb::list out;
    for (const NvidiaLibrary& library : nvidia_libraries()) {
      nb::dict d;
      d["name"] = library.name;
      d["path"] = library.path;
      d["version"] = library.version;
      out.append(d);
    }
    return out;
  });
  m.def("allow_tf32", &allow_tf32);
  m.def("allows_tf32", &allows_tf32);
  m.def("cudnn_settings", [] { return as_dict(cudnn_settings()); });
  m.def("set_cudnn_settings", [](const nb::dict& given) { set_cudnn_settings(settings_of(given)); });
  m.def("only_deterministic_algorithms", &only_deterministic_algorithms);
  m.def("set_only_deterministic_algorithms", &set_only_deterministic_algorithms);
  m.def("cudnn_problem", [] { return cudnn_problem(); }, "Why convolutions on a GPU do without cuDNN; '' where they use it.");
  m.def("cudnn_version", [] { return cudnn_version(); }, "As 91002; 0 where there is none.");
}

}  // namespace quern::python
