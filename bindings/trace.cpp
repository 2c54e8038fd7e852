// The trace, the cache, and what `quern doctor` reports.
#include "run/trace.h"

#include <cstddef>

#include "run/kernel_cache.h"

#include "bindings/objects.h"
#include "compile/clang.h"
#include "core/log.h"
#include "device/cuda_driver.h"

namespace quern::python {

namespace {

// The fields of TraceRow, with NumPy's words for their types: rows go to Python as they lie.
struct Field {
  const char *name, *format;
  size_t offset;
};
#define QUERN_FIELD(name, format) \
  Field { #name, format, offsetof(TraceRow, name) }
constexpr Field fields[] = {
    QUERN_FIELD(id, "u8"),
    QUERN_FIELD(stream, "u8"),
    QUERN_FIELD(bytes, "u8"),
    QUERN_FIELD(fetched, "u8"),
    QUERN_FIELD(operations, "u8"),
    QUERN_FIELD(start_ns, "i8"),
    QUERN_FIELD(host_ns, "i8"),
    QUERN_FIELD(device_start_ns, "i8"),
    QUERN_FIELD(device_ns, "i8"),
    QUERN_FIELD(thread_ns, "i8"),
    QUERN_FIELD(site, "u4"),
    QUERN_FIELD(lines, "u4"),
    QUERN_FIELD(name, "u4"),
    QUERN_FIELD(detail, "u4"),
    QUERN_FIELD(kernel, "u4"),
    QUERN_FIELD(grid, "(3,)u4"),
    QUERN_FIELD(block, "(3,)u4"),
    QUERN_FIELD(dynamic_shared, "u4"),
    QUERN_FIELD(static_shared, "u4"),
    QUERN_FIELD(registers, "u2"),
    QUERN_FIELD(kind, "u1"),
    QUERN_FIELD(device, "i1"),
    QUERN_FIELD(from, "i1"),
};
#undef QUERN_FIELD

// The rows as bytes, and the tables that they point into.
nb::object rows_and_tables(const Trace& trace) {
  nb::list kernels;
  for (const auto& kernel : trace.tables.kernels)
    kernels.append(kernel ? nb::make_tuple(kernel->key, kernel->ops, kernel->form, kernel->widened, kernel->reason)
                          : nb::make_tuple(0, nb::list(), "", nb::list(), ""));
  return nb::make_tuple(nb::bytes(trace.rows.data(), trace.rows.size() * sizeof(TraceRow)), trace.tables.texts, kernels,
                        trace.tables.lines);
}

nb::list as_list(const std::vector<TraceRecord>& records) {
  nb::list out;
  for (const TraceRecord& r : records) {
    nb::dict d;
    d["kind"] = trace_kind_names[static_cast<int>(r.kind)];
    d["name"] = r.name;
    d["detail"] = r.detail;
    d["device"] = r.device.name();
    d["source"] = r.from ? nb::cast(r.from->name()) : nb::none();
    d["stream"] = r.stream;
    d["bytes"] = r.bytes;
    d["id"] = r.id;
    d["key"] = r.kernel ? nb::cast(r.kernel->key) : nb::none();
    d["ops"] = r.kernel ? nb::cast(r.kernel->ops) : nb::cast(std::vector<std::string>());
    d["reason"] = r.kernel ? r.kernel->reason : "";
    bool has_shape = r.grid[0] > 0;
    d["grid"] = has_shape ? nb::object(nb::make_tuple(r.grid[0], r.grid[1], r.grid[2])) : nb::none();
    d["block"] = has_shape ? nb::object(nb::make_tuple(r.block[0], r.block[1], r.block[2])) : nb::none();
    d["shared"] = r.dynamic_shared;
    d["device_start_ns"] = r.device_start_ns ? nb::cast(r.device_start_ns) : nb::none();
    d["device_end_ns"] = r.device_end_ns ? nb::cast(r.device_end_ns) : nb::none();
    d["start_ns"] = r.start_ns;
    d["host_ns"] = r.host_ns;
    if (r.device_ms >= 0)
      d["device_ms"] = r.device_ms;
    else
      d["device_ms"] = nb::none();
    d["site"] = describe_site(r.site);
    out.append(d);
  }
  return out;
}

}  // namespace

void init_trace(nb::module_& m) {
  m.def("start_trace", [](bool for_profile) { start_trace(for_profile); }, nb::arg("for_profile") = false);
  m.def("trace_length", [] { return trace_length(); });
  m.def("trace_timing", [] { return trace_timing(); });
  m.def("stop_trace", [] { return as_list(records_of(stop_trace())); });
  m.def("stop_trace_rows", [] {
    Trace trace;
    {
      ReleaseGil release;  // GPUs are waited for, and CUPTI's thread may come by
      trace = stop_trace(true);
    }
    return rows_and_tables(trace);
  });
  // What was done on the host instead, since then by the steady clock.
  m.def("trace_fallback", [](int64_t start_ns, const char* name) {
    if (tracing()) trace_host(TraceKind::fallback, DeviceId::cpu(), current_site(), start_ns, name);
  });
  m.def("trace_kinds", [] { return std::vector<std::string>(std::begin(trace_kind_names), std::end(trace_kind_names)); });
  m.def("trace_row", [] {
    nb::list out;
    for (const Field& field : fields) out.append(nb::make_tuple(field.name, field.format, field.offset));
    return out;
  });
  m.def("trace_row_size", [] { return sizeof(TraceRow); });
  // The truth that the trace is held against: how often each function of NVIDIA's driver was called since the counting began.
  m.def("count_driver_calls", [](bool on) {
    cuda::reset_call_counts();
    cuda::count_calls(on);
  });
  m.def("driver_calls", [] {
    nb::dict counts;
    for (auto& [name, count] : cuda::call_counts()) counts[name] = count;
    return counts;
  });
  m.def("set_log_level", [](int level) { set_log_level(level); });
  m.def("compiled", [] { return compile_cache().compiled(); });  // how many kernels, in how many seconds
  m.def("cache_info", [] {
    CacheInfo i = compile_cache().info();
    nb::dict d;
    d["directory"] = i.directory;
    d["problem"] = i.problem;
    d["files"] = i.files;
    d["bytes"] = i.bytes;
    d["limit"] = i.limit;
    return d;
  });
  m.def("cache_clear", [] { return compile_cache().clear(); });
  m.def("texts_printed", [] { return kernel_cache().printed(); });
  m.def("cache_forget_memory", [] { compile_cache().forget_memory(); });
  m.def("clang_report", [] {
    ClangReport r = clang_report();
    nb::dict d;
    d["path"] = r.path;
    d["problem"] = r.problem;
    d["loaded"] = r.loaded;
    d["version"] = r.version;
    return d;
  });
}

}  // namespace quern::python
