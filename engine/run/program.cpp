#include "run/program.h"

#include "compile/clang/plugin.h"
#include "compile/host_code.h"
#include "core/error.h"
#include "core/log.h"
#include "device/check/checker.h"
#include "run/compile_reasons.h"
#include "run/kernel.h"
#include "run/trace.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>

namespace quern {

namespace {

uint64_t hash_of_all(const std::vector<std::string>& texts) {
  uint64_t made = texts.size();
  for (const std::string& text : texts) made = made * 31 + std::hash<std::string>()(text);
  return made;
}

// Of a text that a user wrote, or that was made of a function in Python.
std::shared_ptr<const KernelIdentity> identity_of_text(const Source& source, const CompileOptions& options, Context& context) {
  std::hash<std::string> hash;
  KernelIdentity made{hash(source.text), {}, source.types};
  const KernelTrait flags{"compile options", hash_of_all(options.flags)}, device{"device", context.id().key()};
  if (source.types.empty()) {
    const KernelTrait traits[] = {flags, {"name expressions", hash_of_all(options.name_expressions)}, device};
    made.reason = compile_reasons().note(made.key, traits, "new kernel source");
  } else {
    const KernelTrait traits[] = {{"argument types", hash(source.types)}, flags, device};
    made.reason = compile_reasons().note(hash(source.name), traits, "new kernel", "new captured values or source");
  }
  return std::make_shared<KernelIdentity>(std::move(made));
}

// The compiler's option is passed to the linker, too. 0: none.
unsigned most_registers(const std::vector<std::string>& flags) {
  constexpr std::string_view name = "-maxrregcount=";
  for (const std::string& flag : flags) {
    size_t at = flag.find(name);
    if (at <= 1) return static_cast<unsigned>(std::max(0, std::atoi(flag.c_str() + at + name.size())));
  }
  return 0;
}

// What is linked is kept as what is compiled is: in another process neither is done again.
Cached get_linked(Context& context, const Source& source, const CompileOptions& options, const std::vector<LinkedCode>& linked) {
  unsigned registers = most_registers(options.flags);
  std::string linker = formatted("linked by {}, {} registers", context.device.linker_id(), registers);
  std::vector<std::string_view> parts = {linker};
  for (const LinkedCode& code : linked) {
    parts.push_back(code_kind_names[static_cast<int>(code.kind)]);
    parts.push_back(code.bytes);
  }
  Target target = context.device.target();
  return compile_cache().get(cache_key(cache_key(context.compiler(), source, options, target), parts), [&] {
    Cached own = compile_cache().get(context.compiler(), source, options, target);
    Binary whole = context.device.link(*own.binary, source.name, linked, registers);
    whole.files = own.binary->files;
    whole.lasting = own.binary->lasting;
    return whole;
  });
}

// A text that does not compile may be a whole program: then it is one without its host code. Of two messages the shorter one
// counts: the other contains the host's code, too.
template <class Get>
Cached with_or_without_host_code(const Source& source, Get&& get) {
  try {
    return get(source);
  } catch (const Error& whole) {
    if (whole.kind() != ErrorKind::compile) throw;
    std::set<std::string> host_functions;
    Source part{without_host_code(source.text, &host_functions), source.name};
    if (part.text == source.text) throw;
    try {
      Cached found = get(part);
      log(LogLevel::errors, "no error: the source compiles without its host code");
      return found;
    } catch (const Error& error) {
      const std::string message = quoting_whole_lines(error.what(), source.text, part.text);
      const std::string named = naming_host_functions(message, host_functions);
      const bool calls_one = std::strstr(whole.what(), "__host__") != nullptr;
      if (calls_one && named != message) throw Error(ErrorKind::compile, named);
      const bool says_less = std::strlen(error.what()) < std::strlen(whole.what());
      throw Error(ErrorKind::compile, says_less ? message : whole.what());
    }
  }
}

}  // namespace

std::shared_ptr<Program> build(Context& context, const Source& source, const CompileOptions& options,
                               const std::vector<LinkedCode>& linked, std::shared_ptr<const KernelIdentity> identity, Site site) {
  std::optional<CompileOptions> relocatable, checked;
  if (check::on() && !identity && context.device.kind == DeviceKind::cpu) {
    checked = options;
    checked->flags.push_back(QUERN_CHECK_OPTION);
    if (check::options().nan) checked->flags.push_back(QUERN_CHECK_NAN_OPTION);
  }
  if (!linked.empty()) {
    if (context.device.kind == DeviceKind::cpu)
      raise(ErrorKind::not_implemented,
            "[link] {} is {}, which is code for GPUs and linked there alone; for the CPU link CUDA C++ source, a *.cu file or a "
            "cuda.CUSource",
            linked[0].name, code_kind_names[static_cast<int>(linked[0].kind)]);
    relocatable = options;
    relocatable->relocatable = true;
  }
  log(LogLevel::source, "{}:\n{}", source.name, source.text);
  auto program = std::make_shared<Program>(context);
  if (!identity) identity = identity_of_text(source, options, context);
  program->identity = identity;
  if (site == no_site && tracing()) site = current_site();
  Cached cached;
  {
    Traced traced(TraceKind::compile, context.id(), nullptr, source.text.size(), site);
    traced.name(source.name);
    traced.kernel(identity);
    cached = with_or_without_host_code(source, [&](const Source& text) {
      return relocatable ? get_linked(context, text, *relocatable, linked)
                         : compile_cache().get(context.compiler(), text, checked ? *checked : options, context.device.target());
    });
    traced.detail(cache_hit_names[static_cast<int>(cached.hit)]);
    if (cached.end_ns != 0) traced.took(cached.start_ns, cached.end_ns);
  }
  log(LogLevel::compiles, "{} for {}: {}", source.name, context.name(), cache_hit_names[static_cast<int>(cached.hit)]);
  Traced traced(TraceKind::load, context.id(), nullptr, cached.binary->code.size(), site);
  traced.name(source.name);
  traced.kernel(identity);
  const Binary& code = *cached.binary;
  program->module = context.device.load(code);
  if (checked) check::keep_text(program->module.get(), source.name, source.text);
  program->names = code.names;
  program->log = code.log;
  program->hit = cached.hit;
  return program;
}

std::shared_ptr<Program> load_code(Context& context, std::string_view code) {
  Binary binary;
  binary.code.resize(code.size());
  std::memcpy(binary.code.data(), code.data(), code.size());
  auto program = std::make_shared<Program>(context);
  program->module = context.device.load(binary);
  return program;
}

std::shared_ptr<Kernel> Program::kernel(const std::string& name) {
  LoadedKernel* loaded = nullptr;
  for (auto& [expression, symbol] : names)
    if (expression == name) loaded = module->kernel(symbol);
  if (!loaded) loaded = module->kernel(name);
  if (!loaded) {
    std::string all;
    for (auto& n : module->kernel_names()) all += (all.empty() ? "" : ", ") + n;
    raise(ErrorKind::logic, "[kernel] CUDA_ERROR_NOT_FOUND: named symbol not found: there is no kernel '{}' in this source{}",
          name, all.empty() ? "; it defines no __global__ function" : "; it has: " + all);
  }
  return std::make_shared<Kernel>(shared_from_this(), *loaded);
}

GlobalInfo Program::global(const std::string& name) {
  auto found = module->global(name);
  if (!found) raise(ErrorKind::logic, "[global] there is no __device__ or __constant__ variable '{}' in this source", name);
  return *found;
}

}  // namespace quern
