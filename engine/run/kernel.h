// A kernel and its arguments: values in, packed bytes, launch. All of a warm launch is in these two classes.
//
//   Arguments args(kernel);
//   args.pointer(x.pointer(), x);      // in order; each is checked against the kernel's parameter
//   args.integer(n);                   // a plain number takes the parameter's type
//   kernel.launch(stream, shape, args);
#pragma once

#include "compile/signature.h"
#include "run/program.h"

#include <array>
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
  // Of parameters that are packed already, by whoever printed the kernel. The first checks the shape.
  void launch_checked(const StreamPtr& stream, const LaunchShape& shape, const void* args, size_t bytes);
  void launch_packed(const StreamPtr& stream, const LaunchShape& shape, const void* args, size_t bytes, Site site);

 private:
  friend class Arguments;
  void check(const LaunchShape& shape) const;

  std::shared_ptr<Program> program_;
  LoadedKernel& loaded_;
  std::vector<ParamType> types_;  // empty when the signature is not known
  bool types_known_ = false;
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
  void typed(const void* bytes, size_t size, ParamType::Scalar scalar, const char* type_name);

  size_t count() const { return count_; }
  const void* data() const { return data_.data(); }
  size_t bytes() const { return end_; }
  // Every block handed over is marked as used on this stream.
  void used_on(const StreamPtr& stream);
  bool any_pinned() const;  // is memory handed over that is seen outside?

 private:
  static constexpr size_t limit = 4096;  // bytes of parameters, CUDA's limit on every GPU
  const Param* next(size_t natural_size);
  const ParamType* type() const;
  [[noreturn]] void mismatch(const std::string& given) const;
  char* at(const Param* param, size_t size);

  const Kernel& kernel_;
  size_t count_ = 0, end_ = 0;
  size_t block_count_ = 0;
  std::array<Block*, 32> blocks_;
  std::vector<Block*> more_blocks_;
  alignas(16) std::array<char, limit> data_;
};

}  // namespace quern
