// A kernel and its arguments: values in, packed bytes (parameters.h), launch. All of a warm launch is in these classes.
//
//   Arguments args(kernel);
//   args.pointer(x.pointer(), x);      // in order; each is checked against the kernel's parameter
//   args.integer(n);                   // a plain number takes the parameter's type
//   kernel.launch(stream, shape, args);
#pragma once

#include "compile/signature.h"
#include "core/dtype.h"
#include "run/parameters.h"
#include "run/program.h"

#include <string>

namespace quern {

class Arguments;

class Kernel {
 public:
  Kernel(std::shared_ptr<Program> program, LoadedKernel& loaded);

  const KernelInfo& info() const { return loaded_.info; }
  Context& context() const { return program_->context; }
  const std::shared_ptr<Program>& program() const { return program_; }
  LoadedKernel& loaded() const { return loaded_; }

  // Raises ErrorKind::type when arguments are missing, ErrorKind::logic when the shape is over the device's limits.
  void launch(const StreamPtr& stream, const LaunchShape& shape, Arguments& args);
  // Every launch comes here: of parameters and a shape that are right. `work`: of arrays, for the trace.
  void launch(const StreamPtr& stream, const LaunchShape& shape, const Parameters& parameters, Site site, TracedWork work = {});
  void check(const LaunchShape& shape) const;
  // What an array of `dtype` as that argument certainly is not: "float*" for one of float64. "": it may be right, or nobody
  // knows.
  std::string unlike(size_t argument, DType dtype) const;

 private:
  friend class Arguments;

  std::shared_ptr<Program> program_;
  LoadedKernel& loaded_;
  std::vector<ParamType> types_;  // empty when the signature is not known
  bool types_known_ = false;
  const char* last_words_ = nullptr;  // its name for device/last_words.h; nullptr: not a user's, or a GPU's
};

class Arguments {
 public:
  explicit Arguments(const Kernel& kernel) : kernel_(kernel) {}

  void pointer(uint64_t address, Block* block = nullptr);
  void integer(int64_t value, bool is_boolean = false);
  void natural(uint64_t value);  // integers above the int64 range
  void real(double value);
  void complex(double re, double im);
  // A value whose type the caller knows, as its bytes: numpy.float32(2), a struct.
  void typed(const void* bytes, size_t size, ParamType::Number scalar, const char* type_name);

  // Is the next parameter one of that many bytes which is certainly no pointer?
  bool takes_value(size_t size) const;

  size_t count() const { return count_; }
  const Kernel& kernel() const { return kernel_; }
  Context& context() const { return kernel_.context(); }
  const Parameters& parameters() const { return parameters_; }

 private:
  const Param* next(size_t natural_size);
  const ParamType* type() const;
  void check_address(int64_t number) const;
  [[noreturn]] void mismatch(const std::string& given) const;
  char* at(const Param* param, size_t size);

  const Kernel& kernel_;
  size_t count_ = 0;
  Parameters parameters_;
};

}  // namespace quern
