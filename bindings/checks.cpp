// What `quern check` and `qn.check()` start, and what they find: python/quern/tools/check/ makes texts of it.
#include "device/check/checker.h"

#include "bindings/objects.h"
#include "compile/clang.h"
#include "compile/cpu_module.h"
#include "core/site.h"
#include "device/cuda.h"
#include "run/context.h"

#include <unistd.h>

#include <csignal>

namespace quern::python {

namespace {

nb::dict as_dict(const check::Access& access) {
  nb::dict out;
  out["file"] = access.file;
  out["line"] = access.line;
  out["column"] = access.column;
  out["function"] = access.function;
  out["source"] = access.source;
  out["reads"] = (access.what & QUERN_CHECK_READ) != 0;
  out["writes"] = (access.what & QUERN_CHECK_WRITE) != 0;
  out["atomic"] = (access.what & QUERN_CHECK_ATOMIC) != 0;
  out["of_block"] = (access.what & QUERN_CHECK_OF_BLOCK) != 0;
  out["thread"] = nb::make_tuple(access.thread[0], access.thread[1], access.thread[2]);
  out["block"] = nb::make_tuple(access.block[0], access.block[1], access.block[2]);
  return out;
}

constexpr const char* object_kinds[] = {"", "parameter", "local", "shared", "dynamic shared", "device"};

nb::dict as_dict(const check::Finding& found) {
  nb::dict out;
  out["kind"] = check::kind_names[static_cast<size_t>(found.kind)];
  out["kernel"] = found.kernel;
  out["access"] = as_dict(found.access);
  out["other"] = found.other.file.empty() ? nb::object(nb::none()) : nb::object(as_dict(found.other));
  out["object"] = found.object;
  out["object_kind"] = object_kinds[found.object_kind];
  out["bytes"] = found.bytes;
  out["offset"] = found.offset;
  out["size"] = found.size;
  out["axis"] = found.axis;
  out["of_grid"] = found.of_grid;
  out["passed_by"] = found.passed_by;
  out["of_warp"] = found.of_warp;
  out["sign"] = found.sign ? std::string(1, static_cast<char>(found.sign)) : "";
  out["first"] = found.first;
  out["second"] = found.second;
  out["allocated"] = found.has_allocation ? nb::object(nb::cast(describe_site(found.allocated))) : nb::object(nb::none());
  out["launched"] = describe_site(found.launch);
  out["work"] = found.work;
  out["other_work"] = found.other_work;
  out["other_launched"] = describe_site(found.other_launch);
  out["count"] = found.count;
  return out;
}

}  // namespace

void init_checks(nb::module_& m) {
  m.def(
      "start_checks",
      [](bool never_written, bool nan, bool leaks, uint32_t orders, uint32_t seed) {
        check::start({never_written, nan, leaks, orders, seed});
      },
      nb::arg("never_written"), nb::arg("nan"), nb::arg("leaks"), nb::arg("orders"), nb::arg("seed"));
  m.def("checked_memory", [] { return check::memory_used(); });
  // For bench/check.py: kernels compiled from here on run a thread after the other, as checked ones do.
  m.def("lower_to_threads", [](bool all) { set_lowering_wish(all ? LoweringWish::coroutines : LoweringWish::automatic); });
  m.def("checks_on", [] { return check::on(); });
  m.def("launches_on_gpus", [] {
    uint64_t launches = 0;
    for (Context* context : all_contexts())
      if (auto* gpu = dynamic_cast<CudaDevice*>(&context->device)) launches += gpu->launches();
    return launches;
  });
  m.def("wait_for_cpu", [] {
    ReleaseGil release;
    cpu_context().wait_all("the end of the checks");
  });
  // Ends the process as the signal does where nobody handles it; from any thread.
  m.def("die_of", [](int number) {
    std::signal(number, SIG_DFL);
    kill(getpid(), number);
  });
  m.def("stop_checks", [] {
    nb::list out;
    for (const check::Finding& found : check::stop()) out.append(as_dict(found));
    return out;
  });
}

}  // namespace quern::python
