// A program: CUDA C++ text compiled (or found in the cache) and loaded on one device.
#pragma once

#include "core/trace.h"
#include "run/context.h"

#include <memory>
#include <string>
#include <vector>

namespace quern {

class Kernel;

class Program : public std::enable_shared_from_this<Program> {
 public:
  Context& context;
  std::shared_ptr<LoadedModule> module;
  std::string log;  // the compiler's warnings
  CacheHit hit = CacheHit::compiled;
  std::shared_ptr<const KernelIdentity> identity;  // of its kernels; nullptr: of code that came without its text

  // By the name in the source, a name expression that was asked for when building, or a symbol.
  // Raises ErrorKind::logic that lists the kernels there are.
  std::shared_ptr<Kernel> kernel(const std::string& name);
  GlobalInfo global(const std::string& name);

  explicit Program(Context& context) : context(context) {}
  std::vector<std::pair<std::string, std::string>> names;  // name expression -> symbol
};

// `linked`: compiled code with functions that the text declares and lacks.
// Raises ErrorKind::not_implemented for such code on the CPU.
std::shared_ptr<Program> build(Context& context, const Source& source, const CompileOptions& options,
                               const std::vector<LinkedCode>& linked = {},
                               std::shared_ptr<const KernelIdentity> identity = nullptr,  // nullptr: made of the text
                               Site site = no_site);  // who asks; no_site: where the program is

// From code already compiled: a cubin on a GPU, an object of ours on the CPU.
std::shared_ptr<Program> load_code(Context& context, std::string_view code);

}  // namespace quern
